#include "exec/modes_operation.hpp"

#include "geometry/schedule.hpp"
#include "pack/modes.hpp"

namespace shardfft {

namespace {

class ModesOperation : public Operation {
 public:
  ModesOperation(const ModesStep& step, const State& before, const State& after, int rank, Precision precision,
                 int threads, Trace* trace)
      : step_(step),
        before_(only_piece(before.layout, rank)),
        after_(only_piece(after.layout, rank)),
        element_{precision, before.is_complex},
        threads_(threads),
        trace_(trace) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    const Scope scope(trace_, Activity::copy);
    const auto move = step_.sign == Direction::forward ? keep_modes : pad_modes;
    move(in, before_, out, after_, step_.modes, element_, threads_);
  }
  std::string describe() const override { return describe_modes(step_); }

 private:
  ModesStep step_;
  Piece before_;
  Piece after_;
  ElementType element_;
  int threads_;
  Trace* trace_;
};

}  // namespace

std::unique_ptr<Operation> make_modes(const ModesStep& step, const State& before, const State& after, int rank,
                                      Precision precision, int threads, Trace* trace) {
  return std::make_unique<ModesOperation>(step, before, after, rank, precision, threads, trace);
}

}  // namespace shardfft
