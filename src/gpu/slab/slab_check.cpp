#include "gpu/slab/slab_check.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace shardfft::gpu {

DeviceChecks make_slab_checks(const SlabShape& shape, int rank, Direction direction, bool copied, SlabChecks& checks) {
  DeviceChecks all;
  const auto add = [&all](auto check) {
    const auto* const made = check.get();
    all.push_back(std::move(check));
    return made;
  };
  checks.direction = direction;
  checks.planes = add(std::make_unique<PassesCheck>(
      direction == Direction::forward ? std::vector<CheckedPass>{{1}, {0}} : std::vector<CheckedPass>{{0}, {-1}}));
  const Shape spectrum{shape.nx, shape.ny, shape.nzc()};
  const Layout planes = Layout::slab(spectrum, shape.ranks, 0), rows = Layout::slab(spectrum, shape.ranks, 1);
  add(make_device_move_check(planes, rows, rank, shape.complex_bytes()));
  checks.x = add(std::make_unique<PassesCheck>(std::vector<CheckedPass>{{0}}));
  if (copied) checks.spectrum = add(std::make_unique<CopyCheck>());
  if (direction == Direction::backward) std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace shardfft::gpu
