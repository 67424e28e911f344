#include "exec/pointwise_operation.hpp"

#include <functional>
#include <utility>

#include "geometry/schedule.hpp"
#include "pack/modes.hpp"
#include "pack/pack.hpp"
#include "pack/pointwise.hpp"

namespace shardfft {

namespace {

using Body = std::function<void(const std::byte* in, std::byte* out)>;

/// The differences between such steps.
struct PointwiseFacts {
  std::string text;
  bool in_place = true;
  Activity activity = Activity::copy;
  std::size_t table_bytes = 0;
};

class PointwiseOperation : public Operation {
 public:
  PointwiseOperation(PointwiseFacts facts, Trace* trace, Body body)
      : facts_(std::move(facts)), trace_(trace), body_(std::move(body)) {}
  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, facts_.activity);
    body_(in, out);
  }
  std::size_t table_bytes() const override { return facts_.table_bytes; }
  bool runs_in_place() const override { return facts_.in_place; }
  std::string describe() const override { return facts_.text; }

 private:
  PointwiseFacts facts_;
  Trace* trace_;
  Body body_;
};

}  // namespace

std::unique_ptr<Operation> make_pointwise(const Step& step, const State& before, const State& after,
                                          Precision precision, const OperationContext& context) {
  const int rank = context.comm.rank(), threads = context.threads;
  const ElementType element{precision, before.is_complex};
  const auto made = [&](PointwiseFacts facts, Body body) {
    return std::make_unique<PointwiseOperation>(std::move(facts), context.trace, std::move(body));
  };
  if (const auto* twiddles = std::get_if<TwiddleStep>(&step)) {
    const TwiddleTable table(twiddles->factors);
    return made({"twiddle", true, Activity::fft, table.bytes()},
                [=, sign = twiddles->sign, pieces = before.layout.pieces(rank)](const std::byte* in, std::byte* out) {
                  twiddle(in, out, table, pieces, sign, precision);
                });
  }
  if (const auto* promotes = std::get_if<PromoteStep>(&step))
    return made({promotes->sign == Direction::backward ? "real part" : "promote", false},
                [=, sign = promotes->sign, count = before.layout.count(rank)](const std::byte* in, std::byte* out) {
                  promote(in, out, count, sign, precision);
                });
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step))
    return made({"double the paired modes"},
                [=, modes = half->modes, pieces = before.layout.pieces(rank)](const std::byte* in, std::byte* out) {
                  half_spectrum(in, out, modes, pieces, precision);
                });
  if (const auto* keeps = std::get_if<ModesStep>(&step))
    return made({describe_modes(*keeps), false},
                [=, move = keeps->sign == Direction::forward ? keep_modes : pad_modes, modes = keeps->modes,
                 from = only_piece(before.layout, rank), to = only_piece(after.layout, rank)](
                    const std::byte* in, std::byte* out) { move(in, from, out, to, modes, element, threads); });
  if (const auto* factors = std::get_if<OperatorStep>(&step))
    return made({"operator"},
                [=, all = factors->factors, pieces = before.layout.pieces(rank)](const std::byte* in, std::byte* out) {
                  multiply(in, out, *all->at(rank), pieces, element, threads);
                });
  return nullptr;
}

std::unique_ptr<Operation> make_copy(std::size_t bytes, Trace* trace) {
  return std::make_unique<PointwiseOperation>(PointwiseFacts{"copy"}, trace,
                                              [bytes](const std::byte* in, std::byte* out) {
                                                if (in != out) copy_bytes(in, out, bytes);
                                              });
}

}  // namespace shardfft
