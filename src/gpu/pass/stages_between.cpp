// A transform between two arrays, in stages.
#include <algorithm>

#include "base/aligned.hpp"
#include "gpu/pass/fft_plan.hpp"

namespace shardfft::gpu {

namespace {

bool alike(const Loop& d) { return d.count == 1 || d.from == d.to; }

class Stages {
 public:
  Stages(const FftSpec& spec, const OwnPasses& own, bool sums_rows)
      : spec_(spec),
        groups_(spec, own),
        sums_rows_(sums_rows),
        same_strides_(std::all_of(spec.transform.begin(), spec.transform.end(), alike) &&
                      std::all_of(spec.batch.begin(), spec.batch.end(), alike)) {}

  StageList list() {
    const bool keeps_numbers = spec_.kind == Kind::c2c || spec_.kind == Kind::r2r;
    list_.in_place = spec_.in_place || (keeps_numbers && same_strides_);
    if (is_empty(spec_)) return list_;
    if (spec_.kind == Kind::c2r)
      plan_c2r();
    else
      plan_forward_order();
    return list_;
  }

 private:
  /// c2c, r2c and r2r: the first stage reads the input and writes the output, the others stay there.
  void plan_forward_order() {
    const std::vector<AxisGroup> groups = spec_.kind == Kind::r2r   ? groups_.single()
                                          : spec_.kind == Kind::r2c ? groups_.real(Strides::out)
                                                                    : groups_.complex(Strides::out);
    BufferPlace from{PassBuffer::in};
    if (spec_.in_place && !same_strides_) from = copied_input();
    if (groups.empty()) add_plain(from);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const bool first = g == 0;
      add(groups_.stage(first || spec_.kind == Kind::r2r ? spec_.kind : Kind::c2c, groups[g],
                        first ? Strides::in : Strides::out, Strides::out),
          first ? from : BufferPlace{PassBuffer::out}, {PassBuffer::out});
    }
  }

  /// The halved axis comes last. A c2r over several axes may write over its input. To keep the input, an axis that
  /// costs no more alone is first written to scratch, or else (also if all axes are in one call) the input is copied:
  /// by the kernel that prepares it for cuFFT, if there is one.
  void plan_c2r() {
    std::vector<AxisGroup> groups = groups_.real(Strides::in);
    if (groups.size() == 1 && spec_.preserve_input && groups.front().size() > 1 && !groups_.use().vendor &&
        alone_is_one_call(groups.front()[0]))
      groups = {AxisGroup(groups.front().begin() + 1, groups.front().end()), {groups.front().front()}};
    std::reverse(groups.begin(), groups.end());
    FftSpec last = groups_.stage(Kind::c2r, groups.back(), Strides::in, Strides::out);
    BufferPlace from{PassBuffer::in};
    const PassRecord* const pass = find_pass(last, use());
    const bool apart = spec_.in_place && !same_strides_, kept = groups.size() == 1 && spec_.preserve_input;
    last.preserve_input = kept && !apart && pass != nullptr && pass->scales_halves;
    const bool copied = apart || (kept && !last.preserve_input);
    if (copied) from = copied_input();
    const BufferPlace work = copied || last.preserve_input || !spec_.preserve_input ? from : scratch(input_bytes());
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      add(groups_.stage(Kind::c2c, groups[g], Strides::in, Strides::in), from, work);
      list_.stages.back().use.scales = false;
      from = work;
    }
    add(std::move(last), from, {PassBuffer::out});
  }

  PassUse use() const {
    PassUse use = groups_.use();
    use.sums_rows = sums_rows_;
    if (spec_.transform.size() == 1) use.lines = LinesFor::alone;
    return use;
  }
  void add(FftSpec stage, BufferPlace from, BufferPlace to) {
    list_.stages.push_back({std::move(stage), from, to, use()});
  }

  /// Whether one strided call of cuFFT transforms this axis of the input; the passes of the others stay the same.
  bool alone_is_one_call(std::size_t axis) const {
    return merged(groups_.stage(Kind::c2c, {axis}, Strides::in, Strides::in).batch).size() <= 1;
  }

  BufferPlace scratch(std::size_t bytes) {
    const BufferPlace place{PassBuffer::scratch, list_.scratch};
    list_.scratch += round_up(bytes, scratch_alignment);
    return place;
  }

  std::size_t input_bytes() const {
    return static_cast<std::size_t>(input_extent(input_loops(spec_))) * input_element(spec_).bytes();
  }

  /// A stage that only moves numbers of the input.
  FftSpec move_of(const Loops& loops) const {
    FftSpec move;
    move.kind = input_element(spec_).is_complex ? Kind::c2c : Kind::r2r;
    move.precision = spec_.precision;
    move.batch = loops;
    return move;
  }

  BufferPlace copied_input() {
    const BufferPlace copy = scratch(input_bytes());
    list_.stages.push_back({move_of({{input_extent(input_loops(spec_)), 1, 1}}), {PassBuffer::in}, copy, {}});
    return copy;
  }

  /// No axis has more than one point: the numbers only change places.
  void add_plain(BufferPlace from) { list_.stages.push_back({move_of(spec_.batch), from, {PassBuffer::out}, {}}); }

  FftSpec spec_;
  AxisGroups groups_;
  bool sums_rows_, same_strides_;
  StageList list_;
};

}  // namespace

StageList stages_between(const FftSpec& spec, const OwnPasses& own, bool sums_rows) {
  return Stages(spec, own, sums_rows).list();
}

}  // namespace shardfft::gpu
