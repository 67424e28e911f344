#pragma once
// FFTW's own MPI library and ours side by side: both loaded for this program alone, neither linked.
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <mpi.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardfft::test {

using Sizes = std::vector<std::ptrdiff_t>;

/// Functions by the names that they have in double precision, of either precision: their arguments are pointers and
/// integers, the same in both.
class FftwLibrary {
 public:
  FftwLibrary(const std::string& file, bool is_double) : is_double_(is_double), file_(file) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::runtime_error(dlerror());
  }

  template <class Result, class... Arguments>
  Result call(const std::string& name, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(symbol(name))(arguments...);
  }
  std::size_t real_bytes() const { return is_double_ ? sizeof(double) : sizeof(float); }
  bool is_double() const { return is_double_; }

 private:
  void* symbol(const std::string& name) const {
    const std::string full = (is_double_ ? "fftw_" : "fftwf_") + name;
    void* found = dlsym(handle_, full.c_str());
    if (!found) throw std::runtime_error(full + " is not in " + file_);
    return found;
  }

  bool is_double_;
  std::string file_;
  void* handle_;
};

/// FFTW's, ours, and FFTW's serial library, which runs the plans of both.
struct Libraries {
  explicit Libraries(bool is_double)
      : fftw(is_double ? "libfftw3_mpi.so.3" : "libfftw3f_mpi.so.3", is_double),
        ours(SHARDFFT_FFTW_MPI, is_double),
        serial(is_double ? "libfftw3.so.3" : "libfftw3f.so.3", is_double) {
    fftw.call<void>("mpi_init");
    ours.call<void>("mpi_init");
  }
  FftwLibrary fftw, ours, serial;
};

inline std::string last_error() {
  static void* const handle = dlopen(SHARDFFT_FFTW_MPI, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<const char* (*)()>(dlsym(handle, "shardfft_fftw_last_error"))();
}

inline int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}
inline int ranks() {
  int number = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  return number;
}

}  // namespace shardfft::test
