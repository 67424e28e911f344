#include "gpu/check/device_check.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "device/handles.hpp"
#include "device/sums.hpp"
#include "geometry/gaps.hpp"
#include "verify/move_check.hpp"
#include "verify/transform_check.hpp"

namespace shardfft::gpu {

namespace {

/// An array of so many bytes as a box of words.
constexpr std::size_t word_bytes = sizeof(std::uint32_t);
Box words_of(std::size_t bytes) { return Box::run(0, static_cast<std::int64_t>(bytes / word_bytes)); }

/// The elements of a rank's array, without the gaps between rows.
std::vector<Box> elements_of(const Layout& layout, int rank) {
  const std::vector<Piece> pieces = layout.pieces(rank);
  if (shardfft::elements_of(pieces) == layout.count(rank)) return {Box::run(0, layout.count(rank))};
  std::vector<Box> boxes;
  for (const Piece& piece : pieces)
    if (!piece.set.empty()) boxes.push_back(box_of(piece));
  return boxes;
}

/// One side of a transform.
class DeviceSide {
 public:
  DeviceSide(const CheckSide& side, Precision precision, std::size_t lines) : lines_(lines) {
    what_.element = {precision, side.is_complex};
    if (lines == 0) return;
    std::vector<std::complex<double>> weights;
    for (const CheckLoop& loop : side.loops) {
      if (loop.unit_stride > 0) {
        what_.units.push_back({loop.n, loop.stride, loop.unit_stride});
        continue;
      }
      what_.line.push_back({loop.n, loop.stride, 1});
      weights.insert(weights.end(), loop.weight.begin(), loop.weight.end());
    }
    bytes_ = weights.size() * sizeof weights.front();
    weights_ = device::make_memory(bytes_);
    what_.weights = static_cast<const double*>(weights_.get());
    const device::Stream stream = device::make_stream();
    device::copy_bytes(weights_.get(), weights.data(), bytes_, stream.get());
    device::synchronize(stream.get());
  }
  std::size_t held_bytes() const { return bytes_; }

  void enqueue(const std::byte* array, double* sums, std::uint64_t* bits, device::StreamHandle stream) const {
    if (lines_ > 0) device::add_weighted(array, what_, sums, bits, stream);
  }

 private:
  std::size_t lines_;
  device::WeightedSums what_;
  std::size_t bytes_ = 0;
  device::Memory weights_;
};

/// Results behind the bits: the number of lines compared, and the largest difference.
class DeviceTransformCheck : public DeviceCheck {
 public:
  explicit DeviceTransformCheck(const FftSpec& spec)
      : check_(spec, spec.kind == Kind::r2r ? Rounding::with_neighbours : Rounding::alone),  // gpu/pass/cosine_pass.cpp
        lines_(check_.lines()),
        in_(check_.input(), spec.precision, lines_),
        out_(check_.output(), spec.precision, lines_) {}
  std::size_t results() const override { return 4; }
  std::size_t sums() const override { return 2 * sums_of_side(); }
  std::size_t held_bytes() const override { return in_.held_bytes() + out_.held_bytes(); }
  void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    device::fill_zero(sums_, sums() * sizeof *sums_, stream);
    in_.enqueue(buffers.in, line_sums(0), device_, stream);
  }
  void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    out_.enqueue(buffers.out, line_sums(1), device_ + 1, stream);
    device::compare_lines(line_sums(0), line_sums(1), static_cast<std::int64_t>(lines_), check_.limits(), device_ + 2,
                          stream);
  }
  Finding finding() const override {
    return transform_finding(static_cast<std::int64_t>(host_[2]), std::bit_cast<double>(host_[3]));
  }
  std::size_t table_bytes() const override { return check_.table_bytes(); }

 private:
  std::size_t sums_of_side() const { return 3 * lines_; }
  double* line_sums(std::size_t side) const {
    return static_cast<double*>(static_cast<void*>(sums_)) + side * sums_of_side();
  }

  TransformCheck check_;
  std::size_t lines_;
  DeviceSide in_, out_;
};

