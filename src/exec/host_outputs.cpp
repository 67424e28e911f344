#include "exec/host_outputs.hpp"

namespace shardfft {

HostOutputs::HostOutputs(const HostReshapeSetup& setup)
    : host_(setup.host),
      members_(setup.members),
      turns_(*setup.host, setup.control, setup.turn_index, members_, setup.watch),
      arrays_(static_cast<std::size_t>(setup.to.ranks())),
      trace_(setup.trace) {}

void HostOutputs::offer(std::byte* mine) { turns_.publish(host_->locate(mine)); }

void HostOutputs::open() {
  const Scope scope(trace_, Activity::wait);
  turns_.wait_published();
  for (std::size_t i = 0; i < members_.size(); ++i)
    arrays_[static_cast<std::size_t>(members_[i])] = host_->resolve(members_[i], turns_.address(i));
}

void HostOutputs::close() {
  const Scope scope(trace_, Activity::wait);
  turns_.finish();
  turns_.wait_finished();
}

}  // namespace shardfft
