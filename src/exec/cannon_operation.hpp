#pragma once
// A matrix product along one axis as an operation.
#include "cannon/product.hpp"
#include "exec/operation.hpp"

namespace shardfft {

class CannonOperation : public Operation {
 public:
  explicit CannonOperation(const ProductSetup& setup) : product_(setup), axis_(setup.axis) {}
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override { product_.run(in, out, scratch); }
  std::size_t scratch_bytes() const override { return product_.scratch_bytes(); }
  std::size_t table_bytes() const override { return product_.table_bytes(); }
  std::int64_t bytes_sent() const override { return product_.bytes_sent(); }
  std::int64_t messages_sent() const override { return product_.messages_sent(); }
  Role role() const override { return Role::moves_and_computes; }
  std::string describe() const override {
    return "cannon axis " + std::to_string(axis_ - 1) + ", " + std::to_string(product_.ring_size()) +
           " rounds, rows of " + std::to_string(product_.row_size());
  }

 private:
  CannonProduct product_;
  int axis_;  ///< the batch counts as an axis
};

}  // namespace shardfft
