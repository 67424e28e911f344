#pragma once
// Times of every piece that the slab engine enqueues, from events around it on its own stream.
#include <map>
#include <string>

#include "common.cuh"
#include "gpu/slab/slab_observer.hpp"

namespace bench {

struct Piece {
  std::string what;
  int device, stream;  // streams of a device are numbered in order of appearance
  double begin_ms, end_ms;
};

/// Give it to SlabOptions::observer. Records only between start() and pieces().
class SlabTrace : public shardfft::gpu::SlabObserver {
 public:
  /// All devices idle: their clocks are set to zero here, a few microseconds apart.
  void start(int devices) {
    open_.clear();
    bases_.resize(static_cast<std::size_t>(devices));
    synchronize_all(devices);
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      CHECK(cudaEventCreate(&bases_[static_cast<std::size_t>(d)]));
      CHECK(cudaEventRecord(bases_[static_cast<std::size_t>(d)]));
    }
    recording_ = true;
  }
  void begin(const char* what, int, void* stream) override {
    if (!recording_) return;
    Mark mark{what, 0, stream, nullptr, nullptr};
    CHECK(cudaGetDevice(&mark.device));
    CHECK(cudaEventCreate(&mark.begin));
    CHECK(cudaEventCreate(&mark.end));
    CHECK(cudaEventRecord(mark.begin, static_cast<cudaStream_t>(stream)));
    open_.push_back(mark);
  }
  void end(void* stream) override {
    if (recording_) CHECK(cudaEventRecord(open_.back().end, static_cast<cudaStream_t>(stream)));
  }
  /// When all devices are idle again.
  std::vector<Piece> pieces() {
    recording_ = false;
    std::vector<Piece> found;
    std::vector<std::map<void*, int>> streams(bases_.size());
    for (const Mark& mark : open_) {
      const auto device = static_cast<std::size_t>(mark.device);
      CHECK(cudaSetDevice(mark.device));
      float begin = 0, end = 0;
      CHECK(cudaEventElapsedTime(&begin, bases_[device], mark.begin));
      CHECK(cudaEventElapsedTime(&end, bases_[device], mark.end));
      const int number =
          streams[device].try_emplace(mark.stream, static_cast<int>(streams[device].size())).first->second;
      found.push_back({mark.what, mark.device, number, begin, end});
      cudaEventDestroy(mark.begin);
      cudaEventDestroy(mark.end);
    }
    for (cudaEvent_t base : bases_) cudaEventDestroy(base);
    return found;
  }

 private:
  struct Mark {
    const char* what;
    int device;
    void* stream;
    cudaEvent_t begin, end;
  };
  bool recording_ = false;
  std::vector<cudaEvent_t> bases_;
  std::vector<Mark> open_;
};

/// Milliseconds during which at least one of the pieces ran: the most of any device.
inline double busy_ms(const std::vector<Piece>& pieces, bool sends, int devices) {
  double most = 0;
  for (int d = 0; d < devices; ++d) {
    std::vector<std::pair<double, double>> spans;
    for (const Piece& p : pieces)
      if (p.device == d && (p.what == "send") == sends) spans.emplace_back(p.begin_ms, p.end_ms);
    std::sort(spans.begin(), spans.end());
    double busy = 0, reached = 0;
    for (const auto& [begin, end] : spans) {
      busy += std::max(0.0, end - std::max(begin, reached));
      reached = std::max(reached, end);
    }
    most = std::max(most, busy);
  }
  return most;
}

}  // namespace bench
