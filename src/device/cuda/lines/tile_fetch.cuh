#pragma once
// Bulk tensor copies of a bundle's rows into shared memory. One thread requests them, and the copy engine of the
// multiprocessor works: unlike with cp.async, the requests do not queue in front of the FFT's own shared-memory
// accesses.
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif

#include "device/cuda/lines/kernel_pass.hpp"

namespace shardfft::device::lines {

/// Whether this is compiled for GPUs that have bulk copies. For others the kernels that need them are empty, and
/// planning does not choose them (DeviceFacts::bulk_copies).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_bulk_copies = false;
#else
inline constexpr bool has_bulk_copies = true;
#endif

/// A barrier in shared memory that counts arrivals, and the arriving bytes of one tile.
class TileBarrier {
 public:
  __device__ void open(unsigned arrivals = 1) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// Called by the thread that then requests the bytes. The fence orders the copies after earlier reads of that memory:
  /// in PTX, bulk copies are another proxy.
  __device__ void expect(unsigned bytes) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
  }
  __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory"); }
  /// Whether the phase of that parity is over.
  __device__ bool passed(unsigned parity) {
    unsigned done;
    asm volatile(
        "{\n.reg .pred done;\n"
        "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n}"
        : "=r"(done)
        : "r"(address()), "r"(parity)
        : "memory");
    return done != 0;
  }
  __device__ void wait(unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "again:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra.uni ready;\nbra.uni again;\nready:\n}" ::"r"(address()),
        "r"(parity)
        : "memory");
  }
  __device__ unsigned address() const { return static_cast<unsigned>(__cvta_generic_to_shared(&bits_)); }

 private:
  unsigned long long bits_;
};

/// The policy for data that are read once: the L2 cache evicts them first.
__device__ __forceinline__ unsigned long long read_once() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// One box of `map` at coordinates (column, row, outer) into `shared`, counted by `barrier`.
__device__ __forceinline__ void fetch_box(void* shared, const TensorMap* map, int column, int row, int outer,
                                          const TileBarrier& barrier, bool once = false) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if (once)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, "
        "{%2, %3, %4}], [%5], %6;" ::"r"(to),
        "l"(map), "r"(column), "r"(row), "r"(outer), "r"(barrier.address()), "l"(read_once())
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(to),
        "l"(map), "r"(column), "r"(row), "r"(outer), "r"(barrier.address())
        : "memory");
}

/// `bytes` (a multiple of 16) from `from` into `shared`, counted by `barrier`.
__device__ __forceinline__ void fetch_bytes(void* shared, const void* from, unsigned bytes, const TileBarrier& barrier,
                                            bool once = false) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if (once)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
        "%4;" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier.address()), "l"(read_once())
        : "memory");
  else
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier.address())
                 : "memory");
}

}  // namespace shardfft::device::lines
