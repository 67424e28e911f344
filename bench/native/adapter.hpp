// What a library's adapter implements. docs/bench-adapters.md is the recipe.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "box.hpp"
#include "case.hpp"
#include "values.hpp"

namespace shardfft::bench {

// What is known about the library without starting MPI; printed by `bench-<library> --describe`.
struct Description {
  std::string library;   // the name in records and reports
  std::string version;   // as the library itself tells it
  std::string language;  // of the library
  std::string licence;
  std::string backend;  // what does the 1-D transforms
  bool gpu = false;
  bool distributed = true;        // false: one process only
  Json capabilities;              // {"kinds": [...], "precisions": [...], "layouts": [...], ...}
  Json options = Json::object();  // {"name": [values]} accepted in the case's "options"
};

// By the row of the library in libraries.cpp.
Description description_of(const std::string& library, const std::string& version,
                           const Json& options = Json::object());

class Adapter {
 public:
  virtual ~Adapter() = default;

  virtual Description describe() const = 0;
  // Before MPI_Init, for libraries that want a word then. Must not call MPI.
  virtual void before_mpi(const Case&) {}
  // Why this case cannot be run with so many ranks; empty when it can. The same on all ranks. By the capabilities of
  // describe(), unless a library has limits of its own.
  virtual std::string refuse(const Case& wanted, int ranks) const;
  // Allocates buffers and makes both directions' plans. Collective. Timed as planning.
  virtual void plan(const Case& wanted, MPI_Comm comm) = 0;

  // This rank's part of the field and of the spectrum, and where they begin. In place: the same address.
  virtual Part field_part() const = 0;
  virtual Part spectrum_part() const = 0;
  virtual void* field() = 0;
  virtual void* spectrum() = 0;

  // field -> spectrum and spectrum -> field; complete on return, or after finish(). Either may destroy its source.
  virtual void forward() = 0;
  virtual void backward() = 0;
  // The case's `apply`, field -> field, where the library does it by itself: its result is the exact one times
  // apply_scale(). Else the driver multiplies the spectrum between forward() and backward().
  virtual bool applies() const { return false; }
  virtual void apply() {}
  virtual double apply_scale() const { return 1; }
  // Returns when all that was asked for is done, for libraries whose calls only enqueue.
  virtual void finish() {}
  // By what the results must be divided to get the exact values: forward, backward.
  virtual double forward_scale() const { return 1; }
  virtual double backward_scale() const = 0;

  // The library's own account of where time went since plan(), when it offers one.
  virtual Json breakdown() const { return nullptr; }
  // Seconds in local FFTs since plan() by the library's own account, out of how many seconds where it does not time
  // every run (0: all that were run). Negative: it has none. Collective.
  struct FftAccount {
    double ffts = -1;
    double whole = 0;
  };
  virtual FftAccount fft_account() const;
  // The local FFTs of forward() and backward(), as the case has them, alone and on buffers of their own: for a library
  // whose calls of FFTW or MKL cannot be recorded. Empty: there is nothing but those calls. Collective; after plan().
  virtual std::function<void()> local_ffts(const Case&, MPI_Comm) { return {}; }
  // Exact values in the buffers, after plan(); a library whose buffers the host cannot reach replaces it.
  virtual std::unique_ptr<Values> make_values(const Case& wanted);
  // Whether GPUs do the work: their energy is counted then, and the record says which they are.
  virtual bool on_device() const { return false; }
  // The GPUs of this process in words.
  virtual Json device_facts() const { return nullptr; }
};

// Each adapter's executable defines this one function.
std::unique_ptr<Adapter> make_adapter();

}  // namespace shardfft::bench
