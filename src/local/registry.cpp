// Local FFT backends by name.
#include <vector>

#include "base/check.hpp"
#include "local/backend.hpp"
#include "local/lanes.hpp"
#include "local/processor_rule.hpp"

namespace shardfft {
namespace {

const std::vector<Backend>& backends() {
  static const std::vector<Backend> all = {
#ifdef SHARDFFT_HAVE_MKL
      mkl_backend(),
#endif
      lanes_backend(),
#ifdef SHARDFFT_HAVE_FFTW
      fftw_backend(),
#endif
      reference_backend(),
  };
  return all;
}

std::vector<std::string> names_of_choice() {
  std::vector<std::string> names;
  for (const Backend& b : backends())
    if (!b.complete) names.push_back(b.name);
  return names;
}

/// The library that "auto" means if nothing is measured. Found once: processors do not change.
const std::string& automatic() {
  static const std::string name =
      expected_fastest(names_of_choice(), processor_fact("vendor_id"), lanes::all_kernels().front().vector_bytes);
  return name;
}

}  // namespace

std::vector<std::string> local_fft_names() {
  std::vector<std::string> names;
  for (const Backend& b : backends()) names.push_back(b.name);
  return names;
}

std::string local_fft_version(const std::string& name) { return find_backend(name).version(); }

const Backend& find_backend(const std::string& name) {
  if (name == "auto") return find_backend(automatic());
  for (const Backend& b : backends())
    if (b.name == name) return b;
  std::string known = "auto";
  for (const Backend& b : backends()) known += ", " + b.name;
  fail(Status::invalid_argument, "unknown local FFT '", name, "'; this build knows ", known);
}

const Backend& fallback_backend() {
#ifdef SHARDFFT_HAVE_FFTW
  static const Backend backend = fftw_backend();
#else
  static const Backend backend = lanes_backend();
#endif
  return backend;
}

std::vector<Backend> candidates(const std::string& name) {
  if (name != "auto") {
    Backend named = find_backend(name);
    named.exact = {};
    return {named};
  }
  std::vector<Backend> all{find_backend(automatic())};
  for (const std::string& other : names_of_choice())
    if (other != automatic()) all.push_back(find_backend(other));
  return all;
}

}  // namespace shardfft
