#include "exec/pointwise_operation.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include "base/check.hpp"

namespace shardfft {

namespace {

/// Calls visit(memory offset, index) for every element of a piece; the innermost axis is the last.
template <class Visit>
void for_each_element(const Piece& piece, Visit visit) {
  if (piece.set.empty()) return;
  const auto axes = static_cast<std::size_t>(piece.set.axes);
  std::array<std::int64_t, max_axes> at{};
  std::array<std::int64_t, max_axes> index{};
  for (std::size_t a = 0; a < axes; ++a) index[a] = piece.set.axis[a].first;
  std::int64_t offset = piece.offset;
  while (true) {
    visit(offset, index);
    std::size_t a = axes;
    while (a > 0) {
      const Progression& p = piece.set.axis[--a];
      offset += piece.stride[a];
      index[a] += p.stride;
      if (++at[a] < p.count) break;
      offset -= p.count * piece.stride[a];
      index[a] = p.first;
      at[a] = 0;
      if (a == 0) return;
    }
  }
}

/// exp(-2 pi i m / n) for any m in two table look-ups: m = high * width + low.
class RootTable {
 public:
  explicit RootTable(std::int64_t n) : n_(n), width_(static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))) + 1) {
    for (std::int64_t i = 0; i < width_; ++i) low_.push_back(root(i));
    for (std::int64_t i = 0; i * width_ < n; ++i) high_.push_back(root(i * width_));
  }
  std::complex<double> operator()(std::int64_t m) const {
    const std::int64_t r = m % n_;
    return high_[static_cast<std::size_t>(r / width_)] * low_[static_cast<std::size_t>(r % width_)];
  }

 private:
  std::complex<double> root(std::int64_t m) const {
    const long double angle =
        -2 * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n_);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }
  std::int64_t n_;
  std::int64_t width_;
  std::vector<std::complex<double>> low_;
  std::vector<std::complex<double>> high_;
};

template <class T>
class TwiddleOperation : public Operation {
 public:
  TwiddleOperation(const TwiddleStep& step, const Layout& layout, int rank, Direction direction, Trace* trace)
      : step_(step), pieces_(layout.pieces(rank)), backward_(direction == Direction::backward), trace_(trace) {
    for (const auto& pair : step.pairs) roots_.emplace_back(pair.n);
  }

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::fft);
    const auto* source = reinterpret_cast<const std::complex<T>*>(in);
    auto* target = reinterpret_cast<std::complex<T>*>(out);
    for (const Piece& piece : pieces_)
      for_each_element(piece, [&](std::int64_t offset, const auto& index) {
        std::complex<double> factor = 1;
        for (std::size_t i = 0; i < roots_.size(); ++i)
          factor *= roots_[i](index[static_cast<std::size_t>(step_.pairs[i].s_axis)] *
                              index[static_cast<std::size_t>(step_.pairs[i].k_axis)]);
        if (backward_) factor = std::conj(factor);
        const std::complex<double> value(source[offset]);
        target[offset] = std::complex<T>(value * factor);
      });
  }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "twiddle"; }

 private:
  TwiddleStep step_;
  std::vector<Piece> pieces_;
  std::vector<RootTable> roots_;
  bool backward_;
  Trace* trace_;
};

template <class T>
class PromoteOperation : public Operation {
 public:
  PromoteOperation(std::int64_t count, Direction direction, Trace* trace)
      : count_(count), backward_(direction == Direction::backward), trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    if (backward_) {
      const auto* source = reinterpret_cast<const std::complex<T>*>(in);
      auto* target = reinterpret_cast<T*>(out);
      for (std::int64_t i = 0; i < count_; ++i) target[i] = source[i].real();
    } else {
      const auto* source = reinterpret_cast<const T*>(in);
      auto* target = reinterpret_cast<std::complex<T>*>(out);
      for (std::int64_t i = 0; i < count_; ++i) target[i] = source[i];
    }
  }
  std::string describe() const override { return backward_ ? "real part" : "promote"; }

 private:
  std::int64_t count_;
  bool backward_;
  Trace* trace_;
};

template <class T>
class HalfSpectrumOperation : public Operation {
 public:
  HalfSpectrumOperation(const HalfSpectrumStep& step, const Layout& layout, int rank, Trace* trace)
      : step_(step), pieces_(layout.pieces(rank)), trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    const auto* source = reinterpret_cast<const std::complex<T>*>(in);
    auto* target = reinterpret_cast<std::complex<T>*>(out);
    const std::int64_t half = step_.n / 2;
    for (const Piece& piece : pieces_)
      for_each_element(piece, [&](std::int64_t offset, const auto& index) {
        const std::int64_t k =
            index[static_cast<std::size_t>(step_.k1_axis)] + step_.n1 * index[static_cast<std::size_t>(step_.k2_axis)];
        const bool alone = k == 0 || (step_.n % 2 == 0 && k == half);
        // Above the half nothing was received: that memory is not a number to multiply.
        target[offset] = k > half ? std::complex<T>(0) : source[offset] * static_cast<T>(alone ? 1 : 2);
      });
  }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "double the paired modes"; }

 private:
  HalfSpectrumStep step_;
  std::vector<Piece> pieces_;
  Trace* trace_;
};

class CopyOperation : public Operation {
 public:
  CopyOperation(std::size_t bytes, Trace* trace) : bytes_(bytes), trace_(trace) {}
  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    if (bytes_ > 0 && in != out) std::memcpy(out, in, bytes_);
  }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "copy"; }

 private:
  std::size_t bytes_;
  Trace* trace_;
};

}  // namespace

std::unique_ptr<Operation> make_twiddle(const TwiddleStep& step, const Layout& layout, int rank, Direction direction,
                                        Precision precision, Trace* trace) {
  if (precision == Precision::f64)
    return std::make_unique<TwiddleOperation<double>>(step, layout, rank, direction, trace);
  return std::make_unique<TwiddleOperation<float>>(step, layout, rank, direction, trace);
}

std::unique_ptr<Operation> make_promote(std::int64_t count, Direction direction, Precision precision, Trace* trace) {
  if (precision == Precision::f64) return std::make_unique<PromoteOperation<double>>(count, direction, trace);
  return std::make_unique<PromoteOperation<float>>(count, direction, trace);
}

std::unique_ptr<Operation> make_half_spectrum(const HalfSpectrumStep& step, const Layout& layout, int rank,
                                              Precision precision, Trace* trace) {
  if (precision == Precision::f64) return std::make_unique<HalfSpectrumOperation<double>>(step, layout, rank, trace);
  return std::make_unique<HalfSpectrumOperation<float>>(step, layout, rank, trace);
}

std::unique_ptr<Operation> make_copy(std::size_t bytes, Trace* trace) {
  return std::make_unique<CopyOperation>(bytes, trace);
}

}  // namespace shardfft
