#include "exec/compile.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/available_memory.hpp"
#include "base/check.hpp"
#include "exchange/blocks.hpp"
#include "exec/cannon_operation.hpp"
#include "exec/fft_operation.hpp"
#include "exec/gather_fft.hpp"
#include "exec/host_target.hpp"
#include "exec/in_place_operation.hpp"
#include "exec/pipeline.hpp"
#include "exec/pointwise_operation.hpp"
#include "exec/program_checks.hpp"
#include "exec/real_in_place.hpp"
#include "geometry/staying_part.hpp"
#include "lower/orders.hpp"
#include "lower/transforms.hpp"

namespace shardfft {

namespace {

/// The name of a change of layout in a way, the same in both directions: the parts of each axis, without the batch.
std::string change_name(const Layout& from, const Layout& to) {
  std::string sides[2];
  for (int side = 0; side < 2; ++side) {
    const Layout& layout = side == 0 ? from : to;
    for (int a = 1; layout.is_grid() && a < layout.axes(); ++a)
      sides[side].append(a == 1 ? "" : "x").append(std::to_string(layout.parts(a).size()));
    if (!layout.is_grid()) sides[side] = "boxes";
  }
  return std::min(sides[0], sides[1]) + " - " + std::max(sides[0], sides[1]);
}

class HostCompiler : public Compiler<Task> {
 public:
  HostCompiler(const ExecutorSetup& setup, const NamedProgram& program, HostTarget& target, HostMemory* host,
               HostPart& control, Groups& groups, LocalFfts& ffts, Trace* trace, Alone& alone)
      : Compiler(program.program, program.scale, target, !setup.options.overwrite_input),
        setup_(setup),
        target_(target),
        in_place_(target.one_array()),
        host_(host),
        ffts_(ffts),
        context_{setup.comm,
                 &groups,
                 setup.numbers,
                 setup.options.threads,
                 setup.options.fake_ranks_per_host,
                 setup.options.datatypes == Datatypes::basic,
                 trace,
                 setup.watch,
                 &alone},
        control_(control),
        alone_(alone) {
    const Lowered& lowered = *this;
    if (setup.options.verify) alone.run([&] { checks_ = std::make_unique<ProgramChecks>(setup, lowered); });
  }

 private:
  void make(Task& task, std::size_t number) override {
    lines_.reset();
    if (checks_) alone_.run([&] { lines_ = checks_->lines(number); });
    before_ = std::exchange(behind_, divided_behind(number));
    task.operation = make_operation(fused_tasks()[number]);
    task.keeps = before_ || behind_;
    if (before_) task.from_state.layout = before_->leaving();
    if (behind_) task.to_state.layout = behind_->leaving();
    if (!checks_) return;
    alone_.run([&] {
      task.checks.push_back(lines_ ? lines_ : checks_->other(number, *task.operation));
      if (auto scatter = checks_->scatter(number)) task.checks.push_back(std::move(scatter));
    });
  }
  void copy(Task& task) override {
    task.operation = make_copy(state_bytes(task.from_state, setup_.precision, setup_.comm.rank()), context_.trace);
    if (checks_) task.checks.push_back(checks_->copy());
  }
  std::optional<StayingPart> divided_behind(std::size_t number) const;
  std::size_t element_bytes(const State& state) const { return shardfft::element_bytes(state, setup_.precision); }

  std::unique_ptr<Operation> make_operation(const FusedTask& fused);
  std::unique_ptr<Operation> make_operation(const LoweredStep& one);
  std::unique_ptr<Operation> make_fft(const LoweredStep& one);
  std::unique_ptr<Operation> make_fft_in_place(const LoweredStep& one, const FftSpec& spec, const StepFfts& ffts);
  std::unique_ptr<Operation> make_cannon(const LoweredStep& one);
  ReshapeSetup message_setup(const State& from, const State& to) const;
  std::unique_ptr<Operation> make_message_reshape(const FusedTask& fused);
  HostReshapeSetup host_setup(const LoweredStep& one);
  std::unique_ptr<Operation> make_shared_reshape(const LoweredStep& one);
  std::unique_ptr<Operation> make_gather(const FusedTask& fused);
  std::unique_ptr<Operation> make_padded(const LoweredStep& fft, const LoweredStep& modes);
  std::unique_ptr<Exchange> remote_exchange(const HostReshapeSetup& setup, const Communicator& members) const;
  BundledFftSetup bundled(const LocalTransform& local) const;

