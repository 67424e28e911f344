// LAMMPS' calls of its FFT, without LAMMPS: waves become single modes, in the order that LAMMPS asks for. The arguments
// are a library that has these functions and who made it: "shardfft", or "lammps", by which this program is checked
// itself.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct fft_plan_3d;
struct remap_plan_3d;
// By this function's type our library knows which numbers LAMMPS has, where the program shows it: that in single
// precision does.
void remap_3d(NUMBER*, NUMBER*, NUMBER*, remap_plan_3d*) {}

namespace {

using Complex = std::complex<NUMBER>;
using Create = fft_plan_3d* (*)(MPI_Comm, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                                int, int, int*, int);

constexpr int n[] = {6, 10, 4};                                 // the fastest first
constexpr int mode[] = {5, 2, 1};                               // of the wave along each axis
constexpr int order[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};  // axes from the fastest, by how often LAMMPS permutes

struct Functions {
  Create create;
  void (*run)(void*, void*, int, fft_plan_3d*);
  void (*destroy)(fft_plan_3d*);
};

struct Box {
  int low[3] = {0, 0, 0}, high[3] = {n[0] - 1, n[1] - 1, n[2] - 1};
  /// Cut along an axis as LAMMPS cuts.
  Box(int axis, int rank, int ranks) {
    low[axis] = rank * n[axis] / ranks;
    high[axis] = (rank + 1) * n[axis] / ranks - 1;
  }
  /// Calls visit(index along each axis) for the elements as they lie in memory.
  template <class Visit>
  void each(const int* axes, Visit visit) const {
    int i[3];
    for (i[axes[2]] = low[axes[2]]; i[axes[2]] <= high[axes[2]]; ++i[axes[2]])
      for (i[axes[1]] = low[axes[1]]; i[axes[1]] <= high[axes[1]]; ++i[axes[1]])
        for (i[axes[0]] = low[axes[0]]; i[axes[0]] <= high[axes[0]]; ++i[axes[0]]) visit(i);
  }
};

fft_plan_3d* plan_of(const Functions& fft, const Box& in, const Box& out, int scaled, int permute) {
  int buffers = 0;
  return fft.create(MPI_COMM_WORLD, n[0], n[1], n[2], in.low[0], in.high[0], in.low[1], in.high[1], in.low[2],
                    in.high[2], out.low[0], out.high[0], out.low[1], out.high[1], out.low[2], out.high[2], scaled,
                    permute, &buffers, 0);
}

/// The largest error of a transform, whose sign is that of `flag`.
double error_of(const Functions& fft, int flag, int scaled, int permute, int rank, int ranks) {
  const Box in(2, rank, ranks), out(0, rank, ranks);
  std::vector<Complex> data(n[0] * n[1] * n[2]);
  std::size_t at = 0;
  in.each(order[0], [&](const int* i) {
    double turns = 0;
    for (int a = 0; a < 3; ++a) turns += double(mode[a]) * i[a] / n[a];
    data[at++] = Complex(std::polar(1.0, flag * 2 * std::acos(-1.0) * turns));
  });
  fft_plan_3d* const plan = plan_of(fft, in, out, scaled, permute);
  if (!plan) return 1;
  fft.run(data.data(), data.data(), flag, plan);
  fft.destroy(plan);
  const double whole = scaled && flag == -1 ? 1 : n[0] * n[1] * n[2];
  double error = 0;
  at = 0;
  out.each(order[permute], [&](const int* i) {
    const bool is_mode = !std::memcmp(i, mode, sizeof mode);
    error = std::max(error, std::abs(std::complex<double>(data[at++]) - (is_mode ? whole : 0)) / whole);
  });
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::fprintf(stderr, "SKIPPED: %s\n", dlerror()), 77;
  const bool is_ours = !std::strcmp(argv[2], "shardfft");
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Functions fft{reinterpret_cast<Create>(dlsym(library, "fft_3d_create_plan")),
                      reinterpret_cast<decltype(Functions::run)>(dlsym(library, "fft_3d")),
                      reinterpret_cast<decltype(Functions::destroy)>(dlsym(library, "fft_3d_destroy_plan"))};
  for (const int flag : {1, -1})
    for (const int scaled : {0, 1})
      for (const int permute : {0, 1, 2}) {
        const double error = error_of(fft, flag, scaled, permute, rank, ranks);
        if (error <= (sizeof(NUMBER) == 8 ? 1e-13 : 1e-6)) continue;
        ++failures;
        std::fprintf(stderr, "flag %d, scaled %d, permute %d: an error of %g\n", flag, scaled, permute, error);
      }
  // All ranks claim one box, which LAMMPS' own would take.
  if (is_ours && ranks > 1 && plan_of(fft, Box(2, rank, ranks), Box(0, 0, ranks), 0, 0)) {
    ++failures;
    std::fprintf(stderr, "a plan for boxes that overlap\n");
  }
  // A word that stands for nothing is no plan, whichever variable has it.
  for (const char* variable : {"SHARDFFT_LAMMPS_FFT", "SHARDFFT_LAMMPS_TIMES"}) {
    if (!is_ours) break;
    setenv(variable, "orginal", 1);
    if (plan_of(fft, Box(2, rank, ranks), Box(0, rank, ranks), 0, 0)) {
      ++failures;
      std::fprintf(stderr, "a plan although %s is wrong\n", variable);
    }
    unsetenv(variable);
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures != 0;
}
