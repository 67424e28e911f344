#include "gpu/pass/operator_operation.hpp"

#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "device/handles.hpp"
#include "device/pointwise.hpp"
#include "geometry/gaps.hpp"
#include "geometry/schedule.hpp"
#include "pack/line_form.hpp"

namespace shardfft::gpu {

namespace {

using device::lines::FactorsAre;
using device::lines::LineFactors;
using Numbers = std::vector<std::complex<double>>;

/// An operator's factors as numbers of the spectrum's type, in memory's order.
template <class Number>
std::vector<Number> table_of(const SpectralFactors& factors, const std::vector<Piece>& pieces) {
  std::vector<Number> table(static_cast<std::size_t>(elements_of(pieces)), Number(1));
  auto* const bytes = reinterpret_cast<std::byte*>(table.data());
  multiply(bytes, bytes, factors, pieces, element_type<Number>, 1);
  return table;
}

/// The lines of a spectrum that the pass before an operator writes: their axis, and a piece of one point of each line.
struct SpectrumLines {
  ResultLines of_pass;
  int axis;
  Piece heads;
};

/// None if the pass numbers its lines in another way than memory's order.
std::optional<SpectrumLines> lines_of(const std::vector<Piece>& pieces, const ResultLines& of_pass) {
  if (pieces.size() != 1) return std::nullopt;
  SpectrumLines lines{of_pass, 0, pieces.front()};
  Piece& heads = lines.heads;
  for (int a = 1; a < heads.set.axes; ++a) {
    const auto i = static_cast<std::size_t>(a);
    if (heads.stride[i] == of_pass.stride && heads.set.axis[i] == Progression{0, of_pass.points, 1}) lines.axis = a;
  }
  if (lines.axis == 0) return std::nullopt;
  heads.set.axis[static_cast<std::size_t>(lines.axis)].count = 1;
  heads.offset = 0;
  std::vector<std::size_t> order(static_cast<std::size_t>(heads.set.axes));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return heads.stride[a] < heads.stride[b]; });
  std::int64_t stride = 1;
  for (const std::size_t a : order) {
    heads.stride[a] = stride;
    stride *= heads.set.axis[a].count;
  }
  return stride == of_pass.outer * of_pass.columns ? std::optional(lines) : std::nullopt;
}

/// A form's numbers, one part behind the other, and the members that point to them once they are on the device. Numbers
/// of lines come last: the device computes them from numbers along the other axes.
struct FormNumbers {
  LineFactors factors;
  Numbers all;

  FormNumbers(const LineForm& form, const SpectrumLines& lines) : heads_(lines.heads) {
    factors.are = form.below ? FactorsAre::quotients : FactorsAre::sums;
    factors.columns = static_cast<unsigned>(lines.of_pass.columns);
    add(form.above, factors.above);
    if (form.below) add(*form.below, factors.below);
    factors.real = std::all_of(all.begin(), all.end(), [](std::complex<double> number) { return number.imag() == 0; });
    for (const LineFactors::Sum* sum : {&factors.above, &factors.below})
      for (const double imaginary : {sum->first.constant[1], sum->second.constant[1]})
        factors.real = factors.real && imaginary == 0;
    for (const Computed& one : computed_)
      for (const SpectralFactors::Term& term : one.factors.terms)
        if (const auto* const number = std::get_if<std::complex<double>>(&term))
          factors.real = factors.real && number->imag() == 0;
  }
  FormNumbers(const FormNumbers&) = delete;
  FormNumbers& operator=(const FormNumbers&) = delete;

  /// Of the numbers that the device computes.
  std::size_t computed_bytes() const { return computed_.size() * lines() * sizeof(Numbers::value_type); }
  /// In memory that begins with `all`: enqueues the computation of the others.
  LineFactors at(void* memory, device::StreamHandle stream) {
    auto* const numbers = static_cast<Numbers::value_type*>(memory);
    for (const auto& [member, place] : places_) *member = numbers + place;
    auto* table = numbers + all.size();
    for (const Computed& one : computed_) {
      device::multiply(nullptr, table, one.factors, numbers + one.place, {heads_}, element_type<Numbers::value_type>,
                       stream);
      *one.member = std::exchange(table, table + lines());
    }
    return factors;
  }

 private:
  struct Computed {
    SpectralFactors factors;
    std::size_t place;  ///< of its numbers along axes
    const void** member;
  };
  std::size_t lines() const { return static_cast<std::size_t>(heads_.set.count()); }
  std::size_t add(const Numbers& numbers) {
    all.insert(all.end(), numbers.begin(), numbers.end());
    return all.size() - numbers.size();
  }
  void add(const LineForm::Sum& sum, LineFactors::Sum& to) {
    add(sum.first, to.first);
    if (sum.along.empty()) return;
    add(sum.second, to.second);
    places_.emplace_back(&to.along, add(sum.along));
  }
  void add(const LineForm::Terms& terms, LineFactors::OfLine& to) {
    SpectralFactors of_line{terms, {}};
    if (const auto constant = constant_of(terms)) {
      to.constant[0] = constant->real();
      to.constant[1] = constant->imag();
    } else if (device::computes(of_line)) {
      const std::size_t place = add(axis_numbers(of_line));
      computed_.push_back({std::move(of_line), place, &to.lines});
    } else {
      places_.emplace_back(&to.lines, add(table_of<Numbers::value_type>(of_line, {heads_})));
    }
  }

  Piece heads_;
  std::vector<std::pair<const void**, std::size_t>> places_;  ///< in `factors`, of parts of `all`
  std::vector<Computed> computed_;
};

