#pragma once
// A change of layout as an operation.
#include "exec/operation.hpp"
#include "reshape/reshape.hpp"

namespace shardfft {

class ReshapeOperation : public Operation {
 public:
  ReshapeOperation(const Layout& from, const Layout& to, const ReshapeSetup& setup, Trace* trace)
      : reshape_(from, to, setup, trace), exchange_(setup.exchange), numbers_(setup.numbers.text()) {}
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override { reshape_.run({in, out, scratch}); }
  std::size_t scratch_bytes() const override { return reshape_.workspace_bytes(); }
  std::size_t table_bytes() const override { return reshape_.table_bytes(); }
  std::int64_t bytes_sent() const override { return reshape_.bytes_sent(); }
  Loss loss() const override { return reshape_.loss(); }
  Role role() const override { return Role::moves; }
  std::string describe() const override {
    return "reshape by " + exchange_ + " in a group of " + std::to_string(reshape_.group_size()) + numbers_;
  }

 private:
  Reshape reshape_;
  std::string exchange_, numbers_;
};

}  // namespace shardfft
