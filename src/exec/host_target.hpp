#pragma once
// The target on CPUs: caches, memory that the ranks of a host share, messages in chunks.
#include "exec/compile.hpp"
#include "lower/target.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

class HostTarget : public Target {
 public:
  /// `host` is null unless the exchange reads the host's shared memory.
  HostTarget(const ExecutorSetup& setup, const HostMemory* host)
      : Target(setup.options.workspace == Workspace::least), setup_(setup), host_(host) {}

  std::vector<std::vector<int>> groups(const Program& program, int step) override;
  AxisOrder order_after(const Program& program, int step) override;
  Fusion fusion(const Program& program, const std::vector<int>& steps, std::size_t at) override;
  bool in_place(const Program& program, int step) override;

  /// Whether all data of the reshape stays on its host, for all ranks. Collective.
  bool stays_on_hosts(const Program& program, int step) const;

 private:
  bool leads_back(const Program& program, int step) const;
  bool pads_lines(const Program& program, const std::vector<int>& steps, std::size_t at) const;
  Fusion shared_fusion(const Program& program, const std::vector<int>& steps, std::size_t at) const;

  const ExecutorSetup& setup_;
  const HostMemory* host_;
};

}  // namespace shardfft
