// Calls of cuFFT, on the arrays themselves or on dense copies of them.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "device/copy_box.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/pass/catalogue.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// One side's strides in cuFFT's form, the slowest axis first; none if they do not nest.
std::optional<device::VendorFftSide> nested(const Loops& axes, std::int64_t Loop::*stride, bool half) {
  device::VendorFftSide side;
  const auto points_of = [&](std::size_t i) {
    return half && i + 1 == axes.size() ? axes[i].count / 2 + 1 : axes[i].count;
  };
  side.stride = axes.back().*stride;
  side.embed.push_back(points_of(0));
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const std::int64_t outer = axes[i - 1].*stride, inner = axes[i].*stride;
    if (outer % inner != 0 || outer / inner < points_of(i)) return std::nullopt;
    side.embed.push_back(outer / inner);
  }
  return side;
}

/// Calls of cuFFT: the transform of one call, and the loops around it.
struct CufftCalls {
  bool possible = false;
  device::VendorFftSpec one;
  Loops loops;
};

/// Not possible if cuFFT's strides cannot express the transform in few calls.
CufftCalls cufft_calls(const FftSpec& spec) {
  CufftCalls calls;
  if (spec.kind == Kind::r2r || spec.transform.empty() || spec.transform.size() > 3) return calls;
  const auto in = nested(spec.transform, &Loop::from, spec.kind == Kind::c2r);
  const auto out = nested(spec.transform, &Loop::to, spec.kind == Kind::r2c);
  if (!in || !out) return calls;
  calls.one = {spec.kind, spec.precision, {}, 1, *in, *out};
  calls.loops = merged(spec.batch);
  for (const Loop& d : spec.transform) calls.one.extents.push_back(d.count);
  if (!calls.loops.empty()) {
    const auto longest = std::max_element(calls.loops.begin(), calls.loops.end(),
                                          [](const Loop& a, const Loop& b) { return a.count < b.count; });
    calls.one.batch = longest->count;
    calls.one.in.distance = longest->from;
    calls.one.out.distance = longest->to;
    calls.loops.erase(longest);
  }
  // cuFFT needs real arrays to begin at an address for complex numbers.
  const bool aligned = std::none_of(calls.loops.begin(), calls.loops.end(), [&spec](const Loop& d) {
    return (spec.kind == Kind::r2c && d.from % 2 != 0) || (spec.kind == Kind::c2r && d.to % 2 != 0);
  });
  calls.possible = aligned && points(calls.loops) <= gpu_defaults().most_vendor_calls;
  return calls;
}

class CufftPass : public FftPass {
 public:
  /// `links`: cuFFT scales its results.
  CufftPass(const FftSpec& spec, bool links) : direction_(spec.direction) {
    CufftCalls calls = cufft_calls(spec);
    calls.one.scale = spec.scale;
    calls.one.links = links && spec.scale != 1;
    calls.one.probes = spec.effort != Effort::estimate;
    plan_ = device::VendorFft(calls.one);
    scales_before_ = spec.scale != 1 && !links;
    const auto in_bytes = static_cast<std::int64_t>(input_element(spec).bytes());
    const auto out_bytes = static_cast<std::int64_t>(output_element(spec).bytes());
    walk(calls.loops, [&](std::int64_t from, std::int64_t to, const Loop& inner) {
      for (std::int64_t i = 0; i < inner.count; ++i)
        offsets_.emplace_back((from + i * inner.from) * in_bytes, (to + i * inner.to) * out_bytes);
    });
    if (spec.kind != Kind::c2r || !spec.preserve_input) return;
    FftSpec one = spec;
    one.batch = {{calls.one.batch, calls.one.in.distance, calls.one.out.distance}};
    copy_bytes_ = static_cast<std::size_t>(input_extent(input_loops(one)) * in_bytes);
  }
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    void* const copy = copy_bytes_ > 0 ? arrays.scratch : nullptr;
    for (const auto& [in, out] : offsets_) plan_.execute(arrays.from + in, arrays.to + out, direction_, stream, copy);
  }
  std::size_t scratch_bytes() const override { return copy_bytes_; }
  RunnerMemory kept() const override { return {.library = plan_.work_bytes()}; }
  std::string name() const override {
    return (copy_bytes_ > 0  ? "copy, "
            : scales_before_ ? "scale, "
                             : "") +
           (offsets_.size() == 1 ? "cufft" : std::to_string(offsets_.size()) + " calls of cufft");
  }

 private:
  device::VendorFft plan_;
  Direction direction_;
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets_;  ///< in bytes, one a call
  std::size_t copy_bytes_ = 0;  ///< of the input of a call, which is copied so that it stays
  bool scales_before_ = false;  ///< a kernel before cuFFT scales the input
};

PassPointer make_cufft(const FftSpec& spec, const PassUse& /*use*/) { return std::make_unique<CufftPass>(spec, false); }

