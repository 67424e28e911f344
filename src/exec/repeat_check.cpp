#include "exec/repeat_check.hpp"

#include <cstring>

#include "base/aligned.hpp"
#include "pack/block_sums.hpp"

namespace shardfft {

namespace {

class RepeatCheck : public StepCheck {
 public:
  RepeatCheck(Operation& operation, std::size_t in_bytes, std::size_t out_bytes)
      : operation_(operation), in_bytes_(in_bytes), out_bytes_(out_bytes), copy_(allocate_aligned(out_bytes)) {}
  void before(const std::byte* in, bool /*compares_bits*/) override {
    operation_.run(in, copy_.get(), nullptr);
    read_ = word_sum(in, in_bytes_);
  }
  StepBits after(const std::byte* out) override {
    same_ = out_bytes_ == 0 || std::memcmp(copy_.get(), out, out_bytes_) == 0;
    return {read_, word_sum(out, out_bytes_)};
  }
  Finding finding() const override { return repeat_finding(same_); }
  std::size_t table_bytes() const override { return out_bytes_; }

 private:
  Operation& operation_;
  std::size_t in_bytes_, out_bytes_;
  AlignedMemory copy_;
  std::uint64_t read_ = 0;
  bool same_ = true;
};

}  // namespace

std::unique_ptr<StepCheck> make_repeat_check(Operation& operation, std::size_t in_bytes, std::size_t out_bytes) {
  return std::make_unique<RepeatCheck>(operation, in_bytes, out_bytes);
}

}  // namespace shardfft
