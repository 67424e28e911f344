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
  std::optional<BundledFftSetup> before;  ///< into `from`
  std::optional<BundledFftSetup> after;   ///< out of `to`
  Pieces pieces;
  Trace* trace = nullptr;
};

/// The whole as one operation. Its intermediate arrays are part of
/// its scratch memory; transforms in place work on the operation's own input or output. Collective.
std::unique_ptr<Operation> make_pipeline(const PipelineSetup& setup);

}  // namespace shardfft
