#include "exec/host_targets.hpp"

namespace shardfft {

HostTargets::HostTargets(const HostReshapeSetup& setup)
    : host_(setup.host),
      members_(setup.members),
      turns_(*setup.host, setup.control, setup.turn_index, members_, setup.watch),
      arrays_(static_cast<std::size_t>(setup.to.ranks())),
      trace_(setup.trace) {}

void HostTargets::offer(std::byte* mine) { turns_.publish(host_->locate(mine)); }

void HostTargets::open() {
  const Scope scope(trace_, Activity::wait);
  turns_.wait_writers();
  for (std::size_t i = 0; i < members_.size(); ++i)
    arrays_[static_cast<std::size_t>(members_[i])] = host_->resolve(members_[i], turns_.address(i));
}

void HostTargets::close() {
  const Scope scope(trace_, Activity::wait);
  turns_.release();
  turns_.wait_readers();
}

}  // namespace shardfft
