#include "exec/pointwise_operation.hpp"

#include <utility>

#include "pack/pack.hpp"
#include "pack/pointwise.hpp"

namespace shardfft {

namespace {

class TwiddleOperation : public Operation {
 public:
  TwiddleOperation(const TwiddleFactors& factors, std::vector<Piece> pieces, Direction direction, Precision precision,
                   Trace* trace)
      : table_(factors), pieces_(std::move(pieces)), direction_(direction), precision_(precision), trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::fft);
    twiddle(in, out, table_, pieces_, direction_, precision_);
  }
  std::size_t table_bytes() const override { return table_.bytes(); }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "twiddle"; }

 private:
  TwiddleTable table_;
  std::vector<Piece> pieces_;
  Direction direction_;
  Precision precision_;
  Trace* trace_;
};

class PromoteOperation : public Operation {
 public:
  PromoteOperation(std::int64_t count, Direction direction, Precision precision, Trace* trace)
      : count_(count), direction_(direction), precision_(precision), trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    promote(in, out, count_, direction_, precision_);
  }
  std::string describe() const override { return direction_ == Direction::backward ? "real part" : "promote"; }

 private:
  std::int64_t count_;
  Direction direction_;
  Precision precision_;
  Trace* trace_;
};

class HalfSpectrumOperation : public Operation {
 public:
  HalfSpectrumOperation(const HalfSpectrum& modes, std::vector<Piece> pieces, Precision precision, Trace* trace)
      : modes_(modes), pieces_(std::move(pieces)), precision_(precision), trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    half_spectrum(in, out, modes_, pieces_, precision_);
  }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "double the paired modes"; }

 private:
  HalfSpectrum modes_;
  std::vector<Piece> pieces_;
  Precision precision_;
  Trace* trace_;
};

class OperatorOperation : public Operation {
 public:
  OperatorOperation(const OperatorStep& step, int rank, std::vector<Piece> pieces, ElementType element, int threads,
                    Trace* trace)
      : step_(step), rank_(rank), pieces_(std::move(pieces)), element_(element), threads_(threads), trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    multiply(in, out, *step_.factors->at(rank_), pieces_, element_, threads_);
  }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "operator"; }

 private:
  OperatorStep step_;
  int rank_;
  std::vector<Piece> pieces_;
  ElementType element_;
  int threads_;
  Trace* trace_;
};

class CopyOperation : public Operation {
 public:
  CopyOperation(std::size_t bytes, Trace* trace) : bytes_(bytes), trace_(trace) {}
  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    if (in != out) copy_bytes(in, out, bytes_);
  }
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return "copy"; }

 private:
  std::size_t bytes_;
  Trace* trace_;
};

}  // namespace

std::unique_ptr<Operation> make_pointwise(const Step& step, const State& before, int rank, Precision precision,
                                          int threads, Trace* trace) {
  if (const auto* twiddle = std::get_if<TwiddleStep>(&step))
    return std::make_unique<TwiddleOperation>(twiddle->factors, before.layout.pieces(rank), twiddle->sign, precision,
                                              trace);
  if (const auto* promote = std::get_if<PromoteStep>(&step))
    return std::make_unique<PromoteOperation>(before.layout.count(rank), promote->sign, precision, trace);
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step))
    return std::make_unique<HalfSpectrumOperation>(half->modes, before.layout.pieces(rank), precision, trace);
  if (const auto* factors = std::get_if<OperatorStep>(&step))
    return std::make_unique<OperatorOperation>(*factors, rank, before.layout.pieces(rank),
                                               ElementType{precision, before.is_complex}, threads, trace);
  return nullptr;
}

std::unique_ptr<Operation> make_copy(std::size_t bytes, Trace* trace) {
  return std::make_unique<CopyOperation>(bytes, trace);
}

}  // namespace shardfft
