#include "gpu/pass/device_fft.hpp"

#include <algorithm>
#include <vector>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "device/plane_pass.hpp"
#include "gpu/pass/axis_groups.hpp"
#include "gpu/pass/device_fft_trial.hpp"
#include "gpu/pass/padded_fft.hpp"
#include "gpu/pass/placed_passes.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

constexpr std::size_t scratch_alignment = 256;

class Planner {
 public:
  /// `rows`: contiguous axes by passes with checks, where all passes check themselves then (option verify).
  explicit Planner(const FftSpec& spec, OwnPasses own = {}, bool rows = false)
      : spec_(spec), groups_(spec, own), rows_(rows) {
    same_strides_ = std::all_of(spec.transform.begin(), spec.transform.end(), alike) &&
                    std::all_of(spec.batch.begin(), spec.batch.end(), alike);
  }

  std::unique_ptr<DeviceOperation> plan() {
    plan_stages();
    give_scale();
    rows_ = rows_ && all_check_themselves();
    for (const Stage& stage : stages_) add(stage);
    if (spec_.scale != 1 && !is_empty(spec_) && !scales())
      passes_.push_back({{RunArray::out},
                         {RunArray::out},
                         make_scale_pass(points(output_loops(spec_)), output_element(spec_), spec_.scale)});
    share_scratch();
    const bool keeps_numbers = spec_.kind == Kind::c2c || spec_.kind == Kind::r2r;
    const bool in_place = spec_.in_place || (keeps_numbers && same_strides_);
    return std::make_unique<DeviceFft>(std::move(passes_), scratch_, in_place, describe());
  }

  bool runs_where_it_lies() {
    plan_stages();
    if (is_empty(spec_)) return true;
    return !stages_.empty() && passes_.empty() &&
           std::none_of(stages_.begin(), stages_.end(), [this](const Stage& stage) {
             return stage.spec.kind != Kind::r2r && !groups_.takes_planes(stage.spec) && !takes_lines(stage.spec) &&
                    !transposed_pass_pays(stage.spec) && !cufft_pass_fits(stage.spec, gpu_defaults().most_vendor_calls);
           });
  }

  /// Whether all passes add up their lines themselves.
  bool checks_itself() {
    plan_stages();
    return all_check_themselves();
  }

  /// Whether the scale costs no pass of its own.
  bool scales_free() {
    plan_stages();
    return stages_.empty() ? is_empty(spec_) : std::any_of(stages_.begin(), stages_.end(), [this](const Stage& stage) {
      return scales_itself(stage);
    });
  }

 private:
  /// A part of the transform that reads one array and writes one.
  struct Stage {
    FftSpec spec;
    Spot from, to;
  };

  /// Of half a spectrum cuFFT takes one axis, so that other axes may be alone as well.
  LinesFor lines_for(const FftSpec& stage) const {
    const bool alone = stage.transform.size() == 1 && (spec_.transform.size() == 1 || spec_.kind == Kind::c2r);
    return alone ? LinesFor::alone : LinesFor::speed;
  }
  bool takes_lines(const FftSpec& stage) const { return line_pass_fits(stage, lines_for(stage)); }
  bool all_check_themselves() const {
    const bool scaled = spec_.scale == 1 || std::any_of(stages_.begin(), stages_.end(),
                                                        [this](const Stage& stage) { return scales_itself(stage); });
    return scaled && passes_.empty() && std::all_of(stages_.begin(), stages_.end(), [this](const Stage& stage) {
             const auto n = [&stage](std::size_t axis) { return static_cast<int>(stage.spec.transform[axis].n); };
             if (groups_.takes_planes(stage.spec)) return device::lines::planes_checkable(n(0), n(1));
             if (takes_lines(stage.spec)) return device::lines::checkable(n(0));
             return rows_ && row_pass_fits(stage.spec);
           });
  }
  bool scales_itself(const Stage& stage) const {
    return stage.spec.kind == Kind::r2r || takes_lines(stage.spec) || groups_.takes_planes(stage.spec);
  }
  static bool alike(const FftDim& d) { return d.n == 1 || d.in_stride == d.out_stride; }

