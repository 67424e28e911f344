#pragma once
// The least of a few numbers over all ranks, again and again. A rank that waits may do other work, or leave.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace shardfft {

class Meeting {
 public:
  using Words = std::array<std::int64_t, 3>;

  virtual ~Meeting() = default;
  virtual void begin(const Words& mine) = 0;
  /// Moves on as far as is possible without waiting; true once result() is there.
  virtual bool done() = 0;
  /// Each number's least over the ranks.
  const Words& result() const { return known_; }

 protected:
  void hear(const Words& words) {
    for (std::size_t i = 0; i < known_.size(); ++i) known_[i] = std::min(known_[i], words[i]);
  }

  Words known_{};
};

}  // namespace shardfft
