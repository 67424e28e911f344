#include "chain.hpp"

#include <cstring>
#include <span>

namespace shardfft::compat {

namespace {

std::byte* bytes(void* memory) { return static_cast<std::byte*>(memory); }
const std::byte* bytes(const void* memory) { return static_cast<const std::byte*>(memory); }

}  // namespace

void Chain::run(const void* in, void* out) const {
  for (const Step& step : steps_) {
    step(in, out);
    in = out;
  }
}

// Each array has the room of FFTW's local_size. The calls with lists are used because they do not check sizes further.
Chain::Step forward_of(std::shared_ptr<Plan> plan) {
  return [plan](const void* in, void* out) { plan->forward(std::span(&in, 1), std::span(&out, 1)); };
}

Chain::Step backward_of(std::shared_ptr<Plan> plan) {
  return [plan](const void* in, void* out) { plan->backward(std::span(&in, 1), std::span(&out, 1)); };
}

Chain::Step forward_of(std::shared_ptr<Redistribution> plan) {
  return [plan](const void* in, void* out) { plan->forward(in, out); };
}

Chain::Step close_up(Rows rows) {
  return [rows](const void* in, void* out) {
    for (std::int64_t i = 0; i < rows.count; ++i)
      std::memmove(bytes(out) + static_cast<std::size_t>(i) * rows.length,
                   bytes(in) + static_cast<std::size_t>(i) * rows.pitch, rows.length);
  };
}

Chain::Step move_apart(Rows rows) {
  return [rows](const void* in, void* out) {
    for (std::int64_t i = rows.count; i-- > 0;)
      std::memmove(bytes(out) + static_cast<std::size_t>(i) * rows.pitch,
                   bytes(in) + static_cast<std::size_t>(i) * rows.length, rows.length);
  };
}

Chain::Step transpose(std::int64_t rows, std::int64_t columns, std::size_t element_bytes) {
  return [=](const void* in, void* out) {
    const auto all = static_cast<std::size_t>(rows * columns) * element_bytes;
    std::vector<std::byte> copy;
    if (in == out) {
      copy.assign(bytes(in), bytes(in) + all);
      in = copy.data();
    }
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        std::memcpy(bytes(out) + static_cast<std::size_t>(c * rows + r) * element_bytes,
                    bytes(in) + static_cast<std::size_t>(r * columns + c) * element_bytes, element_bytes);
  };
}

}  // namespace shardfft::compat
