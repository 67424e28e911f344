// Local FFT backends by name.
#include <vector>

#include "base/check.hpp"
#include "local/backend.hpp"

namespace shardfft {
namespace {

/// Best first: "auto" is the first.
const std::vector<Backend>& backends() {
  static const std::vector<Backend> all = {
#ifdef SHARDFFT_HAVE_MKL
      mkl_backend(),
#endif
      fftw_backend(),
      reference_backend(),
  };
  return all;
}

}  // namespace

std::vector<std::string> local_fft_names() {
  std::vector<std::string> names;
  for (const Backend& b : backends()) names.push_back(b.name);
  return names;
}

std::string local_fft_version(const std::string& name) { return find_backend(name).version; }

const Backend& find_backend(const std::string& name) {
  if (name == "auto") return backends().front();
  for (const Backend& b : backends())
    if (b.name == name) return b;
  std::string known = "auto";
  for (const Backend& b : backends()) known += ", " + b.name;
  fail(Status::invalid_argument, "unknown local FFT '", name, "'; this build knows ", known);
}

}  // namespace shardfft