/// Row-major strides of loops of `counts` points.
std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> strides(counts.size());
  std::int64_t stride = 1;
  for (std::size_t i = counts.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= counts[i];
  }
  return strides;
}

/// A transform between dense arrays, with its batch loops before the transformed axes, and the copies around it:
/// `gather` from the input to the dense array, `scatter` from the dense results to the output.
struct DenseForm {
  FftSpec spec;
  Loops gather, scatter;
};
DenseForm dense_form(const FftSpec& spec) {
  DenseForm form;
  form.spec = spec;
  form.spec.preserve_input = false;
  form.spec.batch = merged(spec.batch);
  Loops loops = form.spec.batch;
  loops.insert(loops.end(), spec.transform.begin(), spec.transform.end());
  std::vector<std::int64_t> in_counts, out_counts;
  for (const Loop& loop : loops) {
    in_counts.push_back(loop.count);
    out_counts.push_back(loop.count);
  }
  if (spec.kind == Kind::c2r) in_counts.back() = in_counts.back() / 2 + 1;
  if (spec.kind == Kind::r2c) out_counts.back() = out_counts.back() / 2 + 1;
  const auto in = row_major(in_counts), out = row_major(out_counts);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    form.gather.push_back({in_counts[i], loops[i].from, in[i]});
    form.scatter.push_back({out_counts[i], out[i], loops[i].to});
    const std::size_t batches = form.spec.batch.size();
    Loop& dense = i < batches ? form.spec.batch[i] : form.spec.transform[i - batches];
    dense.from = in[i];
    dense.to = out[i];
  }
  return form;
}

class DensePass : public FftPass {
 public:
  explicit DensePass(const FftSpec& spec) : DensePass(spec, dense_form(spec)) {}
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    std::byte* const results = arrays.scratch + results_;
    device::copy_box(arrays.from, gather_.from, arrays.scratch, gather_.to, gather_.element_bytes, stream);
    fft_->enqueue({arrays.scratch, results}, stream);
    device::copy_box(results, scatter_.from, arrays.to, scatter_.to, scatter_.element_bytes, stream);
  }
  std::size_t scratch_bytes() const override { return results_ + scatter_.bytes(); }
  RunnerMemory kept() const override { return fft_->kept(); }
  std::string name() const override { return "copy, " + fft_->name() + ", copy"; }

 private:
  static constexpr std::size_t alignment = 256;
  struct Copy {
    Copy(const Loops& loops, ElementType element)
        : from(box_of(loops, &Loop::from)), to(box_of(loops, &Loop::to)), element_bytes(element.bytes()) {}
    std::size_t bytes() const { return round_up(static_cast<std::size_t>(from.elements()) * element_bytes, alignment); }
    Box from, to;
    std::size_t element_bytes;
  };
  DensePass(const FftSpec& spec, const DenseForm& dense)
      : gather_(dense.gather, input_element(spec)),
        scatter_(dense.scatter, output_element(spec)),
        results_(spec.kind == Kind::c2c ? 0 : gather_.bytes()),
        fft_(make_cufft(dense.spec, {})) {}

  Copy gather_, scatter_;
  std::size_t results_;  ///< their offset in scratch: complex ones replace the input
  PassPointer fft_;
};

}  // namespace

std::size_t cufft_work_bytes(const FftSpec& spec) {
  const CufftCalls calls = cufft_calls(spec);
  return calls.possible ? device::VendorFft::work_bytes_of(calls.one) : 0;
}

/// Up to three axes in few calls, if cuFFT's strides can express them.
extern const PassRecord cufft_pass{
    .name = "cufft",
    .scales_halves = true,
    .fits = [](const FftSpec& spec, const PassUse&) { return cufft_calls(spec).possible; },
    .make = make_cufft};

/// One call, with a function of ours that cuFFT calls to store results.
extern const PassRecord scaled_cufft_pass{.name = "scaled cufft",
                                          .scales = true,
                                          .fits =
                                              [](const FftSpec& spec, const PassUse& use) {
                                                const CufftCalls calls = cufft_calls(spec);
                                                return use.scales && calls.possible && points(calls.loops) == 1;
                                              },
                                          .make = [](const FftSpec& spec, const PassUse&) -> PassPointer {
                                            if (!device::VendorFft::takes_scale(spec.kind, spec.precision))
                                              fail(Status::unsupported, "this cuFFT does not scale its results");
                                            return std::make_unique<CufftPass>(spec, true);
                                          }};

extern const PassRecord dense_pass{
    .name = "dense cufft",
    .where_it_lies = false,
    .fits = [](const FftSpec& spec, const PassUse&) { return spec.kind != Kind::r2r; },
    .make = [](const FftSpec& spec, const PassUse&) -> PassPointer { return std::make_unique<DensePass>(spec); }};

}  // namespace shardfft::gpu
