#pragma once
// A reshape by messages as an operation: whole, or in chunks with the transforms at its ends. Other chunks are then
// transformed while the messages of one chunk are on their way (FFT-ECP chapter 4, granularity of tasks).
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
  std::optional<BundledFftSetup> before{};  ///< its result is `from`
  std::optional<BundledFftSetup> after{};   ///< its input is `to`
  Pieces pieces = in_pieces({from, to}, Chunking{});
};

/// Its scratch memory has the arrays in between. Transforms in place work on the operation's own input or output.
/// Collective.
std::unique_ptr<Operation> make_pipeline(const PipelineSetup& setup);

}  // namespace shardfft
