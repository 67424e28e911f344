#include "gpu/run/pipeline_check.hpp"

namespace shardfft::gpu {

void JoinedCheck::place(std::size_t step, std::uint64_t* on_device, const std::uint64_t* on_host, std::uint64_t* sums) {
  DeviceCheck::place(step, on_device, on_host, sums);
  for (const auto& part : parts_) {
    part->place(step, on_device, on_host, sums);
    on_device += part->results();
    on_host += part->results();
    sums += part->sums();
  }
}

Finding JoinedCheck::finding() const {
  Finding all;
  for (const auto& part : parts_) all.add(part->finding());
  return all;
}

std::unique_ptr<PipelineCheck> PipelineCheck::make(std::unique_ptr<DeviceCheck> move, std::unique_ptr<EndCheck> before,
                                                   std::unique_ptr<EndCheck> after) {
  const EndCheck *const first = before.get(), *const last = after.get();
  std::vector<std::unique_ptr<DeviceCheck>> parts;
  parts.push_back(std::move(move));
  if (before != nullptr) parts.push_back(std::move(before));
  if (after != nullptr) parts.push_back(std::move(after));
  return std::unique_ptr<PipelineCheck>(new PipelineCheck(std::move(parts), first, last));
}

}  // namespace shardfft::gpu
