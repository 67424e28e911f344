#include "exec/program_checks.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "pack/block_sums.hpp"

namespace shardfft {

namespace {

/// For a step that is a loop over elements: runs it twice and compares the results.
class RepeatCheck : public HostCheck {
 public:
  RepeatCheck(Operation& operation, std::size_t in_bytes, std::size_t out_bytes)
      : operation_(operation), in_bytes_(in_bytes), out_bytes_(out_bytes), copy_(allocate_aligned(out_bytes)) {}
  void before(const std::byte* in, bool /*compares_bits*/) override {
    operation_.run(in, copy_.get(), nullptr);
    bits_.read = word_sum(in, in_bytes_);
  }
  void after(const std::byte* out) override {
    same_ = out_bytes_ == 0 || std::memcmp(copy_.get(), out, out_bytes_) == 0;
    bits_.written = word_sum(out, out_bytes_);
  }
  Finding finding() const override { return repeat_finding(same_); }
  std::size_t table_bytes() const override { return out_bytes_; }

 private:
  Operation& operation_;
  std::size_t in_bytes_, out_bytes_;
  AlignedMemory copy_;
  bool same_ = true;
};

}  // namespace

ProgramChecks::ProgramChecks(const ExecutorSetup& setup, const Lowered& lowered)
    : setup_(setup), program_(lowered), fused_tasks_(lowered.fused_tasks()) {
  for (const FusedTask& fused : fused_tasks_) {
    const LoweredStep& first = fused.front();
    if (std::holds_alternative<CannonStep>(program_.step(first)))
      fail(Status::unsupported, "the option verify cannot check matrix products: choose another algorithm than cannon");
    const auto sums_of = [&](const LoweredStep& one) {
      return std::make_shared<MoveSums>(program_.before(one).layout, program_.after(one).layout, setup.comm.rank(),
                                        element_bytes(program_.before(one), setup.precision));
    };
    moves_.push_back(program_.is_reshape(first) ? sums_of(first) : nullptr);
    scatters_.push_back(fused.size() > 1 && !program_.transforms(fused.back()) ? sums_of(fused.back()) : nullptr);
    if (scatters_.back() && !scatters_.back()->sends_all())
      fail(Status::internal, "a transform whose results go to no rank cannot be checked");
  }
}

/// The only transform of a fused task; null if it has none.
const LoweredStep* ProgramChecks::transform_of(const FusedTask& fused) const {
  const auto found =
      std::find_if(fused.begin(), fused.end(), [this](const LoweredStep& one) { return program_.transforms(one); });
  return found == fused.end() ? nullptr : &*found;
}

/// Whether the task reads the array with the axes of the one before; a view in between changes the axes.
bool ProgramChecks::adjacent(std::size_t task) const {
  return task > 0 && task < fused_tasks_.size() &&
         fused_tasks_[task - 1].back().step + 1 == fused_tasks_[task].front().step;
}

/// Whether the transform that writes the source of this move sums it; then the move need not.
bool ProgramChecks::source_is_added_up(std::size_t move) const {
  return adjacent(move) && program_.transforms(fused_tasks_[move - 1].back()) && moves_[move]->sends_all();
}

/// Whether the transform that reads the result of this move sums it, in a task of its own.
bool ProgramChecks::result_is_added_up(std::size_t move) const {
  return adjacent(move + 1) && program_.transforms(fused_tasks_[move + 1].front()) && moves_[move]->receives_all();
}

std::shared_ptr<LinesCheck> ProgramChecks::lines(std::size_t task) const {
  const LoweredStep* const found = transform_of(fused_tasks_[task]);
  if (found == nullptr) return nullptr;
  const LoweredStep& fft = *found;
  LinesCheckSetup lines;
  lines.step = std::get<TransformStep>(program_.step(fft));
  lines.is_complex = program_.before(fft).is_complex;
  lines.precision = setup_.precision;
  lines.scale = fft.scale;
  lines.threads = setup_.options.threads;
  lines.gathers = moves_[task] != nullptr;
  if (lines.gathers) {
    lines.from = moves_[task];
    lines.walks_input = !source_is_added_up(task);
  } else if (task > 0 && moves_[task - 1] && fused_tasks_[task - 1].size() == 1 && result_is_added_up(task - 1)) {
    lines.from = moves_[task - 1];
  }
  lines.scatters = scatters_[task] != nullptr;
  if (lines.scatters)
    lines.to = scatters_[task];
  else if (task + 1 < fused_tasks_.size() && moves_[task + 1] && source_is_added_up(task + 1))
    lines.to = moves_[task + 1];
  lines.last = task + 1 == fused_tasks_.size() && !lines.scatters;
  return std::make_shared<LinesCheck>(lines);
}

std::shared_ptr<HostCheck> ProgramChecks::scatter(std::size_t task) const {
  return scatters_[task] ? make_move_check(scatters_[task], false, true) : nullptr;
}

std::shared_ptr<HostCheck> ProgramChecks::other(std::size_t task, Operation& operation) const {
  const LoweredStep& one = fused_tasks_[task].front();
  if (moves_[task]) return make_move_check(moves_[task], !source_is_added_up(task), !result_is_added_up(task));
  return std::make_shared<RepeatCheck>(operation, bytes(program_.before(one)), bytes(program_.after(one)));
}

std::shared_ptr<HostCheck> ProgramChecks::copy() const {
  const State& all = program_.program().states.front();
  const auto sums =
      std::make_shared<MoveSums>(all.layout, all.layout, setup_.comm.rank(), element_bytes(all, setup_.precision));
  return make_move_check(sums, true, true);
}

}  // namespace shardfft