/// All ranks together have the same bits before and after a move. So an array is read for the check only if no other
/// step has read it, or if some of it stays behind. Behind the bits: those that leave, and those that arrive.
class DeviceMoveCheck : public DeviceCheck {
 public:
  DeviceMoveCheck(const Layout& from, const Layout& to, int rank, std::size_t element_bytes)
      : moved_(from, to, rank, element_bytes),
        element_bytes_(element_bytes),
        in_(elements_of(from, rank)),
        out_(elements_of(to, rank)) {}
  std::size_t results() const override { return 4; }
  bool reads_input() const override { return previous_ == nullptr; }
  void stand_between(const DeviceCheck* previous, const DeviceCheck* next) override {
    previous_ = moved_.sends_all() ? previous : nullptr;
    next_ = moved_.receives_all() && next != nullptr && next->reads_input() ? next : nullptr;
  }
  void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (!moved_.sends_all()) add_moved(buffers.in, moved_.schedule().send, &LocalCopy::from, 2, stream);
    if (previous_ == nullptr)
      for (const Box& box : in_) add(buffers.in, box, 0, stream);
  }
  void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (!moved_.receives_all()) add_moved(buffers.out, moved_.schedule().recv, &LocalCopy::to, 3, stream);
    if (next_ == nullptr)
      for (const Box& box : out_) add(buffers.out, box, 1, stream);
  }
  std::uint64_t input_bits() const override { return previous_ != nullptr ? previous_->output_bits() : told(0); }
  std::uint64_t output_bits() const override { return next_ != nullptr ? next_->input_bits() : told(1); }
  StepBits bits() override {
    const std::uint64_t sent = moved_.sends_all() ? input_bits() : told(2);
    const std::uint64_t received = moved_.receives_all() ? output_bits() : told(3);
    std::fill(moved_.sent().begin(), moved_.sent().end(), static_cast<std::uint32_t>(sent - received));
    return DeviceCheck::bits();
  }
  Finding finding() const override { return {1, 0, {}}; }
  std::span<const std::uint64_t> sent() const override { return moved_.sent(); }
  std::size_t table_bytes() const override { return moved_.table_bytes(); }

 private:
  void add_moved(const std::byte* array, const std::vector<Message>& messages, Box LocalCopy::*own, std::size_t result,
                 device::StreamHandle stream) const {
    for (const Message& message : messages)
      for (const Box& box : message.boxes) add(array, box, result, stream);
    for (const LocalCopy& copy : moved_.schedule().self) add(array, copy.*own, result, stream);
  }
  void add(const std::byte* array, const Box& box, std::size_t result, device::StreamHandle stream) const {
    device::add_bits(array, box, element_bytes_, device_ + result, stream);
  }

  MoveSums moved_;  ///< tells all ranks the same: the bits that left, less those that arrived
  std::size_t element_bytes_;
  std::vector<Box> in_, out_;
  const DeviceCheck *previous_ = nullptr, *next_ = nullptr;
};

/// Result behind the bits: the number of words that differ.
class DeviceRepeatCheck : public DeviceCheck {
 public:
  DeviceRepeatCheck(DeviceOperation& operation, std::size_t in_bytes, std::size_t out_bytes)
      : operation_(operation), in_(words_of(in_bytes)), out_(words_of(out_bytes)), out_bytes_(out_bytes) {
    if (out_bytes_ > 0) copy_ = device::make_memory(out_bytes_);
  }
  std::size_t results() const override { return 3; }
  std::size_t held_bytes() const override { return out_bytes_; }
  void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    DeviceBuffers again = buffers;
    again.out = static_cast<std::byte*>(copy_.get());
    again.one_array = false;
    operation_.enqueue(0, again, stream);
    device::add_bits(buffers.in, in_, word_bytes, device_, stream);
  }
  void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    device::add_bits(buffers.out, out_, word_bytes, device_ + 1, stream);
    device::add_differences(static_cast<const std::byte*>(copy_.get()), buffers.out, out_bytes_, device_ + 2, stream);
  }
  Finding finding() const override { return repeat_finding(host_[2] == 0); }

 private:
  DeviceOperation& operation_;
  Box in_, out_;
  std::size_t out_bytes_;
  device::Memory copy_;
};

}  // namespace

DeviceChecks DeviceOperation::make_checks() { return {}; }

void PieceChecks::place(std::size_t step, std::uint64_t* on_device, const std::uint64_t* on_host, std::uint64_t* sums) {
  DeviceCheck::place(step, on_device, on_host, sums);
  for (const auto& piece : pieces_) {
    piece->place(step, on_device, on_host, sums);
    on_device += piece->results();
    on_host += piece->results();
  }
}

Finding PieceChecks::finding() const {
  Finding all;
  for (const auto& piece : pieces_) all.add(piece->finding());
  return all;
}

std::unique_ptr<DeviceCheck> make_device_transform_check(DeviceOperation& fft, const FftSpec& spec) {
  DeviceChecks own = fft.make_checks();
  return own.empty() ? std::make_unique<DeviceTransformCheck>(spec) : std::move(own.front());
}

std::unique_ptr<DeviceCheck> make_device_move_check(const Layout& from, const Layout& to, int rank,
                                                    std::size_t element_bytes) {
  return std::make_unique<DeviceMoveCheck>(from, to, rank, element_bytes);
}

std::unique_ptr<DeviceCheck> make_device_repeat_check(DeviceOperation& operation, std::size_t in_bytes,
                                                      std::size_t out_bytes) {
  return std::make_unique<DeviceRepeatCheck>(operation, in_bytes, out_bytes);
}

}  // namespace shardfft::gpu
