#pragma once
// Whose arrays a plan works on.
#include <mpi.h>

#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

namespace shardfft {

/// GPUs of this process as the ranks of a plan: rank r of the layouts is the GPU numbers[r]. A GPU may be named more
/// than once.
struct Devices {
  Devices(std::initializer_list<int> list) : numbers(list) {}
  explicit Devices(std::vector<int> list) : numbers(std::move(list)) {}
  std::vector<int> numbers;
};

/// Whose arrays a plan transforms: those of the processes of a communicator, or of several GPUs of this process, which
/// needs no MPI.
using Ranks = std::variant<MPI_Comm, Devices>;

}  // namespace shardfft
