#pragma once
// On the stand-in: GPUs that run small arrays as others run large ones.
#include "geometry/shape.hpp"
#include "tune/defaults.hpp"

namespace shardfft::test {

/// The first shape on GPUs; on the stand-in, which computes on a core, one of fewer points, for SmallerGpus.
inline Shape fitting(const Shape& on_gpus, const Shape& on_standin) {
  return SHARDFFT_ON_STANDIN ? on_standin : on_gpus;
}

/// While it lives, what launches and copies take beside their bytes is worth a sixteenth of those bytes on the
/// stand-in, and pages are as much smaller: arrays of a sixteenth of the size are cut, padded, stored into peers and
/// transformed by planes. No other thread may plan.
class SmallerGpus {
 public:
  SmallerGpus() {
    constexpr int times = SHARDFFT_ON_STANDIN ? 16 : 1;
    given_gpu_defaults.elements_worth_passes /= times;
    given_gpu_defaults.large_page_bytes /= times;
    PeerGpuDefaults& peers = given_peer_gpu_defaults;
    for (std::size_t* bytes : {&peers.pipeline_chunk_bytes, &peers.bytes_worth_a_copy, &peers.bytes_in_a_copy,
                               &peers.bytes_in_a_launch, &peers.bytes_worth_turns, &peers.most_bytes_to_store,
                               &peers.most_bytes_to_store_planes, &peers.bytes_worth_padding, &peers.engine_call_bytes,
                               &peers.bytes_worth_an_order, &peers.bytes_worth_two_copies})
      *bytes /= times;
  }
  ~SmallerGpus() {
    given_gpu_defaults = {};
    given_peer_gpu_defaults = {};
  }
  SmallerGpus(const SmallerGpus&) = delete;
  SmallerGpus& operator=(const SmallerGpus&) = delete;
};

}  // namespace shardfft::test
