#pragma once
// A reshape by messages as an operation: whole, or in chunks with the transforms at its ends, where others are
// transformed while the messages of one chunk are under way (FFT-ECP chapter 4, granularity of tasks).
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
  std::optional<BundledFftSetup> before{};  ///< into `from`
  std::optional<BundledFftSetup> after{};   ///< out of `to`
  Pieces pieces = in_pieces({from, to}, Chunking{});
};

/// Intermediate arrays are part of its scratch memory; transforms in place work on the operation's own input or output.
/// Collective.
std::unique_ptr<Operation> make_pipeline(const PipelineSetup& setup);

}  // namespace shardfft
