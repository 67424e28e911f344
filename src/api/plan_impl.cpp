// A plan's making and its calls: checks the arguments, agrees on them over all ranks, and hands the work to the runner
// of its processor.
#include "api/plan_impl.hpp"

#include <unistd.h>

#include <algorithm>

#include "api/call_array.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

namespace {

/// Numbers of ranks that may be worth a trial in which the others rest. Collective.
std::vector<int> fewer_ranks(const Communicator& comm) {
  const HostDefaults& host = host_defaults();
  std::vector<int> numbers;
  if (comm.size() < host.ranks_that_may_rest) return numbers;
  const bool full = comm.size() >= sysconf(_SC_NPROCESSORS_ONLN);
  if (comm.min(std::int64_t{full ? 1 : 0}) == 0) return numbers;
  for (const double share : host.shares_of_ranks_to_try) numbers.push_back(static_cast<int>(share * comm.size()));
  return numbers;
}

}  // namespace

Plan::Impl::Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
                 const Options& o)
    : Members(who, o, {"plans", "the plan's"}), transform(t) {
  spec = {transform, in, out, kind, options, ranks(), place()};
  together([&] {
    close_gaps(spec);
    validate(spec);
  });
  if (comm.valid()) {
    agree_same(comm, spec);
    watch_calls(who, plan_name(spec));
  }
  make();
}

void Plan::Impl::make() {
  ExecutorSetup setup;
  Program program;
  Alternatives others;
  const bool chooses = options.algorithm == "auto";
  if (chooses && place() == Place::cpu) setup.host = std::make_shared<HostMemory>(comm, options.fake_ranks_per_host);
  const bool one_host = setup.host && setup.host->host().size() == comm.size();
  const std::vector<int> fewer = one_host ? fewer_ranks(comm) : std::vector<int>{};
  together([&] {
    Problem problem = make_problem(spec);
    problem.one_host = one_host;
    if (chooses) setup.choices.push_back(choose_algorithm(problem));
    program = make_program(options.algorithm, problem);
    if (chooses) others.programs = alternatives(problem, program, fewer);
    if (spec.with_gaps) std::erase_if(others.programs, [](const Program& p) { return !begins_with_transform(p); });
    if (place() == Place::cpu) setup.local_ffts.candidates = candidates(options.local_fft);
  });
  setup.precision = transform.precision;
  make_runner(std::move(setup), program);
  others.named = [this](const Program& lowered) { return make_programs(spec, lowered); };
  attempt([&] { runner->add(others.named(runner->lower(program))); });
  attempt([&] {
    if (auto faster = runner->fastest(others)) runner = std::move(faster);
  });
  const Program& forward = runner->programs()[forward_program].program;
  for (int m = 0; m < members(); ++m) sides.push_back(make_sides(spec, forward, rank_of(m)));
}

void Plan::Impl::check(int program, InputArrays in, OutputArrays out, const CallFacts& facts) const {
  check_count(in, out);
  for (std::size_t m = 0; m < sides.size(); ++m) {
    const Side& from = program == backward_program ? sides[m].output : sides[m].input;
    const Side& to = program == forward_program ? sides[m].output : sides[m].input;  // apply's are both the input
    try {
      shardfft::check_arrays({in[m], facts.in, from}, {out[m], facts.out, to});
    } catch (const Error& e) {
      if (sides.size() == 1) throw;
      fail(e.code(), "rank ", from.rank, ": ", e.what());
    }
  }
}

void Plan::Impl::run(int program, InputArrays in, OutputArrays out, const CallFacts& facts) {
  const Failure failure = failure_of([&] {
    check(program, in, out, facts);
    runner->check_arrays(program, in, out);
  });
  enter(program == forward_program ? Call::forward : Call::backward, failure);
  try {
    runner->run(program, in, out);
  } catch (...) {
    end(present_failure());
  }
}

std::size_t Plan::Impl::in_place_bytes(int member) const {
  const Sides& mine = at(member);
  return std::max({mine.input.bytes(), mine.output.bytes(), runner->in_place_bytes(member)});
}

Buffer Plan::Impl::allocate(Call call, int member) {
  const Sides& mine = at(member);
  std::size_t bytes = (call == Call::allocate_input ? mine.input : mine.output).bytes();
  if (options.workspace == Workspace::least) bytes = in_place_bytes(member);
  return Members::allocate(call, member, bytes);
}

}  // namespace shardfft