  const ExecutorSetup& setup_;
  const HostTarget& target_;
  bool in_place_;  ///< all steps run so, with little memory beside the array
  HostMemory* host_;
  LocalFfts& ffts_;
  OperationContext context_;
  HostPart& control_;  ///< of the turn counters that are still free
  Alone& alone_;
  std::unique_ptr<ProgramChecks> checks_;       ///< with the option verify
  std::shared_ptr<LinesCheck> lines_;           ///< with that option: of the transform that is being made
  std::optional<StayingPart> before_, behind_;  ///< the arrays of the task that is being made, if they are divided
};

/// The array behind a transform in bundles, if the next task gathers from it and ends in the output: the elements that
/// stay on their rank lie in the output, where the last transform finds each of them in its place. Only the others take
/// memory that ranks share. The same on all ranks.
std::optional<StayingPart> HostCompiler::divided_behind(std::size_t number) const {
  if (host_ == nullptr || in_place_ || setup_.options.in_place || checks_ || number + 1 >= fused_tasks().size())
    return {};
  const FusedTask &fused = fused_tasks()[number], &next = fused_tasks()[number + 1];
  const auto gathers = [this](const FusedTask& task) {
    return task.size() == 2 && is_reshape(task[0]) && transforms(task[1]);
  };
  if (!gathers(next) || next[1].to != output_array || next[0].from != fused.back().to ||
      fused.front().from == fused.back().to)
    return {};
  if (!gathers(fused)) {
    if (fused.size() > 1 || !transforms(fused[0])) return {};
    BundledFftSetup fft{transform(fused[0]), context_};
    fft.precision = setup_.precision;
    const std::int64_t cache = host_defaults().own_cache_bytes;  // as far as all ranks know
    for (fft.rank = 0; fft.rank < setup_.comm.size(); ++fft.rank)
      if (fft.before.layout.count(fft.rank) > 0 && !BundledFft::worth_it(fft, cache, cache)) return {};
  }
  const Layout &from = before(next[0]).layout, &to = after(next[0]).layout, &out = after(next[1]).layout;
  const auto& last = std::get<TransformStep>(step(next[1]));
  const std::optional<Layout> places =
      last.keeps_numbers() ? out : StayingPart::places_before_c2r(from, to, out, last.numbers());
  return places ? StayingPart::between(from, to, *places) : std::nullopt;
}

std::unique_ptr<Operation> HostCompiler::make_operation(const FusedTask& fused) {
  if (fused.size() == 1) return make_operation(fused.front());
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (std::holds_alternative<ModesStep>(step(fused[i]))) return make_padded(fused[1 - i], fused[i]);
  return host_ != nullptr ? make_gather(fused) : make_message_reshape(fused);
}

std::unique_ptr<Operation> HostCompiler::make_operation(const LoweredStep& one) {
  const Step& s = step(one);
  if (std::holds_alternative<TransformStep>(s)) return make_fft(one);
  if (is_reshape(one) && in_place_) {
    alone_.settle();
    return std::make_unique<InPlaceOperation>(before(one).layout, after(one).layout,
                                              message_setup(before(one), after(one)));
  }
  if (in_place_ && !can_run_in_place(s))
    fail(Status::unsupported, "the step '", step_name(s), "' cannot run in place: plan with workspace = fast");
  if (std::holds_alternative<CannonStep>(s)) return make_cannon(one);
  if (is_reshape(one)) return host_ != nullptr ? make_shared_reshape(one) : make_message_reshape({one});
  if (auto pointwise = make_pointwise(s, before(one), after(one), setup_.precision, context_)) return pointwise;
  fail(Status::unsupported, "no operation for the step '", step_name(s), "'");
}

std::unique_ptr<Operation> HostCompiler::make_fft(const LoweredStep& one) {
  std::unique_ptr<Operation> operation;
  alone_.run([&] {
    const LocalTransform fft = transform(one);
    const BundledFftSetup bundles = bundled(fft);
    if (!in_place_ && (behind_ || BundledFft::worth_it(bundles))) {
      operation = std::make_unique<BundledFft>(bundles);
      return;
    }
    const int rank = setup_.comm.rank();
    if (lines_) lines_->add_whole(only_piece(before(one).layout, rank), only_piece(after(one).layout, rank));
    FftSpec spec = fft_spec(fft, rank, setup_.precision);
    spec.threads = setup_.options.threads;
    spec.effort = setup_.options.effort;
    if (in_place_) {
      operation = make_fft_in_place(one, spec, bundles.ffts);
      return;
    }
    const bool may_alias = setup_.options.in_place && one.from == input_array && one.to == output_array;
    const bool in_place = fft.in_place || (may_alias && fft.step.keeps_numbers());
    operation = std::make_unique<FftOperation>(spec, bundles.ffts, in_place, !fft.in_place, context_.trace);
  });
  return operation;
}

std::unique_ptr<Operation> HostCompiler::make_fft_in_place(const LoweredStep& one, const FftSpec& spec,
                                                           const StepFfts& ffts) {
  const auto& fft = std::get<TransformStep>(step(one));
  if (!fft.keeps_numbers())
    return std::make_unique<RealInPlace>(fft, before(one), after(one), spec, ffts, context_.trace);
  require_same_order(before(one), after(one));
  return std::make_unique<FftOperation>(spec, ffts, true, false, context_.trace);
}

std::unique_ptr<Operation> HostCompiler::make_cannon(const LoweredStep& one) {
  std::unique_ptr<Operation> operation;
  // One rank may run out of memory for the matrix.
  alone_.run([&] {
    const auto& cannon = std::get<CannonStep>(step(one));
    ProductSetup product{context_};
    product.before = before(one).layout;
    product.after = after(one).layout;
    product.axis = cannon.axis;
    product.direction = cannon.sign;
    product.precision = setup_.precision;
    product.scale = one.scale;
    product.half = cannon.half;
    product.global_transpose = cannon.global_transpose;
    product.local_matrix = cannon.local_matrix;
    operation = std::make_unique<CannonOperation>(product);
  });
  return operation;
}

ReshapeSetup HostCompiler::message_setup(const State& from, const State& to) const {
  ReshapeSetup reshape{context_};
  const auto own = setup_.way.exchanges.find(change_name(from.layout, to.layout));
  reshape.exchange = own == setup_.way.exchanges.end() ? setup_.way.exchange : own->second;
  reshape.element_bytes = element_bytes(from);
  return reshape;
}

/// A reshape by messages, with the transforms at its ends in chunks.
std::unique_ptr<Operation> HostCompiler::make_message_reshape(const FusedTask& fused) {
  const Joined steps = joined(fused);
  PipelineSetup pipeline{steps.from.layout, steps.to.layout, message_setup(steps.from, steps.to)};
  if (steps.before) pipeline.before = bundled(*steps.before);
  if (steps.after) pipeline.after = bundled(*steps.after);
  if (fused.size() > 1) pipeline.pieces = in_pieces(steps.steps(), setup_.options.chunks);
  return make_pipeline(pipeline);
}

HostReshapeSetup HostCompiler::host_setup(const LoweredStep& one) {
  HostReshapeSetup setup{context_};
  setup.from = before(one).layout;
  setup.to = after(one).layout;
  setup.rank = setup_.comm.rank();
  setup.element_bytes = element_bytes(before(one));
  setup.host = host_;
  setup.control = control_;
  control_.offset += TurnCounter::bytes_each;
  setup.members = exchange_group(setup.from, setup.to, setup.rank);
  return setup;
}

/// Point-to-point messages to and from the members on other hosts; null if there are none. Collective over the members.
std::unique_ptr<Exchange> HostCompiler::remote_exchange(const HostReshapeSetup& setup,
                                                        const Communicator& members) const {
  if (host_->holds(setup.members)) return nullptr;
  ExchangeSetup remote{context_};
  remote.comm = members;
  remote.schedule = only_peers(make_schedule(setup.from, setup.to, setup.rank),
                               [this](int peer) { return host_->host_rank(peer) < 0; });
  for (auto* messages : {&remote.schedule.send, &remote.schedule.recv}) renumber(*messages, setup.members);
  remote.element_bytes = setup.element_bytes;
  return make_exchange("p2p", remote);
}

BundledFftSetup HostCompiler::bundled(const LocalTransform& local) const {
  BundledFftSetup fft{local, context_};
  fft.rank = setup_.comm.rank();
  fft.precision = setup_.precision;
  fft.effort = setup_.options.effort;
  fft.ffts = ffts_.step(name_fft(fft.step, fft.before), !fft.step.keeps_numbers());
  fft.bytes_past_cache = setup_.way.past_cache;
  fft.from = fft.before.layout;
  fft.to = fft.after.layout;
  fft.check = lines_;
  if (behind_) fft.targets = behind_->targets(fft.rank);
  if (behind_) fft.divided = behind_->axis;
  return fft;
}

/// A reshape over shared memory, with messages to and from other hosts.
std::unique_ptr<Operation> HostCompiler::make_shared_reshape(const LoweredStep& one) {
  const HostReshapeSetup setup = host_setup(one);
  std::unique_ptr<Exchange> remote;
  if (!target_.stays_on_hosts(program(), one.step)) {
    const Communicator members = context_.groups->of(setup.members);
    const Failure failure = failure_of([&] { remote = remote_exchange(setup, members); });
    alone_.run([&] { throw_failure(failure); });
  }
  return make_host_reshape(setup, std::move(remote));
}

/// A transform whose lines are read from their places before a reshape. If there is a second reshape, the results are
/// written to their places behind it.
std::unique_ptr<Operation> HostCompiler::make_gather(const FusedTask& fused) {
  const HostReshapeSetup gather = host_setup(fused[0]);
  std::optional<HostReshapeSetup> scatter;
  if (fused.size() > 2) scatter = host_setup(fused[2]);
  std::unique_ptr<Operation> operation;
  alone_.run([&] {
    BundledFftSetup fft = bundled(transform(fused[1]));
    fft.from = gather.from;
    if (before_) fft.sources = before_->sources(fft.rank);
    if (scatter) fft.to = scatter->to;
    operation = make_gather_fft(gather, fft, scatter ? &*scatter : nullptr);
  });
  return operation;
}

/// A transform of lines that are padded in their bundles, or that stores only the first points of its results.
std::unique_ptr<Operation> HostCompiler::make_padded(const LoweredStep& fft, const LoweredStep& modes) {
  std::unique_ptr<Operation> operation;
  alone_.run([&] {
    const double bytes = static_cast<double>(state_bytes(before(fft), setup_.precision, setup_.comm.rank()));
    if (!setup_.comm.imagined()) require_fits_host(bytes, "an array of this plan");
    BundledFftSetup setup = bundled(transform(fft));
    setup.pads = modes.step < fft.step;
    (setup.pads ? setup.from : setup.to) = (setup.pads ? before(modes) : after(modes)).layout;
    operation = std::make_unique<BundledFft>(setup);
  });
  return operation;
}

/// The groups of all reshapes that send messages: a reshape has those of its reverse. Throws, on all ranks, if the way
/// has an exchange for another. Collective.
Groups make_groups(const std::vector<NamedProgram>& programs, const HostTarget& target, const ExecutorSetup& setup) {
  std::vector<Groups::Members> groups;
  std::vector<std::size_t> as;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;
  std::map<std::string, std::string> others = setup.way.exchanges;
  for (const NamedProgram& named : programs)
    for (std::size_t i = 0; i < named.program.steps.size(); ++i) {
      const Layout &from = named.program.states[i].layout, &to = named.program.states[i + 1].layout;
      if (!std::holds_alternative<ReshapeStep>(named.program.steps[i]) ||
          target.stays_on_hosts(named.program, static_cast<int>(i)))
        continue;
      ends.emplace_back(std::minmax({from.fingerprint(), to.fingerprint()}));
      as.push_back(static_cast<std::size_t>(std::find(ends.begin(), ends.end(), ends.back()) - ends.begin()));
      groups.push_back(exchange_group(from, to, setup.comm.rank()));
      if (!target.one_array()) others.erase(change_name(from, to));
    }
  require(others.empty(), "the option way does not fit this plan: no change of layout '",
          others.empty() ? "" : others.begin()->first, "' in messages has an exchange of its own");
  return Groups(setup.comm, groups, as);
}

std::size_t reshapes(const std::vector<NamedProgram>& programs) {
  std::size_t count = 0;
  for (const NamedProgram& named : programs)
    for (const Step& step : named.program.steps) count += std::holds_alternative<ReshapeStep>(step) ? 1 : 0;
  return count;
}

}  // namespace

std::vector<std::vector<Task>> compile(const ExecutorSetup& setup, const std::vector<NamedProgram>& programs,
                                       HostMemory* host, LocalFfts& ffts, Alone& alone, Trace* trace, int trace_step) {
  HostPart control;
  if (host != nullptr) alone.run([&] { control = host->take(reshapes(programs) * TurnCounter::bytes_each); });
  if (host != nullptr && host->host().size() < setup.comm.size()) alone.settle();  // other hosts do not know
  HostTarget target(setup, host);
  Groups groups = make_groups(programs, target, setup);
  std::vector<std::vector<Task>> tasks;
  for (const NamedProgram& program : programs)
    tasks.push_back(HostCompiler(setup, program, target, host, control, groups, ffts, trace, alone).run(trace_step));
  return tasks;
}

}  // namespace shardfft
