// What is known of each library that has an adapter, without asking it.
#include <algorithm>
#include <iterator>
#include <sstream>

#include "adapter_base.hpp"

namespace shardfft::bench {
namespace {

// Lists are words; an empty one allows everything. How: `gpu`, `alone` (one process only), `threads`.
struct Library {
  const char *name, *language, *licence, *backend, *how, *kinds, *precisions, *placements, *layouts, *outputs,
      *features;
};

constexpr Library libraries[] = {
    // clang-format off
    {"2decomp",        "Fortran", "BSD-3-Clause",                      "FFTW, MKL or its own",      "",              "c2c r2c",     "double single", "out",    "slab pencil",                    "any",         ""},
    {"accfft",         "C++",     "GPL-2.0",                           "FFTW",                      "threads",       "c2c r2c",     "double",        "out",    "slab pencil",                    "any",         ""},
    {"cudecomp",       "C++",     "Apache-2.0",                        "cuFFT",                     "gpu",           "c2c",         "double single", "out",    "slab pencil",                    "any",         ""},
    {"cufft",          "C",       "NVIDIA",                            "cuFFT",                     "gpu alone",     "c2c r2c",     "double single", "out in", "",                               "",            ""},
    {"cufftmp",        "C",       "NVIDIA",                            "cuFFT, NVSHMEM",            "gpu",           "c2c r2c",     "double single", "in",     "slab",                           "any",         ""},
    {"cufftxt",        "C",       "NVIDIA",                            "cuFFT",                     "gpu alone",     "c2c r2c",     "double single", "in",     "",                               "",            ""},
    {"dtfft",          "Fortran", "GPL-3.0",                           "FFTW (in the adapter)",     "",              "c2c r2c",     "double single", "out",    "slab pencil",                    "any",         ""},
    {"ffte",           "Fortran", "FFTE's own, permissive",            "its own",                   "",              "c2c r2c",     "double",        "out in", "slab pencil",                    "any natural", ""},
    {"fftk",           "C++",     "BSD-3-Clause",                      "FFTW",                      "",              "c2c",         "double",        "out",    "slab pencil",                    "any",         ""},
    {"fftmpi",         "C++",     "BSD-3-Clause",                      "FFTW, MKL or KISS",         "",              "c2c",         "double single", "out in", "slab pencil brick",              "any natural", ""},
    {"fftw",           "C",       "GPL-2.0",                           "FFTW",                      "alone threads", "c2c r2c r2r", "double single", "out in", "",                               "",            ""},
    {"fftw-mpi",       "C",       "GPL-2.0",                           "FFTW",                      "threads",       "c2c r2c r2r", "double single", "out in", "slab",                           "any natural", ""},
    {"heffte",         "C++",     "BSD-3-Clause",                      "by option backend",         "",              "c2c r2c r2r", "double single", "out",    "slab pencil brick",              "any natural", ""},
    {"heffte-gpu",     "C++",     "BSD-3-Clause",                      "cuFFT",                     "gpu",           "c2c r2c",     "double single", "out",    "slab pencil brick",              "any natural", ""},
    {"kissfft",        "C",       "BSD-3-Clause",                      "KISS FFT",                  "alone",         "c2c r2c",     "single",        "out",    "",                               "",            ""},
    {"mkl",            "C",       "Intel Simplified Software License", "MKL",                       "alone threads", "c2c r2c",     "double single", "out in", "",                               "",            ""},
    {"mkl-cluster",    "C",       "Intel Simplified Software License", "MKL",                       "threads",       "c2c r2c",     "double single", "out in", "slab",                           "any natural", ""},
    {"p3dfft",         "Fortran", "BSD-3-Clause",                      "FFTW",                      "",              "r2c",         "double",        "out",    "slab pencil",                    "any",         ""},
    {"p3dfft++",       "C++",     "BSD-3-Clause",                      "FFTW",                      "",              "c2c r2c",     "double single", "out in", "slab pencil",                    "any natural", ""},
    {"pfft",           "C",       "GPL-3.0",                           "FFTW",                      "",              "c2c r2c r2r", "double",        "out",    "slab pencil",                    "any natural", ""},
    {"shardfft",       "C++",     "BSD-3-Clause",                      "FFTW, MKL or lanes",        "threads",       "c2c r2c r2r", "double single", "out in", "slab pencil brick cyclic boxes", "any natural", "transforms axes modes batch apply"},
    {"shardfft-gpu",   "C++",     "BSD-3-Clause",                      "cuFFT and own line passes", "gpu",           "c2c r2c",     "double single", "out in", "slab pencil brick",              "any natural", ""},
    {"shardfft-group", "C++",     "BSD-3-Clause",                      "cuFFT and own line passes", "gpu alone",     "c2c r2c",     "double single", "out in", "",                               "any natural", ""},
    {"spfft",          "C++",     "BSD-3-Clause",                      "FFTW",                      "threads",       "c2c r2c",     "double",        "out",    "slab",                           "any",         ""},
    {"swfft",          "C++",     "BSD-3-Clause",                      "FFTW",                      "",              "c2c",         "double",        "out",    "brick",                          "any",         ""},
    // clang-format on
};

Json words_of(const char* text) {
  std::istringstream stream(text);
  Json words = Json::array();
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

Description description_of(const std::string& library, const std::string& version, const Json& options) {
  const auto* const found =
      std::find_if(std::begin(libraries), std::end(libraries), [&](const Library& row) { return row.name == library; });
  if (found == std::end(libraries)) throw std::logic_error("bench: libraries.cpp has no row for " + library);
  const Json how = words_of(found->how);
  const auto has = [&how](const char* word) { return std::find(how.begin(), how.end(), word) != how.end(); };
  Description all{library,       version, found->language, found->licence, found->backend, has("gpu"),
                  !has("alone"), {},      options};
  all.capabilities = Json::object();
  for (const auto& [list, words] : {std::pair{"kinds", found->kinds},
                                    {"precisions", found->precisions},
                                    {"placements", found->placements},
                                    {"layouts", found->layouts},
                                    {"outputs", found->outputs},
                                    {"features", found->features}})
    if (*words != 0) all.capabilities[list] = words_of(words);
  if (has("threads")) all.capabilities["threads"] = true;
  return all;
}

}  // namespace shardfft::bench
