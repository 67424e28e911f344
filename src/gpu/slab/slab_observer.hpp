#pragma once
// Tells drivers what a slab rank enqueues, piece by piece, so that they can draw or sum where the time goes.
#include "device/runtime.hpp"

namespace shardfft::gpu {

class SlabObserver {
 public:
  virtual ~SlabObserver() = default;
  /// Around the enqueuing of one piece of work of `rank` on `stream`, with the stream's device current.
  virtual void begin(const char* what, int rank, device::StreamHandle stream) = 0;
  virtual void end(device::StreamHandle stream) = 0;
};

/// Begins and ends a piece; nothing without an observer.
class SlabPiece {
 public:
  SlabPiece(SlabObserver* observer, const char* what, int rank, device::StreamHandle stream)
      : observer_(observer), stream_(stream) {
    if (observer_ != nullptr) observer_->begin(what, rank, stream);
  }
  ~SlabPiece() {
    if (observer_ != nullptr) observer_->end(stream_);
  }
  SlabPiece(const SlabPiece&) = delete;
  SlabPiece& operator=(const SlabPiece&) = delete;

 private:
  SlabObserver* observer_;
  device::StreamHandle stream_;
};

}  // namespace shardfft::gpu
