// The part of an adapter that is the same for every GPU library: where the pieces are, exact values made on the GPUs.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <vector>

#include "../adapter_base.hpp"

namespace shardfft::bench {

// Throws with the call's text when a status of the CUDA runtime or of a CUDA library is not zero.
inline void gpu_check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(status));
}
inline void gpu_check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}
#define BENCH_GPU_CHECK(call) ::shardfft::bench::gpu_check((call), #call)

// What one GPU holds of one side.
struct Piece {
  Part part;
  void* data = nullptr;
  int device = 0;
};

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  // On the current device.
  explicit DeviceBuffer(std::size_t bytes) {
    void* memory = nullptr;
    BENCH_GPU_CHECK(cudaMalloc(&memory, bytes < 256 ? 256 : bytes));
    memory_.reset(memory);
  }
  void* get() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(void* p) const { cudaFree(p); }
  };
  std::unique_ptr<void, Free> memory_;
};

// A derived class fills the protected members in plan(): one piece a GPU that this process drives.
class GpuAdapter : public Adapter {
 public:
  Part field_part() const override { return whole(field_, wanted_.shape); }
  Part spectrum_part() const override { return whole(spectrum_, wanted_.spectrum()); }
  void* field() override { return field_.at(0).data; }
  void* spectrum() override { return spectrum_.at(0).data; }
  double backward_scale() const override { return scale_; }
  // All of this process's GPUs are done.
  void finish() override;
  std::unique_ptr<Values> make_values(const Case& wanted) override;
  bool on_device() const override { return true; }
  Json device_facts() const override;

  const std::vector<Piece>& pieces(Side side) const { return side == Side::field ? field_ : spectrum_; }
  // Called when exact values of that side have just been put into the buffers.
  virtual void filled(Side) {}

 protected:
  std::vector<Piece> field_, spectrum_;
  Case wanted_;
  double scale_ = 1;

 private:
  // One piece is this process's part; several pieces of one process are the whole array.
  static Part whole(const std::vector<Piece>& pieces, const Triple& shape) {
    return pieces.size() == 1 ? pieces[0].part : packed_part({}, shape);
  }
};

// The device of this rank: its place on its host, modulo the GPUs there.
int device_of_rank(MPI_Comm comm);

}  // namespace shardfft::bench
