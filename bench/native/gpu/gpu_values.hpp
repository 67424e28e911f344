// The exact field and spectrum made and compared on the GPUs, from factors computed on the host: a host would take
// minutes for the sizes that GPUs transform in milliseconds.
#pragma once

#include "gpu_adapter.hpp"

namespace shardfft::bench {

class GpuValues : public Values {
 public:
  GpuValues(const Case& wanted, GpuAdapter& adapter);

  void fill(Side side) override;
  ErrorSums compare(Side side, double scale) override;
  // Making the values again is as fast as copying them, and needs no memory.
  void keep(Side side) override { kept_ = side; }
  void restore() override { fill(kept_); }

 private:
  // Per piece: the factors of both sides, [side][term][axis] one after the other, and where the sums go.
  struct Tables {
    DeviceBuffer memory, sums;
  };

  const Case& case_;
  GpuAdapter& adapter_;
  std::size_t offset_[2][Field::terms][3] = {};
  std::vector<Tables> tables_;  // one a piece
  Side kept_ = Side::field;
};

}  // namespace shardfft::bench
