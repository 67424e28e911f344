#include "gpu/pass/pointwise_operation.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <variant>
#include <vector>

#include "device/handles.hpp"
#include "device/pointwise.hpp"
#include "geometry/gaps.hpp"
#include "geometry/schedule.hpp"

namespace shardfft::gpu {

namespace {

using Enqueue = std::function<void(const DeviceBuffers&, device::StreamHandle)>;

class PointwiseOperation : public DeviceOperation {
 public:
  PointwiseOperation(std::string text, bool in_place, Enqueue enqueue)
      : text_(std::move(text)), in_place_(in_place), enqueue_(std::move(enqueue)) {}
  void enqueue(int /*phase*/, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    enqueue_(buffers, stream);
  }
  bool runs_in_place() const override { return in_place_; }
  std::string describe() const override { return text_; }

 private:
  std::string text_;
  bool in_place_;
  Enqueue enqueue_;
};

/// An operator's factors as numbers of the spectrum's type, in memory's order; of one field if all are alike.
template <class Number>
std::vector<Number> table_of(const SpectralFactors& factors, std::vector<Piece> pieces) {
  for (Piece& piece : pieces)
    if (!factors.differ_by_field()) piece.set.axis[0].count = 1;
  std::vector<Number> table(static_cast<std::size_t>(elements_of(pieces)), Number(1));
  auto* const bytes = reinterpret_cast<std::byte*>(table.data());
  multiply(bytes, bytes, factors, pieces, element_type<Number>, 1);
  return table;
}

/// Factors of axes are computed during use, from numbers along the axes; factors of arrays are an array on the GPU.
/// Both are copied when an operator is first applied, and stay as long as it lives. Users' functions are called in each
/// run.
class OperatorOperation : public DeviceOperation {
 public:
  OperatorOperation(const OperatorStep& step, std::vector<Piece> pieces, int rank, ElementType element)
      : step_(step), pieces_(std::move(pieces)), rank_(rank), element_(element) {}

  void enqueue(int /*phase*/, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    const std::int64_t count = elements_of(pieces_);
    const auto& factors = step_.factors->at(rank_);
    if (factors->call) {
      if (buffers.in != buffers.out && count > 0)
        device::copy_bytes(buffers.out, buffers.in, static_cast<std::size_t>(count) * element_.bytes(), stream);
      const device::DeviceScope scope(device::current_device());  // the caller's function may change it
      return factors->call(buffers.out, device::current_device(), stream);
    }
    if (count == 0) return;
    const Table& table = table_here(factors, stream);
    const auto* const numbers = static_cast<const std::complex<double>*>(table.memory.get());
    if (factors->has_texts())
      device::multiply_by_texts(buffers.in, buffers.out, *factors, numbers, pieces_, element_, stream);
    else if (device::computes(*factors))
      device::multiply(buffers.in, buffers.out, *factors, numbers, pieces_, element_, stream);
    else
      device::multiply(buffers.in, buffers.out, table.memory.get(), count, table.count, element_, stream);
  }
  bool runs_in_place() const override { return true; }
  RunnerMemory kept() const override {
    RunnerMemory sum;
    for (const Table& table : tables_) sum.table += table.bytes;
    return sum;
  }
  /// A user's function may do something else in each run.
  HostWait waits_for() const override {
    return step_.factors->empty() || !step_.factors->at(rank_)->call ? HostWait::nothing : HostWait::itself;
  }
  std::shared_ptr<const void> reads() const override {
    return step_.factors->empty() || waits_for() != HostWait::nothing ? nullptr : step_.factors->at(rank_);
  }
  std::string describe() const override { return "operator"; }

 private:
  struct Table {
    std::weak_ptr<const SpectralFactors> factors;
    device::Memory memory;
    std::size_t bytes;
    std::int64_t count;
  };

