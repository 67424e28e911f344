#pragma once
// The plan of a transform on a GPU: stages that each read one array and write one, and the pass of the catalogue that
// runs each of them. A value: it holds nothing of the device, and two plans are the same if their stages are.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/pass/axis_groups.hpp"
#include "gpu/pass/catalogue.hpp"
#include "gpu/pass/placed_passes.hpp"

namespace shardfft::gpu {

/// A part of a transform.
struct FftStage {
  FftSpec spec;
  BufferPlace from, to;
  PassUse use;
  const PassRecord* pass = nullptr;  ///< the pass that runs it

  bool operator==(const FftStage&) const = default;
};

/// Arrays between stages begin at multiples of so many bytes.
inline constexpr std::size_t scratch_alignment = 256;

/// The stages of a transform, before passes are chosen for them.
struct StageList {
  std::vector<FftStage> stages;
  std::size_t scratch = 0;       ///< bytes that arrays between stages take
  bool in_place = false;         ///< the input and the output may be one array
  std::string how, beside = {};  ///< for reports: text before and behind the names of passes
};

/// Stages between two arrays: axes in groups, for own passes and for cuFFT. `sums_rows`: as in PassUse.
StageList stages_between(const FftSpec& spec, const OwnPasses& own, bool sums_rows);
/// Stages inside one array, axis by axis, a small piece at a time. Real transforms have one axis, the fastest in
/// memory; all other loops have the same strides on both sides, and arrays have no gaps.
StageList stages_in_one_array(const FftSpec& spec);
/// Stages of planes and lines for three axes. The spectra between both lie in padded rows, in as much scratch as the
/// spectrum has. For real transforms, and complex ones whose rows are no whole units of 16 bytes; otherwise none.
StageList padded_stages(const FftSpec& spec);

class FftPlan {
 public:
  /// Chooses passes on the current device. The last pass that can scale does so for the whole transform; else the
  /// kernel before a c2r does; else a pass that only scales is added.
  FftPlan(const FftSpec& spec, StageList list);

  /// Whether every stage has a pass of the library's own, which crosses memory once.
  bool is_own() const;
  /// Whether every stage has a pass.
  bool has_passes() const;
  /// Whether no array needs a dense copy.
  bool runs_where_it_lies() const;
  /// With the option verify: whether the passes of all stages are asked to sum up their lines themselves, and can.
  bool checks_itself() const;
  /// Whether the pass next to a reshape can have its points in the arrays of these owners, as far as its record tells.
  bool accepts(const LineOwners& owners) const;
  /// Whether a plane pass is among its stages.
  bool has_planes() const;
  /// Whether FftSpec::scale costs no pass of its own.
  bool scales_free() const;
  std::size_t stages() const { return list_.stages.size(); }
  /// How often it crosses memory; a call of cuFFT counts once for each axis.
  std::size_t crossings() const;
  /// The kernels of the library's own that it needs, by pass and lengths: "line pass 512".
  std::set<std::string> kernels() const;
  /// Whether cuFFT links a function of ours into its kernels: they take time to make.
  bool links() const;

  /// Begins to compile, on other threads, all kernels that make() waits for; with `verify` also those of its checks.
  void compile_ahead(bool verify) const;
  /// The same of the kernel by which the last pass multiplies by an operator's factors, if it can.
  void compile_to_multiply() const;
  /// With `verify`, it must be given its checks before it runs (make_checks()), if it has any.
  std::unique_ptr<DeviceFft> make(bool verify = false) const;
  /// The passes and the lengths that each transforms, in order: "planes 512 512 + lines 512". Plans of one transform
  /// may have one text if they differ in strides alone.
  std::string text() const;
  bool operator==(const FftPlan& other) const { return list_.stages == other.list_.stages; }

 private:
  /// Whether the passes of all stages can sum up their lines: with the option verify these run, and no others.
  bool sums_lines() const;

  FftSpec spec_;
  StageList list_;
};

}  // namespace shardfft::gpu
