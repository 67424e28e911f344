#pragma once
// Bulk tensor copies of a bundle's rows into shared memory. One thread asks, the copy engine of the multiprocessor
// works: unlike cp.async, the requests do not queue in front of the FFT's own shared-memory accesses.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace shardfft::cuda::lines {

/// A barrier in shared memory that counts the arriving bytes of one tile.
class TileBarrier {
 public:
  __device__ void open() {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address()) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ void expect(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
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
  std::uint64_t bits_;
};

/// One box of `map` at coordinates (column, row, outer) into `shared`, counted by `barrier`.
__device__ __forceinline__ void fetch_box(void* shared, const CUtensorMap* map, int column, int row, int outer,
                                          const TileBarrier& barrier) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];" ::"r"(to),
      "l"(map), "r"(column), "r"(row), "r"(outer), "r"(barrier.address())
      : "memory");
}

}  // namespace shardfft::cuda::lines
