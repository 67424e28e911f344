// LAMMPS's functions for its distributed FFT, to be preloaded under its binaries: fft_3d_create_plan, fft_3d,
// fft_3d_destroy_plan and fft_1d_only, with the arguments and signs of LAMMPS since 2021.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "end_all.hpp"
#include "given_options.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::compat {
namespace {

/// LAMMPS numbers axes from the fastest in memory to the slowest; the box includes `high`.
struct Box {
  int low[3];
  int high[3];

  IndexSet set() const {
    Shape first, end;
    for (const int axis : {2, 1, 0}) {
      first.push_back(low[axis]);
      end.push_back(std::max(low[axis], high[axis] + 1));
    }
    return box(first, end);
  }
};

/// The order of axes after LAMMPS permutes its output once or twice: each axis becomes the next faster one, the fastest
/// becomes the slowest.
AxisOrder order_of(int permute) {
  if (permute == 1) return {2, 0, 1};
  if (permute == 2) return {1, 2, 0};
  return {0, 1, 2};
}

/// LAMMPS built with -DFFT_SINGLE has the same names; only the type of another function shows it.
Precision precision_of_lammps() {
  return dlsym(RTLD_DEFAULT, "_Z8remap_3dPfS_S_P13remap_plan_3d") ? Precision::f32 : Precision::f64;
}

template <class Function>
Function next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (!found) end_all(name, "SHARDFFT_LAMMPS_FFT=original, but no library has the original");
  return reinterpret_cast<Function>(found);
}

/// The transforms that LAMMPS requests, and their plans, each made at its first use: LAMMPS uses most of its plans in
/// one direction.
class Transforms {
 public:
  Transforms(MPI_Comm comm, const Shape& shape, const Box& in, const Box& out, bool scaled, int permute)
      : comm_(comm),
        in_(gather_layout(comm, shape, in.set())),
        out_(gather_layout(comm, shape, out.set(), order_of(permute))),
        scaled_(scaled) {
    options_.effort = Effort::estimate;
    options_.in_place = true;
    options_.check_calls = false;
    set_given_options(options_, "SHARDFFT_LAMMPS_OPTIONS");
    options_.norm = Norm::none;
  }

  void plan(int flag) {
    const Transform transform{Kind::c2c, precision_of_lammps()};
    if (flag == 1) {
      if (!forward_) forward_.emplace(comm_, transform, in_, out_, options_);
      return;
    }
    // The other sign between the same layouts is the way back of a plan from `out` to `in`.
    Options options = options_;
    if (scaled_) options.norm = Norm::backward;
    if (!backward_) backward_.emplace(comm_, transform, out_, in_, options);
  }

  void run(const void* in, void* out, int flag) {
    if (flag == 1)
      forward_->forward(in, out);
    else
      backward_->backward(in, out);
  }

 private:
  MPI_Comm comm_;
  Layout in_, out_;
  bool scaled_;
  Options options_;
  std::optional<Plan> forward_, backward_;
};

}  // namespace
}  // namespace shardfft::compat

using namespace shardfft::compat;

/// LAMMPS holds a pointer to it: our transforms, or with SHARDFFT_LAMMPS_FFT=original LAMMPS's own plan, timed alike.
struct fft_plan_3d {
  std::unique_ptr<Transforms> ours;
  fft_plan_3d* original = nullptr;
  double seconds = 0;
  long calls = 0;
};

namespace {

bool is_set(const char* variable, const char* value) {
  const char* const found = std::getenv(variable);
  return found && std::string(found) == value;
}

/// Throws Error for a value that is neither empty nor among these words.
void check_words(const char* variable, std::initializer_list<const char*> words) {
  std::string known;
  for (const char* word : words) {
    if (is_set(variable, word)) return;
    known += (known.empty() ? "" : " or ") + std::string(word);
  }
  const char* const found = std::getenv(variable);
  if (!found || *found == 0) return;
  throw shardfft::Error(shardfft::Status::invalid_argument,
                        std::string(variable) + " is '" + found + "', expected " + known);
}

using Create = fft_plan_3d* (*)(MPI_Comm, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                                int, int, int*, int);

/// With SHARDFFT_LAMMPS_TIMES=1, rank 0 prints the time of a plan's transforms.
void tell(const fft_plan_3d& plan) {
  int rank = 0;
  if (!is_set("SHARDFFT_LAMMPS_TIMES", "1") || !mpi_runs()) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::fprintf(stderr, "shardfft: %s: %ld transforms took %.6f s\n", plan.original ? "LAMMPS" : "shardfft",
                 plan.calls, plan.seconds);
}

}  // namespace

extern "C" {

fft_plan_3d* fft_3d_create_plan(MPI_Comm comm, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo,
                                int in_jhi, int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo, int out_jhi,
                                int out_klo, int out_khi, int scaled, int permute, int* nbuf, int usecollective) {
  try {
    check_words("SHARDFFT_LAMMPS_FFT", {"original"});
    check_words("SHARDFFT_LAMMPS_TIMES", {"0", "1"});
    auto plan = std::make_unique<fft_plan_3d>();
    if (is_set("SHARDFFT_LAMMPS_FFT", "original")) {
      plan->original = next<Create>("fft_3d_create_plan")(comm, nfast, nmid, nslow, in_ilo, in_ihi, in_jlo, in_jhi,
                                                          in_klo, in_khi, out_ilo, out_ihi, out_jlo, out_jhi, out_klo,
                                                          out_khi, scaled, permute, nbuf, usecollective);
      return plan->original ? plan.release() : nullptr;
    }
    plan->ours = std::make_unique<Transforms>(
        comm, shardfft::Shape{nslow, nmid, nfast}, Box{{in_ilo, in_jlo, in_klo}, {in_ihi, in_jhi, in_khi}},
        Box{{out_ilo, out_jlo, out_klo}, {out_ihi, out_jhi, out_khi}}, scaled != 0, permute);
    if (nbuf) *nbuf = 0;
    return plan.release();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "shardfft: fft_3d_create_plan: %s\n", e.what());
  }
  return nullptr;  // then LAMMPS ends with an error of its own
}

void fft_3d(void* in, void* out, int flag, fft_plan_3d* plan) {
  try {
    if (plan->ours) plan->ours->plan(flag);  // untimed, like LAMMPS's, which are made at their creation
    const double began = MPI_Wtime();
    if (plan->original)
      next<decltype(&fft_3d)>("fft_3d")(in, out, flag, plan->original);
    else
      plan->ours->run(in, out, flag);
    plan->seconds += MPI_Wtime() - began;
    ++plan->calls;
  } catch (const std::exception& e) {
    end_all("fft_3d", e.what());
  }
}

/// LAMMPS times only the lines by it (kspace_modify fftbench) and uses no result: with these plans it takes no time.
void fft_1d_only(void* data, int size, int flag, fft_plan_3d* plan) {
  if (plan->original) next<decltype(&fft_1d_only)>("fft_1d_only")(data, size, flag, plan->original);
}

void fft_3d_destroy_plan(fft_plan_3d* plan) {
  if (!plan) return;
  tell(*plan);
  if (plan->original) next<decltype(&fft_3d_destroy_plan)>("fft_3d_destroy_plan")(plan->original);
  delete plan;
}

}  // extern "C"
