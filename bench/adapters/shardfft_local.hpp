// The local FFTs of a rank's share by this library's plans of one rank: planes and lines of slabs, else lines along
// each axis.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "shardfft_case.hpp"

namespace shardfft::bench {

class LocalFfts {
 public:
  LocalFfts(const Case& wanted, MPI_Comm comm) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const auto share = [&](std::int64_t count) { return (count + ranks - 1) / ranks; };
    const auto [n0, n1, n2] = wanted.shape;
    const std::int64_t last = wanted.spectrum()[2];
    const shardfft::Kind kind = transform_of(wanted).kind;
    if (wanted.layout == LayoutKind::slab) {
      add(wanted, kind, {share(n0), n1, n2}, {1, 2});
    } else {
      add(wanted, kind, {share(n0 * n1), n2}, {1});
      add(wanted, shardfft::Kind::c2c, {share(n0 * last), n1}, {1});
    }
    add(wanted, shardfft::Kind::c2c, {share(n1 * last), n0}, {1});
  }

  void run(Direction direction) {
    if (direction != Direction::backward)
      for (auto one = stages_.begin(); one != stages_.end(); ++one) one->plan.forward(one->in.data(), one->out.data());
    if (direction != Direction::forward)
      for (auto one = stages_.rbegin(); one != stages_.rend(); ++one)
        one->plan.backward(one->out.data(), one->in.data());
  }

 private:
  struct Stage {
    Plan plan;
    Buffer in, out;
  };

  void add(const Case& wanted, shardfft::Kind kind, const Shape& shape, std::vector<int> axes) {
    shardfft::Options options = options_of(wanted);
    // What concerns ranks does not concern one alone.
    options.axes = std::move(axes);
    options.grid.clear();
    options.algorithm = "auto";
    options.in_place = false;
    options.workspace = Options{}.workspace;
    Plan plan(MPI_COMM_SELF, Transform{kind, transform_of(wanted).precision}, Layout::slab(shape, 1, 0),
              shardfft::default_output, options);
    Buffer in = plan.allocate_input(), out = plan.allocate_output();
    stages_.push_back({std::move(plan), std::move(in), std::move(out)});
  }

  std::deque<Stage> stages_;
};

}  // namespace shardfft::bench
