#pragma once
// What a plan is inside.
#include <memory>
#include <vector>

#include "api/call_check.hpp"
#include "api/members.hpp"
#include "api/operator_rep.hpp"
#include "api/problem.hpp"
#include "api/trace_file.hpp"
#include "exec/runner.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

struct Plan::Impl {
  std::vector<int> devices;  ///< none over a communicator
  Communicator comm;         ///< none over devices
  Transform transform;
  Options options;
  ProblemSpec spec;                  ///< what all of it was made of
  std::unique_ptr<CallCheck> calls;  ///< null over devices
  std::vector<Sides> sides;          ///< by member
  std::unique_ptr<Runner> runner;
  std::unique_ptr<TraceFile> trace_file;

  Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
       const Options& o);
  ~Impl() {
    if (calls && calls->given_up())
      comm.abandon();
    else if (runner && trace_file)
      trace_file->write(*runner);
  }
  void enter(Call call, const Failure& mine = {}) const {
    if (calls)
      calls->enter(call, mine);
    else if (mine.failed())
      throw Error(mine.code, mine.text);
  }
  int ranks() const { return comm.valid() ? comm.size() : static_cast<int>(devices.size()); }
  int members() const { return comm.valid() ? 1 : ranks(); }
  Place place() const {
    if (!comm.valid()) return Place::devices;
    return options.processor == Processor::gpu ? Place::gpu : Place::cpu;
  }
  /// The runner, its programs, and the sides that these leave. Collective.
  void make();
  const Sides& at(int member) const {
    require(member >= 0 && member < members(), "member ", member, " is not one of the ", members(),
            " that this process has of the plan's ", ranks(), " ranks");
    return sides[static_cast<std::size_t>(member)];
  }
  /// Throws for what is wrong with this process's arrays.
  void check(int program, InputArrays in, OutputArrays out, const CallFacts& facts) const;
  /// What all ranks agreed on to run.
  void start(int program, InputArrays in, OutputArrays out);
  /// Forward or backward.
  void run(int program, InputArrays in, OutputArrays out, const CallFacts& facts = {});
  std::size_t in_place_bytes(int member) const;
  Buffer allocate(Call call, int member);

  /// Forward, operator, backward. The program is made at the first call.
  void apply(const Operator& op, InputArrays in, OutputArrays out, const CallFacts& facts = {});
  /// Convolution with a kernel, of which the types of the call tell `facts`.
  Operator convolution(InputArrays kernel, const detail::ArrayFacts& facts = {});

 private:
  FactorsInUse factors_of(const Operator& op);

  std::shared_ptr<FactorsInUse> in_use_ = std::make_shared<FactorsInUse>();
  /// Factors made for operators that still exist.
  std::vector<std::pair<std::weak_ptr<const Operator::Rep>, FactorsInUse>> known_;
};

}  // namespace shardfft
