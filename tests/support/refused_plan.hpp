#pragma once
// Plans of slabs that all ranks must refuse alike.
#include <string>

#include "shardfft/shardfft.hpp"
#include "support/world.hpp"

namespace shardfft::test {

/// Making the plan throws Error(code) whose words contain `words`, on every rank. Collective.
inline void expect_refused(Status code, const std::string& words, Transform transform, const Shape& shape,
                           const Options& options) {
  expect_error(code, words,
               [&] { Plan(MPI_COMM_WORLD, transform, Layout::slab(shape, world().size()), natural_output, options); });
}

}  // namespace shardfft::test