  const Table& table_here(const std::shared_ptr<const SpectralFactors>& factors, device::StreamHandle stream) {
    for (const Table& table : tables_)
      if (table.factors.lock() == factors) return table;
    device::synchronize(stream);  // earlier runs may use the memory that is freed now
    std::erase_if(tables_, [](const Table& table) { return table.factors.expired(); });
    if (factors->has_texts() || device::computes(*factors)) return upload(factors, axis_numbers(*factors), stream);
    return element_.precision == Precision::f64 ? upload_of<double>(factors, stream)
                                                : upload_of<float>(factors, stream);
  }

  template <class T>
  const Table& upload_of(const std::shared_ptr<const SpectralFactors>& factors, device::StreamHandle stream) {
    if (element_.is_complex) return upload(factors, table_of<std::complex<T>>(*factors, pieces_), stream);
    return upload(factors, table_of<T>(*factors, pieces_), stream);
  }

  template <class T>
  const Table& upload(const std::shared_ptr<const SpectralFactors>& factors, const std::vector<T>& numbers,
                      device::StreamHandle stream) {
    const std::size_t bytes = numbers.size() * sizeof(T);
    tables_.push_back({factors, device::make_memory(bytes), bytes, static_cast<std::int64_t>(numbers.size())});
    device::copy_bytes(tables_.back().memory.get(), numbers.data(), bytes, stream);
    device::synchronize(stream);
    return tables_.back();
  }

  OperatorStep step_;
  std::vector<Piece> pieces_;
  int rank_;
  ElementType element_;
  std::vector<Table> tables_;
};

}  // namespace

std::vector<std::complex<double>> axis_numbers(const SpectralFactors& factors) {
  std::vector<std::complex<double>> numbers;
  for (const SpectralFactors::Term& term : factors.terms)
    if (const auto* const axis = std::get_if<SpectralFactors::OfAxis>(&term))
      numbers.insert(numbers.end(), axis->numbers->begin(), axis->numbers->end());
  return numbers;
}

std::unique_ptr<DeviceOperation> make_pointwise(const Step& step, const State& before, const State& after, int rank,
                                                Precision precision) {
  using Buffers = DeviceBuffers;
  using Stream = device::StreamHandle;
  const ElementType element{precision, before.is_complex};
  const auto made = [](std::string text, bool in_place, Enqueue enqueue) {
    return std::make_unique<PointwiseOperation>(std::move(text), in_place, std::move(enqueue));
  };
  if (const auto* twiddles = std::get_if<TwiddleStep>(&step))
    return made("twiddle", true,
                [=, factors = twiddles->factors, sign = twiddles->sign, pieces = before.layout.pieces(rank)](
                    const Buffers& b, Stream stream) {
                  device::twiddle(b.in, b.out, factors, pieces, sign, precision, stream);
                });
  if (const auto* promotes = std::get_if<PromoteStep>(&step))
    return made(promotes->sign == Direction::backward ? "real part" : "promote", false,
                [=, sign = promotes->sign, count = before.layout.count(rank)](const Buffers& b, Stream stream) {
                  if (count > 0) device::promote(b.in, b.out, count, sign, precision, stream);
                });
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step))
    return made("double the paired modes", true,
                [=, modes = half->modes, pieces = before.layout.pieces(rank)](const Buffers& b, Stream stream) {
                  device::half_spectrum(b.in, b.out, modes, pieces, precision, stream);
                });
  if (const auto* keeps = std::get_if<ModesStep>(&step))
    return made(describe_modes(*keeps), false,
                [=, move = keeps->sign == Direction::forward ? device::keep_modes : device::pad_modes,
                 modes = keeps->modes, from = only_piece(before.layout, rank), to = only_piece(after.layout, rank)](
                    const Buffers& b, Stream stream) { move(b.in, from, b.out, to, modes, element, stream); });
  if (const auto* factors = std::get_if<OperatorStep>(&step))
    return std::make_unique<OperatorOperation>(*factors, before.layout.pieces(rank), rank, element);
  return nullptr;
}

std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes) {
  return std::make_unique<PointwiseOperation>("copy", true, [=](const DeviceBuffers& b, device::StreamHandle stream) {
    if (bytes > 0 && b.in != b.out) device::copy_bytes(b.out, b.in, bytes, stream);
  });
}

}  // namespace shardfft::gpu
