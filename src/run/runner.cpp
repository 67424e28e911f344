#include "run/runner.hpp"

#include <algorithm>
#include <iterator>

#include "base/check.hpp"

namespace shardfft {

std::size_t Runner::in_place_bytes(const Program& program, int rank) const {
  std::size_t most = 0;
  for (const State& state : program.states)
    if (least() || &state == &program.states.front() || &state == &program.states.back())
      most = std::max(most, state_bytes(state, setup_.precision, rank));
  return most;
}

std::size_t Runner::in_place_bytes(int member) const {
  const int rank = this->member(member).rank;
  std::size_t most = 0;
  for (const NamedProgram& named : programs_) most = std::max(most, in_place_bytes(named.program, rank));
  return most;
}

bool Runner::require_one_array(int member, const std::byte* in, const std::byte* out) const {
  if (!least() || in_place_bytes(member) == 0) return false;
  require(in == out,
          "plans with workspace = least transform one array in place: input and output must be the same pointer");
  return true;
}

void Runner::refuse_if_half_way() const {
  if (half_way_) fail(Status::backend_failure, "an earlier call of this plan failed half-way: make a new plan");
}

void Runner::append(std::vector<NamedProgram> programs) {
  programs_.insert(programs_.end(), std::make_move_iterator(programs.begin()), std::make_move_iterator(programs.end()));
  ready_ = false;
}

}  // namespace shardfft
