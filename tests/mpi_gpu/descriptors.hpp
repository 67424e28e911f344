#pragma once
// Allocations that ranks share by file descriptors.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "gpu/team.hpp"
#include "mpi/offers.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/world.hpp"

namespace shardfft::test {

using device::Sharing;

/// SHARDFFT_DESCRIPTORS for a scope.
class Descriptors {
 public:
  explicit Descriptors(const char* value) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Descriptors() { before_ ? setenv(name, before_->c_str(), 1) : unsetenv(name); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

 private:
  static constexpr const char* name = "SHARDFFT_DESCRIPTORS";
  std::optional<std::string> before_;
};

/// An allocation and an event on each rank, and the handles of all. With the device current.
struct Shared {
  device::Stream stream = device::make_stream();
  device::Memory memory = device::make_memory(64, Sharing::descriptors);
  device::Event event = device::make_event(device::EventUse::counted);
  std::vector<device::IpcHandle> handles = gather_bytes(world(), device::export_memory(memory.get()));
  std::vector<device::IpcHandle> events = gather_bytes(world(), device::export_event(event.get()));
  std::size_t next = static_cast<std::size_t>((world().rank() + 1) % world().size());

  int first(void* of) const {
    int number = 0;
    device::copy_bytes(&number, of, sizeof number, stream.get());
    device::synchronize(stream.get());
    return number;
  }
  void write(void* to, int number) const {
    device::copy_bytes(to, &number, sizeof number, stream.get());
    device::synchronize(stream.get());
  }
};

}  // namespace shardfft::test
