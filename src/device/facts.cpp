#include "device/facts.hpp"

#include "base/environment.hpp"
#include "device/line_recipe.hpp"
#include "device/runtime.hpp"

namespace shardfft::device {

const DeviceFacts& current_facts() { return facts(current_device()); }

bool bulk_copies_wanted() {
  return switch_in_environment("SHARDFFT_BULK_COPIES", "use bulk tensor copies").value_or(true);
}

DeviceFacts h200_facts() {
  DeviceFacts facts;
  facts.name = "NVIDIA H200";
  facts.multiprocessors = 132;
  facts.shared_bytes_a_block = lines::hopper.shared_bytes;
  facts.shared_bytes = lines::hopper.all_shared_bytes;
  facts.l2_bytes = std::size_t{60} << 20;
  facts.memory_bytes = std::size_t{139} << 30;
  facts.bulk_copies = true;
  facts.peer_link = PeerLink::direct;
  return facts;
}

}  // namespace shardfft::device
