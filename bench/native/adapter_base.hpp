// The part of an adapter that is the same for every host library: parts, buffers, scale, refusals.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>

#include "adapter.hpp"

namespace shardfft::bench {

// Memory for `bytes`, at a cache line, zeroed by first touch on this rank.
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::size_t bytes);
  void* get() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_;
};

// Holds what plan() found out. A derived class fills the protected members there.
class AdapterBase : public Adapter {
 public:
  Part field_part() const override { return field_part_; }
  Part spectrum_part() const override { return spectrum_part_; }
  void* field() override { return field_.get(); }
  void* spectrum() override { return spectrum_.get() ? spectrum_.get() : field_.get(); }
  double backward_scale() const override { return scale_; }

 protected:
  // Own buffers with room for `elements` (of their side) each; in place: one buffer for both.
  void allocate(const Case& wanted, std::int64_t field_elements, std::int64_t spectrum_elements);

  Part field_part_;
  Part spectrum_part_;
  double scale_ = 1;
  HostBuffer field_;
  HostBuffer spectrum_;
};

// The refusals that most adapters share: each returns a sentence, or nothing when the case is fine.
std::string refuse_unknown_options(const Description& description, const Case& wanted);
std::string refuse_by_capabilities(const Description& description, const Case& wanted, int ranks);

}  // namespace shardfft::bench
