#pragma once
// The inside of a plan.
#include <memory>
#include <optional>
#include <vector>

#include "api/members.hpp"
#include "api/operator_rep.hpp"
#include "api/plan_wisdom.hpp"
#include "api/problem.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// Arguments of a plan, and what a rank sees of them alone.
struct Examined {
  ProblemSpec spec{};
  Way way{};  ///< of the option, if it is given
  std::vector<Backend> local_ffts{};
};

struct Plan::Impl : Members {
  Transform transform;
  ProblemSpec spec;          ///< the arguments
  std::vector<Sides> sides;  ///< by member
  std::size_t planning_bytes = 0;

  /// `seen`: room for this rank's arguments.
  Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
       const Options& o, Examined seen = {});
  /// The plan that imagined ranks would make, to look at; it takes from `way` all that no option sets. `gpus`: its
  /// transforms are those of GPUs.
  Impl(Communicator imagined, const ProblemSpec& given, const Way& way, bool gpus);
  /// Makes the runner, its programs and their sides; `setup` may have a given way. Collective.
  void make(ExecutorSetup setup);
  /// Checks `spec` unless all ranks have `seen` the same, and agrees on it; then makes the rest. Collective.
  void begin(const Ranks& who, ExecutorSetup setup, Examined seen = {});
  /// All its choices, on all ranks. Collective on GPUs.
  Way way() const;
  const Sides& at(int member) const { return sides[index_of(member)]; }

  /// Forward, operator, backward. The program is made at the first call.
  void apply(const Operator& op, InputArrays in, OutputArrays out, const CallFacts& facts = {});
  /// The other direction with the factor of this one. The program is made at the first call.
  void adjoint(Direction of, InputArrays in, OutputArrays out);
  /// Convolution with a kernel; `facts` are those of the call's types.
  Operator convolution(InputArrays kernel, const detail::ArrayFacts& facts = {});

 private:
  /// A program that its first call makes; the number is 0 before that.
  struct Late {
    Call call;
    int number = 0;
  };
  /// The beginning of its call. `prepare`: this rank's own work before the ranks meet; gives what all ranks must have
  /// given alike, as a number, or 0.
  void begin_late(Late& late, const std::function<NamedProgram()>& make, InputArrays in, OutputArrays out,
                  const std::function<std::uint64_t()>& prepare);
  /// Makes the plan in the way that wisdom knows, checked like one of the option `way`; false on all ranks if wisdom
  /// knows none that fits.
  bool make_as_known(const PlanWisdom& wisdom, const ExecutorSetup& setup);
  /// An operator's factors, made once.
  struct Known {
    std::weak_ptr<const Operator::Rep> rep;
    FactorsInUse factors;
    std::uint64_t mark = 0;
  };
  const Known& factors_of(const Operator& op);

  Late apply_{Call::apply}, adjoints_[2] = {{Call::adjoint}, {Call::adjoint}};
  std::shared_ptr<FactorsInUse> in_use_ = std::make_shared<FactorsInUse>();
  std::vector<Known> known_;  ///< of operators that still exist
};

}  // namespace shardfft
