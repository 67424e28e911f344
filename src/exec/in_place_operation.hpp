#pragma once
// A change of layout inside one array as an operation.
#include "exec/operation.hpp"
#include "reshape/in_place_reshape.hpp"

namespace shardfft {

class InPlaceOperation : public Operation {
 public:
  InPlaceOperation(const Layout& from, const Layout& to, const ReshapeSetup& setup)
      : reshape_(from, to, setup), exchange_(setup.exchange), element_bytes_(setup.element_bytes) {}
  void run(const std::byte* /*in*/, std::byte* out, std::byte* scratch) override { reshape_.run(out, scratch); }
  std::size_t scratch_bytes() const override { return reshape_.workspace_bytes(); }
  std::size_t table_bytes() const override { return reshape_.table_bytes(); }
  bool runs_in_place() const override { return true; }
  std::int64_t bytes_sent() const override { return reshape_.sent() * static_cast<std::int64_t>(element_bytes_); }
  std::int64_t messages_sent() const override {
    return reshape_.group_size() > 1 ? std::int64_t{reshape_.rounds()} * (reshape_.group_size() - 1) : 0;
  }
  Role role() const override { return Role::moves; }
  std::string describe() const override {
    const std::string how = reshape_.group_size() == 1 ? ""
                            : reshape_.swaps()         ? ", blocks swapped by " + exchange_
                                               : ", " + std::to_string(reshape_.rounds()) + " rounds of " + exchange_;
    return "reshape in place in a group of " + std::to_string(reshape_.group_size()) + how;
  }

 private:
  InPlaceReshape reshape_;
  std::string exchange_;
  std::size_t element_bytes_;
};

}  // namespace shardfft
