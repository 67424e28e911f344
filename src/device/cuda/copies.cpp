// Copies and flags of device/runtime.hpp by the CUDA runtime.
#include <cstddef>

#include "device/cuda/calls.hpp"
#include "device/runtime.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device {

namespace {

void copy_at_once(const BoxCopy& copy, StreamHandle stream) {
  if (copy.bytes == 0 || copy.rows == 0 || copy.slices == 0) return;
  // The runtime's limit of a pitch: longer rows, and rows further apart, are copied one by one.
  constexpr std::size_t largest_pitch = 2147483647;
  if (copy.to.pitch > largest_pitch || copy.from.pitch > largest_pitch) {
    for (std::size_t s = 0; s < copy.slices; ++s)
      for (std::size_t r = 0; r < copy.rows; ++r)
        copy_bytes(static_cast<std::byte*>(copy.to.base) + s * copy.to.slice + r * copy.to.pitch,
                   static_cast<const std::byte*>(copy.from.base) + s * copy.from.slice + r * copy.from.pitch,
                   copy.bytes, stream);
    return;
  }
  if (copy.slices == 1) {
    check(cudaMemcpy2DAsync(copy.to.base, copy.to.pitch, copy.from.base, copy.from.pitch, copy.bytes, copy.rows,
                            cudaMemcpyDefault, stream_of(stream)),
          "cudaMemcpy2DAsync");
    return;
  }
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(copy.from.base, copy.from.pitch, copy.bytes, copy.from.slice / copy.from.pitch);
  box.dstPtr = make_cudaPitchedPtr(copy.to.base, copy.to.pitch, copy.bytes, copy.to.slice / copy.to.pitch);
  box.extent = make_cudaExtent(copy.bytes, copy.rows, copy.slices);
  box.kind = cudaMemcpyDefault;
  check(cudaMemcpy3DAsync(&box, stream_of(stream)), "cudaMemcpy3DAsync");
}

}  // namespace

/// Copy engines seem to cut rows longer than 8 KB into pieces of 8 KB, and a short last piece costs too much: rows of 9
/// KB are copied at four fifths of the rate, and rows of 12 KB too if other work uses memory (docs/gpu-design.md). Two
/// copies are faster.
void copy_box(const BoxCopy& copy, StreamHandle stream) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const std::size_t piece = defaults.engine_piece_bytes;
  const std::size_t whole = copy.bytes / piece * piece, rows = copy.rows * copy.slices;
  const bool short_piece = whole != 0 && whole != copy.bytes && copy.bytes < 8 * piece;
  if (!short_piece || rows == 1 || copy.bytes * rows < defaults.bytes_worth_two_copies) {
    copy_at_once(copy, stream);
    return;
  }
  BoxCopy first = copy, rest = copy;
  first.bytes = whole;
  rest.bytes -= whole;
  for (CopySide* side : {&rest.to, &rest.from}) side->base = static_cast<char*>(side->base) + whole;
  copy_at_once(first, stream);
  copy_at_once(rest, stream);
}

void copy_bytes(void* to, const void* from, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)), "cudaMemcpyAsync");
}

void fill_zero(void* memory, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  check(cudaMemsetAsync(memory, 0, bytes, stream_of(stream)), "cudaMemsetAsync");
}

namespace {
using FlagCall = CUresult(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
/// 1 marks a flag that is set.
void on_flag(FlagCall* call, const std::uint32_t* flag, unsigned int how, StreamHandle stream) {
  const CUresult result = call(stream_of(stream), reinterpret_cast<CUdeviceptr>(flag), 1, how);
  if (result != CUDA_SUCCESS) fail(Status::backend_failure, "CUDA: flags of streams: error ", int{result});
}
}  // namespace

void signal(std::uint32_t* flag, StreamHandle stream) {
  static auto* const write = driver_function<FlagCall>("cuStreamWriteValue32");
  on_flag(write, flag, CU_STREAM_WRITE_VALUE_DEFAULT, stream);
}

void await_signal(const std::uint32_t* flag, StreamHandle stream) {
  static auto* const await = driver_function<FlagCall>("cuStreamWaitValue32");
  on_flag(await, flag, CU_STREAM_WAIT_VALUE_EQ, stream);
}

}  // namespace shardfft::device
