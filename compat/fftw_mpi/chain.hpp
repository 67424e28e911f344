#pragma once
// The work of a plan, as steps from one array to another.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "shardfft/plan.hpp"
#include "shardfft/redistribution.hpp"

namespace shardfft::compat {

/// Steps that run one after the other. The first reads the input; all others work inside the output, which has room for
/// all data in between. An input in another array is therefore never overwritten.
class Chain {
 public:
  /// Reads one array and writes another, which may be the same.
  using Step = std::function<void(const void* in, void* out)>;

  void add(Step step) { steps_.push_back(std::move(step)); }
  void run(const void* in, void* out) const;

 private:
  std::vector<Step> steps_;
};

Chain::Step forward_of(std::shared_ptr<Plan> plan);
Chain::Step backward_of(std::shared_ptr<Plan> plan);
Chain::Step forward_of(std::shared_ptr<Redistribution> plan);

/// Rows of `length` bytes, `pitch` bytes apart, to be moved together, or apart again.
struct Rows {
  std::int64_t count = 0;
  std::size_t length = 0;
  std::size_t pitch = 0;
};
Chain::Step close_up(Rows rows);
Chain::Step move_apart(Rows rows);

/// Transposes a matrix of elements: `columns` numbers at each of `rows` indices become that many fields.
Chain::Step transpose(std::int64_t rows, std::int64_t columns, std::size_t element_bytes);

}  // namespace shardfft::compat
