// device/short_numbers.hpp without a GPU.
#include "device/short_numbers.hpp"

#include "device/standin/kernel.hpp"
#include "pack/shorten.hpp"

namespace shardfft::device {

using standin::enqueue_kernel;

void shorten(const std::byte* numbers, std::int64_t count, const ShortNumbers& format, std::byte* run, Loss* loss,
             void* stream) {
  if (count == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(count) * format.number_bytes();
  enqueue_kernel(stream, "short numbers", {{numbers, bytes}, {run, format.run_bytes(count)}, {loss, sizeof *loss}},
                 [=] { *loss += shorten_boxes(numbers, {Box::run(0, count)}, run, format.number_bytes(), format); });
}

void restore(const std::byte* run, std::int64_t count, const ShortNumbers& format, std::byte* numbers, void* stream) {
  if (count == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(count) * format.number_bytes();
  enqueue_kernel(stream, "numbers restored", {{run, format.run_bytes(count)}, {numbers, bytes}},
                 [=] { restore_boxes(run, {Box::run(0, count)}, numbers, format.number_bytes(), format); });
}

}  // namespace shardfft::device
