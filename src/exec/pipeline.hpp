#pragma once
// A reshape cut in chunks, and the transforms at its ends: while the messages of one chunk are under way, others are
// transformed (FFT-ECP chapter 4, granularity of tasks).
#include <memory>
#include <optional>

#include "exec/chunk_fft.hpp"
#include "exec/operation.hpp"
#include "reshape/reshape.hpp"

namespace shardfft {

struct PipelineSetup {
  Layout from;  ///< of the reshape
  Layout to;
  ReshapeSetup reshape;
  std::optional<PipelineFft> before;  ///< into `from`
  std::optional<PipelineFft> after;   ///< out of `to`
  int chunks = 1;
  Trace* trace = nullptr;
};

/// The whole as one operation; choose_chunking() must have found an axis to cut. Its intermediate arrays are part of
/// its scratch memory; transforms in place work on the operation's own input or output. Collective.
std::unique_ptr<Operation> make_pipeline(const PipelineSetup& setup);

}  // namespace shardfft