  void plan_stages() {
    if (is_empty(spec_)) return;
    if (spec_.kind == Kind::c2r)
      plan_c2r();
    else
      plan_forward_order();
  }

  /// c2c, r2c and r2r: the first stage leads from the input to the output, the others stay there.
  void plan_forward_order() {
    const std::vector<AxisGroup> groups = spec_.kind == Kind::r2r   ? groups_.single()
                                          : spec_.kind == Kind::r2c ? groups_.real(Strides::out)
                                                                    : groups_.complex(Strides::out);
    Spot from{RunArray::in};
    if (spec_.in_place && !same_strides_) from = copied_input();
    if (groups.empty()) add_plain(from);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const bool first = g == 0;
      stages_.push_back({groups_.stage(first || spec_.kind == Kind::r2r ? spec_.kind : Kind::c2c, groups[g],
                                       first ? Strides::in : Strides::out, Strides::out),
                         first ? from : Spot{RunArray::out},
                         {RunArray::out}});
    }
  }

  /// The halved axis comes last. A c2r over several axes may write over its input: where that must not be, an axis that
  /// costs no more alone leads away from it first, or else a copy.
  void plan_c2r() {
    std::vector<AxisGroup> groups = groups_.real(Strides::in);
    if (groups.size() == 1 && spec_.preserve_input && groups.front().size() > 1 && alone_is_one_call(groups.front()[0]))
      groups = {AxisGroup(groups.front().begin() + 1, groups.front().end()), {groups.front().front()}};
    std::reverse(groups.begin(), groups.end());
    Spot from{RunArray::in};
    const bool copied = (spec_.in_place && !same_strides_) || (groups.size() == 1 && spec_.preserve_input);
    if (copied) from = copied_input();
    const Spot work = copied || !spec_.preserve_input ? from : scratch(input_bytes());
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      stages_.push_back({groups_.stage(Kind::c2c, groups[g], Strides::in, Strides::in), from, work});
      from = work;
    }
    stages_.push_back({groups_.stage(Kind::c2r, groups.back(), Strides::in, Strides::out), from, {RunArray::out}});
  }

  /// The last line or plane pass scales its results; cuFFT cannot.
  void give_scale() {
    if (stages_.empty()) return;
    auto carrier =
        std::find_if(stages_.rbegin(), stages_.rend(), [this](const Stage& stage) { return scales_itself(stage); });
    if (carrier != stages_.rend()) carrier->spec.scale = spec_.scale;
  }
  bool scales() const {
    return std::any_of(passes_.begin(), passes_.end(), [](const PlacedPass& p) { return p.pass->scales(); });
  }

  /// One strided call of cuFFT transforms this axis of the input, and the passes of the others stay as they are.
  bool alone_is_one_call(std::size_t axis) const {
    return merged(groups_.stage(Kind::c2c, {axis}, Strides::in, Strides::in).batch).size() <= 1;
  }

  Spot scratch(std::size_t bytes) {
    const Spot spot{RunArray::scratch, scratch_};
    scratch_ += round_up(bytes, scratch_alignment);
    return spot;
  }

  /// Passes run one after the other: one piece of scratch serves all.
  void share_scratch() {
    std::size_t most = 0;
    for (const PlacedPass& p : passes_) most = std::max(most, p.pass->scratch_bytes());
    const Spot shared = scratch(most);
    for (PlacedPass& p : passes_) p.scratch = shared;
  }

  std::size_t input_bytes() const {
    return static_cast<std::size_t>(input_extent(input_loops(spec_))) * input_element(spec_).bytes();
  }

  Spot copied_input() {
    const Spot copy = scratch(input_bytes());
    passes_.push_back({{RunArray::in}, copy, make_plain_copy(input_bytes())});
    return copy;
  }

  /// No axis has more than one point: the numbers only change places.
  void add_plain(Spot from) {
    passes_.push_back(
        {from,
         {RunArray::out},
         same_strides_ ? make_plain_copy(input_bytes()) : make_copy_pass(merged(spec_.batch), input_element(spec_))});
  }

  /// Null where none can.
  PassPointer pass_for(const FftSpec& stage) const {
    if (groups_.takes_planes(stage)) return make_plane_pass(stage);
    if (PassPointer line = make_line_pass(stage, lines_for(stage))) return line;
    if (rows_ && row_pass_fits(stage)) return make_row_pass(stage, RowsRun::with_checks);
    if (transposed_pass_pays(stage)) return make_transposed_pass(stage);
    const std::int64_t most_calls = gpu_defaults().most_vendor_calls;
    // With a work area cuFFT crosses memory more than once.
    if (row_pass_fits(stage) && cufft_pass_work_bytes(stage, most_calls) > 0)
      return make_row_pass(stage, RowsRun::without_checks);
    return make_cufft_pass(stage, most_calls);
  }

  void add(const Stage& planned) {
    const auto& [stage, from, to] = planned;
    if (stage.kind == Kind::r2r) {
      passes_.push_back({from, to, make_cosine_pass(stage)});
      return;
    }
    if (PassPointer alone = pass_for(stage)) {
      passes_.push_back({from, to, std::move(alone), {}, stage});
      return;
    }
    const DenseForm dense = dense_form(stage);
    const auto bytes = [](const Loops& loops, ElementType element) {
      return static_cast<std::size_t>(points(loops)) * element.bytes();
    };
    const Spot gathered = scratch(bytes(dense.gather, input_element(stage)));
    const Spot result = stage.kind == Kind::c2c ? gathered : scratch(bytes(dense.scatter, output_element(stage)));
    passes_.push_back({from, gathered, make_copy_pass(dense.gather, input_element(stage))});
    passes_.push_back({gathered, result, make_cufft_pass(dense.spec, 1)});
    passes_.push_back({result, to, make_copy_pass(dense.scatter, output_element(stage))});
  }

  std::string describe() const {
    std::string text = describe_fft(spec_) + " by ";
    for (const PlacedPass& p : passes_) text += (&p == &passes_.front() ? "" : ", ") + p.pass->name();
    return passes_.empty() ? describe_fft(spec_) : text;
  }

  FftSpec spec_;
  AxisGroups groups_;
  bool rows_;
  bool same_strides_ = false;
  std::vector<Stage> stages_;
  std::vector<PlacedPass> passes_;
  std::size_t scratch_ = 0;
};

}  // namespace

std::unique_ptr<DeviceOperation> make_device_fft(const FftSpec& spec, bool verify) {
  const std::size_t axes = spec.transform.size();
  if (spec.effort == Effort::estimate || axes < 2 || spec.kind == Kind::r2r ||
      points(input_loops(spec)) < gpu_defaults().elements_worth_passes)
    return Planner(spec).plan();
  DeviceFftTrial trial(spec, verify);
  const auto add = [&](OwnPasses own, bool rows) {
    return trial.add([&spec, own, rows] { return Planner(spec, own, rows).plan(); });
  };
  for (const bool planes : {true, false})
    for (std::size_t own = axes + 1; own-- > (planes ? 2 : 0);)
      if (!add({own, planes}, verify)) return trial.fastest();
  if (verify) add({axes, false}, false);
  trial.add([&spec] { return make_padded_fft(spec); });
  return trial.fastest();
}

bool runs_where_it_lies(const FftSpec& spec) { return Planner(spec).runs_where_it_lies(); }

bool checks_itself(const FftSpec& spec) { return Planner(spec).checks_itself(); }

bool scales_free(const FftSpec& spec) { return Planner(spec).scales_free(); }

}  // namespace shardfft::gpu
