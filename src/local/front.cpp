// make_local_fft: normalises a spec, and adds around the backend the parts that the backend lacks.
#include <algorithm>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "local/backend.hpp"
#include "local/stages.hpp"
#include "tune/defaults.hpp"

namespace shardfft {
namespace {

void check(const FftSpec& spec) {
  require(spec.threads >= 1, "local FFT: threads must be at least 1, not ", spec.threads);
  require(spec.kind == Kind::c2c || !spec.transform.empty(), "local FFT: a real transform needs an axis");
  require(spec.types.size() == (spec.kind == Kind::r2r ? spec.transform.size() : 0),
          "local FFT: cosine and sine transforms need a type for each axis, others have none");
  for (std::size_t i = 0; i < spec.types.size(); ++i) {
    require(spec.types[i] != AxisTransform::fft, "local FFT: a Fourier transform does not take real to real numbers");
    require(spec.types[i] != AxisTransform::dct1 || spec.transform[i].count != 1,
            "local FFT: a cosine transform of type I needs 2 points at least");
  }
  for (const Loops* loops : {&spec.transform, &spec.batch}) {
    for (const Loop& d : *loops) {
      require(d.count >= 0, "local FFT: negative extent ", d.count);
      require(d.count <= 1 || (d.from > 0 && d.to > 0), "local FFT: strides must be positive, not ", d.from, " and ",
              d.to);
    }
  }
}

/// Only loops that do something; the halved axis of a real transform always stays.
FftSpec normalised(FftSpec spec) {
  spec.batch = merged(spec.batch);
  if (spec.kind == Kind::r2r) return spec;  // a single point is multiplied by a factor
  Loops axes;
  for (std::size_t i = 0; i < spec.transform.size(); ++i) {
    const bool halved = is_halved(spec) && i + 1 == spec.transform.size();
    if (halved || spec.transform[i].count != 1) axes.push_back(spec.transform[i]);
  }
  spec.transform = axes;
  return spec;
}

bool is_copy(const FftSpec& spec) { return spec.kind != Kind::r2r && points(spec.transform) == 1; }

/// Whether every line's input and output are the same bytes, so that a library can work in place.
bool same_bytes(const FftSpec& spec) {
  const auto in = static_cast<std::int64_t>(input_element(spec).bytes());
  const auto out = static_cast<std::int64_t>(output_element(spec).bytes());
  for (const Loop& loop : spec.batch)
    if (loop.from * in != loop.to * out) return false;
  for (std::size_t i = 0; i < spec.transform.size(); ++i) {
    const Loop& d = spec.transform[i];
    const bool halved = is_halved(spec) && i + 1 == spec.transform.size();
    if (d.count == 1) continue;
    if (halved ? d.from != 1 || d.to != 1 : d.from * in != d.to * out) return false;
  }
  return true;
}

bool needs_cosine(const FftSpec& spec, const Backend& backend) { return spec.kind == Kind::r2r && !backend.cosines; }

bool needs_finish(const FftSpec& spec, const Backend& backend) {
  if (needs_cosine(spec, backend)) return false;
  return (spec.scale != 1 && !backend.scales) || (spec.kind == Kind::r2c && spec.direction == Direction::backward);
}

bool needs_split(const FftSpec& spec, const Backend& backend) {
  if (spec.transform.size() > (needs_cosine(spec, backend) ? 1 : backend.max_axes)) return true;
  if (spec.kind != Kind::c2r || spec.transform.size() == 1) return false;
  return backend.needs_hermitian || (spec.preserve_input && !spec.in_place && backend.c2r_destroys);
}

std::unique_ptr<LocalFft> build(const FftSpec& raw, const Backend& backend) {
  const FftSpec spec = normalised(raw);
  const SubFactory make = [&backend](const FftSpec& sub) { return build(sub, backend); };
  const bool copies = is_copy(spec);
  if (is_empty(spec)) return make_copy(spec);
  if (spec.in_place && !same_bytes(spec)) return make_staged(spec, make, false);
  if (!copies && spec.kind == Kind::c2r && spec.direction == Direction::forward) return make_staged(spec, make, true);
  if (!copies && spec.transform.size() > 1 && points(spec.batch) < spec.threads) return make_split(spec, make);

  const bool finish = !copies && needs_finish(spec, backend);
  const bool split = !copies && needs_split(spec, backend);
  const bool cosine = !split && needs_cosine(spec, backend);
  if (!copies && !split && backend.takes && !backend.takes(asked_of(backend, spec)))
    return make_local_fft(fallback_backend(), spec);
  CallLimits limits{cosine ? 1 : backend.max_loops, backend.max_bytes, spec.threads};
  if (finish || split || cosine)
    limits.max_bytes = std::min(limits.max_bytes, host_defaults().bytes_cached_between_passes);
  const Blocking blocking = choose_blocking(spec, limits);
  if (!blocking.trivial()) return make_batched(spec, blocking, make);
  if (copies) return make_copy(spec);
  if (finish) return make_finished(spec, make);
  if (split) return make_split(spec, make);
  if (cosine) return make_cosine(spec, make);
  return backend.make(spec);
}

}  // namespace

void LocalFft::execute(const void* in, void* out) const {
  const AlignedMemory scratch = allocate_aligned(scratch_bytes());
  execute(in, out, scratch.get());
}

std::unique_ptr<LocalFft> make_local_fft(const Backend& backend, const FftSpec& spec) {
  check(spec);
  return backend.complete ? backend.make(spec) : build(spec, backend);
}

std::unique_ptr<LocalFft> make_local_fft(const std::string& name, const FftSpec& spec) {
  const std::vector<Backend> all = candidates(name);
  for (const Backend& backend : all)
    if (is_exact(backend, spec)) return make_local_fft(backend, spec);
  return make_local_fft(fallback_backend(), spec);
}

}  // namespace shardfft
