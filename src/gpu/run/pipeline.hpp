#pragma once
// A reshape between GPUs cut in chunks, and the transforms at its ends: while copies of one chunk are under way, others
// are transformed (FFT-ECP chapter 4, granularity of tasks).
#include "gpu/move/exchange.hpp"
#include "run/setup.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

/// One member's part of a chunk's transform, at byte offsets of its arrays.
struct FftPart {
  FftSpec spec;
  std::int64_t in = 0, out = 0;
};
FftPart part_of(const Pass& pass, int rank, Precision precision, const Slice& slice);

/// One operation for each member here. The transform before leads to `middle`, or stays in the operation's input; the
/// one behind keeps its numbers, and leads from `landing`, or stays in the output. `output_is_free`: until then; what
/// is sent may lie there (Outbox). Collective.
MemberOperations make_device_pipeline(const ExecutorSetup& setup, Team& team, const Joined& steps, const Pieces& pieces,
                                      bool leads = false, bool output_is_free = false);

}  // namespace shardfft::gpu
