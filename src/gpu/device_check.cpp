#include "gpu/device_check.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "device/handles.hpp"
#include "device/sums.hpp"
#include "exec/move_check.hpp"
#include "exec/transform_check.hpp"
#include "local/loops.hpp"

namespace shardfft::gpu {

namespace {

/// An array of so many bytes as a box of words.
constexpr std::size_t word_bytes = sizeof(std::uint32_t);
Box words_of(std::size_t bytes) { return Box::run(0, static_cast<std::int64_t>(bytes / word_bytes)); }

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
      what_.line.push_back({loop.n, loop.stride});
      weights.insert(weights.end(), loop.weight.begin(), loop.weight.end());
    }
    bytes_ = weights.size() * sizeof weights.front();
    weights_ = device::make_memory(bytes_);
    what_.weights = static_cast<const double*>(weights_.get());
    const device::Stream stream = device::make_stream();
    device::copy_bytes(weights_.get(), weights.data(), bytes_, stream.get());
    device::synchronize(stream.get());
  }
  /// Those of the bits, then three a line.
  std::size_t sums() const { return 1 + 3 * lines_; }
  std::size_t held_bytes() const { return bytes_; }

  void enqueue(const std::byte* array, std::uint64_t* sums, device::StreamHandle stream) const {
    void* const of_lines = sums + 1;
    if (lines_ > 0) device::add_weighted(array, what_, static_cast<double*>(of_lines), sums, stream);
  }
  std::uint64_t take(const std::uint64_t* sums, CheckSums& result) const {
    const std::uint64_t* next = sums + 1;
    for (auto* list : {&result.real, &result.imag, &result.squares})
      for (double& sum : *list) sum = std::bit_cast<double>(*next++);
    return *sums;
  }

 private:
  std::size_t lines_;
  device::WeightedSums what_;
  std::size_t bytes_ = 0;
  device::Memory weights_;
};

class DeviceTransformCheck : public DeviceCheck {
 public:
  explicit DeviceTransformCheck(const FftSpec& spec)
      : check_(spec, spec.kind == Kind::r2r ? Rounding::with_neighbours : Rounding::alone),  // gpu/cosine_pass.cpp
        in_(check_.input(), spec.precision, check_.input_sums().size()),
        out_(check_.output(), spec.precision, check_.output_sums().size()) {}
  std::size_t sums() const override { return in_.sums() + out_.sums(); }
  std::size_t held_bytes() const override { return in_.held_bytes() + out_.held_bytes(); }
  void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    in_.enqueue(buffers.in, device_, stream);
  }
  void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    out_.enqueue(buffers.out, device_ + in_.sums(), stream);
  }
  std::uint64_t before(const std::byte*) override { return in_.take(host_, check_.input_sums()); }
  std::uint64_t after(const std::byte*) override { return out_.take(host_ + in_.sums(), check_.output_sums()); }
  Finding finding() const override { return check_.finding(); }
  std::size_t table_bytes() const override { return check_.table_bytes(); }

 private:
  TransformCheck check_;
  DeviceSide in_, out_;
};

/// Sums: all of the input, what goes to each rank, all of the output, what came from each rank.
class DeviceMoveCheck : public DeviceCheck {
 public:
  DeviceMoveCheck(const Layout& from, const Layout& to, int rank, std::size_t element_bytes)
      : check_(from, to, rank, element_bytes),
        rank_(rank),
        element_bytes_(element_bytes),
        in_(words_of(static_cast<std::size_t>(from.count(rank)) * element_bytes)),
        out_(words_of(static_cast<std::size_t>(to.count(rank)) * element_bytes)),
        ranks_(static_cast<std::size_t>(from.ranks())) {}
  std::size_t sums() const override { return 2 * (1 + ranks_); }
  /// What is read twice is read for others first: what changes in between does not fit what they receive.
  void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    for (const Message& message : check_.schedule().send)
      for (const Box& box : message.boxes) add(buffers.in, box, message.peer, device_, stream);
    for (const LocalCopy& copy : check_.schedule().self) add(buffers.in, copy.from, rank_, device_, stream);
    device::add_bits(buffers.in, in_, word_bytes, device_, stream);
  }
  void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    std::uint64_t* const sums = device_ + 1 + ranks_;
    device::add_bits(buffers.out, out_, word_bytes, sums, stream);
    for (const Message& message : check_.schedule().recv)
      for (const Box& box : message.boxes) add(buffers.out, box, message.peer, sums, stream);
    for (const LocalCopy& copy : check_.schedule().self) add(buffers.out, copy.to, rank_, sums, stream);
  }
  std::uint64_t before(const std::byte*) override {
    std::copy_n(host_ + 1, ranks_, check_.sent_sums().begin());
    return host_[0];
  }
  std::uint64_t after(const std::byte*) override {
    std::copy_n(host_ + 2 + ranks_, ranks_, check_.received_sums().begin());
    return host_[1 + ranks_];
  }
  Finding finding() const override { return check_.finding(); }
  std::span<const std::uint64_t> sent() const override { return check_.sent(); }
  std::span<const std::uint64_t> received() const override { return check_.received(); }
  std::size_t table_bytes() const override { return check_.table_bytes(); }

 private:
  void add(const std::byte* array, const Box& box, int rank, std::uint64_t* sums, device::StreamHandle stream) const {
    device::add_bits(array, box, element_bytes_, sums + 1 + rank, stream);
  }

  MoveCheck check_;
  int rank_;
  std::size_t element_bytes_;
  Box in_, out_;
  std::size_t ranks_;
};

/// Sums: the input's bits, the output's, words that differ.
class DeviceRepeatCheck : public DeviceCheck {
 public:
  DeviceRepeatCheck(DeviceOperation& operation, std::size_t in_bytes, std::size_t out_bytes)
      : operation_(operation), in_(words_of(in_bytes)), out_(words_of(out_bytes)), out_bytes_(out_bytes) {
    if (out_bytes_ > 0) copy_ = device::make_memory(out_bytes_);
  }
  std::size_t sums() const override { return 3; }
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
  std::uint64_t before(const std::byte*) override { return host_[0]; }
  std::uint64_t after(const std::byte*) override { return host_[1]; }
  Finding finding() const override { return repeat_finding(host_[2] == 0); }
  std::size_t table_bytes() const override { return 0; }

 private:
  DeviceOperation& operation_;
  Box in_, out_;
  std::size_t out_bytes_;
  device::Memory copy_;
};

}  // namespace

std::unique_ptr<DeviceCheck> make_device_transform_check(const FftSpec& spec) {
  return std::make_unique<DeviceTransformCheck>(spec);
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
