#pragma once
// A reshape between GPUs cut in chunks, and the transforms at its ends: while copies of one chunk are under way, others
// are transformed (FFT-ECP chapter 4, granularity of tasks).
#include "gpu/move/exchange.hpp"
#include "gpu/plan/divided_array.hpp"
#include "gpu/plan/staging_buffer.hpp"
#include "run/setup.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft::gpu {

/// The places of a pipeline's arrays.
struct PipelineArrays {
  bool last_out_of_place = false;  ///< the last transform reads the receive buffer and writes another one
  bool source_in_output = false;   ///< messages leave from an array in the plan's output, of which any may be written
  bool from_output() const { return last_out_of_place && source_in_output; }
  /// The arrays before and behind the reshape if they are divided, or null.
  std::shared_ptr<const DividedArray> source{}, result{};
  std::vector<std::int64_t> free_output{};  ///< by rank: bytes of the output if nothing else is there meanwhile
  bool may_wait = false;                    ///< the output is free meanwhile for outgoing data (StagingBuffer)
};

/// One operation for each member here.
struct DevicePipelines {
  MemberOperations operations;
  std::optional<std::size_t> waiting_bytes{};  ///< outgoing data without a place in the output, on any member here
};

/// The first transform writes `middle`, or stays in the operation's input. The last one reads `receive_buffer`, or
/// stays in the output. Collective.
DevicePipelines make_device_pipeline(const ExecutorSetup& setup, Team& team, const Joined& steps, const Pieces& pieces,
                                     const PipelineArrays& arrays);

}  // namespace shardfft::gpu
