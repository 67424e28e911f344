#include "pack/shorten.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/compute.hpp"
#include "geometry/box_range.hpp"
#include "pack/pack.hpp"
#include "pack/short_block.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Numbers that are gathered, then shortened: in between they stay in the first-level cache.
constexpr std::int64_t piece_numbers = 2048;
static_assert(piece_numbers % ShortNumbers::block == 0);

/// The last blocks are written to memory of their own first, because a block writes beyond its end.
template <int bytes, class Real>
Loss shorten_run(const Real* numbers, std::int64_t count, std::byte* run) {
  constexpr std::int64_t block = kernel::block;
  kernel::LossLanes lanes;
  for (; count >= 2 * block; count -= block, numbers += block, run += 2 + bytes * block)
    kernel::shorten_block<bytes>(numbers, run, lanes);
  for (; count > 0; count -= block, numbers += block, run += 2 + bytes * block) {
    std::array<Real, block> padded{};
    std::array<std::byte, kernel::most_block_bytes> written;
    std::copy_n(numbers, std::min(count, block), padded.begin());
    kernel::shorten_block<bytes>(padded.data(), written.data(), lanes);
    std::copy_n(written.begin(), 2 + bytes * std::min(count, block), run);
  }
  return {kernel::sum(lanes.error), kernel::sum(lanes.sent)};
}

template <int bytes, class Real>
void restore_run(const std::byte* run, std::int64_t count, Real* numbers) {
  constexpr std::int64_t block = kernel::block;
  for (; count >= 2 * block; count -= block, numbers += block, run += 2 + bytes * block)
    kernel::restore_block<bytes>(run, numbers);
  for (; count > 0; count -= block, numbers += block, run += 2 + bytes * block) {
    std::array<Real, block> padded;
    std::array<std::byte, kernel::most_block_bytes> written{};
    std::copy_n(run, 2 + bytes * std::min(count, block), written.begin());
    kernel::restore_block<bytes>(written.data(), padded.data());
    std::copy_n(padded.begin(), std::min(count, block), numbers);
  }
}

/// Calls action(std::integral_constant<int, bytes>(), Real()) for the format.
template <class Action>
auto with_format(const ShortNumbers& numbers, const Action& action) {
  const auto with_real = [&](auto bytes) {
    return numbers.precision == Precision::f64 ? action(bytes, double()) : action(bytes, float());
  };
  switch (numbers.bytes) {
    case 1:
      return with_real(std::integral_constant<int, 1>());
    case 2:
      return with_real(std::integral_constant<int, 2>());
    case 3:
      return with_real(std::integral_constant<int, 3>());
    case 4:
      return with_real(std::integral_constant<int, 4>());
    case 5:
      return with_real(std::integral_constant<int, 5>());
    case 6:
      return with_real(std::integral_constant<int, 6>());
    default:
      fail(Status::internal, "no short numbers of ", numbers.bytes, " bytes");
  }
}

/// The work of shortening or restoring `count` numbers.
Work work_of(const ShortNumbers& numbers, std::int64_t count) {
  return {static_cast<double>(count) * static_cast<double>(numbers.number_bytes()) +
              static_cast<double>(numbers.run_bytes(count)),
          10 * static_cast<double>(count)};
}

/// A message in pieces that begin with a block.
class Pieces {
 public:
  Pieces(const std::vector<Box>& boxes, std::size_t element_bytes, const ShortNumbers& numbers)
      : boxes_(boxes), in_element_(static_cast<std::int64_t>(element_bytes / numbers.number_bytes())) {
    for (const Box& box : boxes) elements_ += box.elements();
  }
  std::int64_t size() const { return (elements_ + each() - 1) / each(); }
  std::vector<Box> boxes(std::int64_t piece) const { return box_range(boxes_, piece * each(), end(piece)); }
  std::int64_t numbers(std::int64_t piece) const { return (end(piece) - piece * each()) * in_element_; }
  int workers(int threads, std::size_t element_bytes) const {
    const std::int64_t bytes = elements_ * static_cast<std::int64_t>(element_bytes);
    return static_cast<int>(
        std::clamp<std::int64_t>(bytes / host_defaults().copy_bytes_worth_a_thread, 1, std::max(threads, 1)));
  }

 private:
  std::int64_t each() const { return piece_numbers / in_element_; }
  std::int64_t end(std::int64_t piece) const { return std::min((piece + 1) * each(), elements_); }

  const std::vector<Box>& boxes_;
  std::int64_t in_element_;
  std::int64_t elements_ = 0;
};

/// Memory for the numbers of a piece.
struct alignas(64) PieceMemory {
  std::array<std::byte, piece_numbers * sizeof(double)> bytes;
  template <class Real>
  Real* as() {
    return reinterpret_cast<Real*>(bytes.data());
  }
};

}  // namespace

std::size_t short_bytes(const ShortNumbers& numbers, std::int64_t elements, std::size_t element_bytes) {
  return numbers.run_bytes(elements * static_cast<std::int64_t>(element_bytes / numbers.number_bytes()));
}

Loss shorten_boxes(const std::byte* array, const std::vector<Box>& boxes, std::byte* run, std::size_t element_bytes,
                   const ShortNumbers& numbers, int threads) {
  const Pieces pieces(boxes, element_bytes, numbers);
  const auto piece_bytes = static_cast<std::int64_t>(numbers.run_bytes(piece_numbers));
  double error = 0, sent = 0;
#pragma omp parallel for num_threads(pieces.workers(threads, element_bytes)) schedule(static) reduction(+ : error, sent)
  for (std::int64_t i = 0; i < pieces.size(); ++i) {
    PieceMemory memory;
    const std::int64_t count = pieces.numbers(i);
    pack_boxes(array, pieces.boxes(i), memory.bytes.data(), element_bytes);
    Loss loss;
    compute(work_of(numbers, count), [&] {
      loss = with_format(numbers, [&](auto bytes, auto real) {
        return shorten_run<bytes>(memory.as<decltype(real)>(), count, run + i * piece_bytes);
      });
    });
    error += loss.error;
    sent += loss.sent;
  }
  return {error, sent};
}

void restore_boxes(const std::byte* run, const std::vector<Box>& boxes, std::byte* array, std::size_t element_bytes,
                   const ShortNumbers& numbers, int threads) {
  const Pieces pieces(boxes, element_bytes, numbers);
  const auto piece_bytes = static_cast<std::int64_t>(numbers.run_bytes(piece_numbers));
#pragma omp parallel for num_threads(pieces.workers(threads, element_bytes)) schedule(static)
  for (std::int64_t i = 0; i < pieces.size(); ++i) {
    PieceMemory memory;
    const std::int64_t count = pieces.numbers(i);
    compute(work_of(numbers, count), [&] {
      with_format(numbers, [&](auto bytes, auto real) {
        restore_run<bytes>(run + i * piece_bytes, count, memory.as<decltype(real)>());
      });
    });
    unpack_boxes(memory.bytes.data(), pieces.boxes(i), array, element_bytes);
  }
}

}  // namespace shardfft