/// Factors of axes are computed during use, from numbers along the axes and for lines; factors of arrays are an array
/// on the GPU. Both are copied when an operator is first applied, and stay as long as it lives. Users' functions are
/// called in each run.
class OperatorOperation : public DeviceOperation {
 public:
  OperatorOperation(const OperatorStep& step, std::vector<Piece> pieces, int rank, ElementType element,
                    DeviceOperation* before)
      : step_(step), pieces_(std::move(pieces)), rank_(rank), element_(element) {
    if (before == nullptr || !element.is_complex) return;
    const auto of_pass =
        before->multiply_results([this](device::StreamHandle stream) { return of_pass_before(stream); });
    if (of_pass) lines_ = lines_of(pieces_, *of_pass);
  }

  void enqueue(int /*phase*/, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    const std::int64_t count = elements_of(pieces_);
    const auto& factors = step_.factors->at(rank_);
    by_pass_before_ = of_pass_before(stream) != nullptr;
    if (factors->call) {
      if (buffers.in != buffers.out && count > 0)
        device::copy_bytes(buffers.out, buffers.in, static_cast<std::size_t>(count) * element_.bytes(), stream);
      const device::DeviceScope scope(device::current_device());  // the caller's function may change it
      return factors->call(buffers.out, device::current_device(), stream);
    }
    if (count == 0 || by_pass_before_) return;
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
  std::string describe() const override { return by_pass_before_ ? "operator (by the pass before it)" : "operator"; }

 private:
  struct Table {
    std::weak_ptr<const SpectralFactors> factors;
    device::Memory memory;
    std::size_t bytes;
    std::int64_t count;
    LineFactors of_pass;  ///< none if the pass before cannot multiply by them
  };

  /// The factors of this run, if the pass before the operator multiplies by them; else null.
  const LineFactors* of_pass_before(device::StreamHandle stream) {
    const auto& factors = step_.factors->at(rank_);
    if (!lines_ || factors->call) return nullptr;
    const LineFactors& made = table_here(factors, stream).of_pass;
    return made.are != FactorsAre::none ? &made : nullptr;
  }

  const Table& table_here(const std::shared_ptr<const SpectralFactors>& factors, device::StreamHandle stream) {
    for (const Table& table : tables_)
      if (table.factors.lock() == factors) return table;
    device::synchronize(stream);  // earlier runs may use the memory that is freed now
    std::erase_if(tables_, [](const Table& table) { return table.factors.expired(); });
    if (const auto form = lines_ ? line_form(*factors, lines_->axis - 1) : std::nullopt) {
      FormNumbers numbers(*form, *lines_);
      Table& made = upload(factors, numbers.all, stream, numbers.computed_bytes());
      made.of_pass = numbers.at(made.memory.get(), stream);
      return made;
    }
    if (factors->has_texts() || device::computes(*factors)) return upload(factors, axis_numbers(*factors), stream);
    return element_.precision == Precision::f64 ? upload_of<double>(factors, stream)
                                                : upload_of<float>(factors, stream);
  }

  /// An array of factors, of one field if all are alike.
  template <class T>
  const Table& upload_of(const std::shared_ptr<const SpectralFactors>& factors, device::StreamHandle stream) {
    std::vector<Piece> pieces = pieces_;
    for (Piece& piece : pieces)
      if (!factors->differ_by_field()) piece.set.axis[0].count = 1;
    if (!element_.is_complex) return upload(factors, table_of<T>(*factors, pieces), stream);
    const std::vector<std::complex<T>> table = table_of<std::complex<T>>(*factors, pieces);
    if (!lines_ || elements_of(pieces) != elements_of(pieces_)) return upload(factors, table, stream);
    std::vector<T> reals;
    if (std::all_of(table.begin(), table.end(), [](std::complex<T> number) { return number.imag() == 0; }))
      for (const std::complex<T> number : table) reals.push_back(number.real());
    Table& made = reals.empty() ? upload(factors, table, stream) : upload(factors, reals, stream);
    made.of_pass = {reals.empty() ? FactorsAre::numbers : FactorsAre::reals,
                    false,
                    static_cast<unsigned>(lines_->of_pass.columns),
                    {},
                    {},
                    made.memory.get(),
                    lines_->of_pass.stride,
                    lines_->of_pass.outer_stride};
    return made;
  }

  /// With `more` bytes behind the numbers.
  template <class T>
  Table& upload(const std::shared_ptr<const SpectralFactors>& factors, const std::vector<T>& numbers,
                device::StreamHandle stream, std::size_t more = 0) {
    const std::size_t bytes = numbers.size() * sizeof(T), all = bytes + more;
    tables_.push_back({factors, device::make_memory(all), all, static_cast<std::int64_t>(numbers.size()), {}});
    device::copy_bytes(tables_.back().memory.get(), numbers.data(), bytes, stream);
    device::synchronize(stream);
    return tables_.back();
  }

  OperatorStep step_;
  std::vector<Piece> pieces_;
  int rank_;
  ElementType element_;
  std::optional<SpectrumLines> lines_;  ///< if the operation before can multiply its results
  std::vector<Table> tables_;
  bool by_pass_before_ = false;  ///< the last run
};

}  // namespace

Numbers axis_numbers(const SpectralFactors& factors) {
  Numbers numbers;
  for (const SpectralFactors::Term& term : factors.terms)
    if (const auto* const axis = std::get_if<SpectralFactors::OfAxis>(&term))
      numbers.insert(numbers.end(), axis->numbers->begin(), axis->numbers->end());
  return numbers;
}

std::unique_ptr<DeviceOperation> make_operator(const OperatorStep& step, const State& spectrum, int rank,
                                               Precision precision, DeviceOperation* before) {
  return std::make_unique<OperatorOperation>(step, spectrum.layout.pieces(rank), rank,
                                             ElementType{precision, spectrum.is_complex}, before);
}

}  // namespace shardfft::gpu
