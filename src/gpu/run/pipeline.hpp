#pragma once
// A reshape between GPUs cut in chunks, and the transforms at its ends: while copies of one chunk are under way, others
// are transformed (FFT-ECP chapter 4, granularity of tasks).
#include <cstddef>
#include <optional>
#include <string>

#include "gpu/move/exchange.hpp"
#include "schedule/pass.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

struct DevicePipelineSetup {
  std::string exchange;
  DeviceReshapeSetup reshape;
  Precision precision = Precision::f64;
  std::optional<Pass> before;  ///< from the operation's input to `middle`, or within it
  std::optional<Pass> after;   ///< keeps its numbers; from `landing`, or within the output
  Pieces pieces;
  Effort effort = Effort::measure;  ///< of transforms that are not cut
  bool verify = false;              ///< the option: then no element of the reshape is left behind or made up
};

/// How to cut a reshape and its transforms on this team in `chunks` parts at most; nothing where no axis serves: chunks
/// must begin where kernels can (multiples of 16 bytes), be transformed without copies around the transform, be as
/// fast to scale as the whole, and have rows of `least_row` bytes where rows are cut. Collective.
Chunking choose_device_chunking(const Team& team, const ChunkedSteps& steps, const State& from, const State& to,
                                Precision precision, int chunks, std::int64_t least_row = 0);

/// The parts that a reshape in which this rank sends `bytes` should be cut in.
int automatic_chunks(std::size_t bytes);

/// One operation for each member here. Collective.
MemberOperations make_device_pipeline(const DevicePipelineSetup& setup);

}  // namespace shardfft::gpu
