#pragma once
// The one exception type of the library.
#include <stdexcept>
#include <string>

namespace shardfft {

/// Why a call failed.
enum class Status {
  ok = 0,
  invalid_argument = 1,  ///< a size, layout, name or pointer is wrong
  mismatch = 2,          ///< the ranks were given different arguments
  unsupported = 3,       ///< valid, but this build or machine cannot do it
  out_of_memory = 4,
  mpi_failure = 5,
  backend_failure = 6,  ///< a local FFT library or the GPU runtime failed
  internal = 7,
  timed_out = 8,  ///< other ranks did not make the same call in time
  corrupted = 9   ///< the option verify found a wrong result: memory, network or processor changed a bit
};

/// Thrown by every failing call; `what()` names the error and the expected value. Failures while planning are agreed:
/// every rank of the communicator throws the same code.
class Error : public std::runtime_error {
 public:
  Error(Status code, const std::string& what) : std::runtime_error(what), code_(code) {}
  Status code() const noexcept { return code_; }  ///< The kind of the error.

 private:
  Status code_;
};

}  // namespace shardfft
