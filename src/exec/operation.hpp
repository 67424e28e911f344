#pragma once
// One thing the executor runs: it reads one array and writes another.
#include <cstddef>
#include <memory>
#include <string>

#include "algorithm/program.hpp"
#include "base/trace.hpp"
#include "exec/cross_read.hpp"
#include "pack/short_numbers.hpp"
#include "run/role.hpp"
#include "schedule/pieces.hpp"

namespace shardfft {

class Operation {
 public:
  virtual ~Operation() = default;
  /// `scratch` holds at least scratch_bytes() bytes. in == out only if `runs_in_place()`.
  virtual void run(const std::byte* in, std::byte* out, std::byte* scratch) = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Memory that it keeps as long as the plan lives: factors, matrices, lists of copies.
  virtual std::size_t table_bytes() const { return 0; }
  virtual bool runs_in_place() const { return false; }
  /// True when other ranks read this rank's `in` while it runs: `in` must lie in a host window then.
  virtual bool reads_host_memory() const { return false; }
  /// True when other ranks write into this rank's `out` while it runs: `out` must lie in a host window then.
  virtual bool writes_host_memory() const { return false; }
  /// Waits until the other ranks have read the `in` of the last run.
  virtual void wait_readers() {}
  /// For an operation that reads host memory: what it would cost this rank to read all of it through the kernel.
  virtual CrossCost cross_cost() const { return {}; }
  /// From now on an `in` outside of the windows is read so; `memory` lives as long as the operation.
  virtual void read_across(const CrossMemory* /*memory*/) {}
  virtual Role role() const { return Role::computes; }
  /// What it is cut in, as Options::chunks asks; null where it is not.
  virtual const Pieces* pieces() const { return nullptr; }
  /// What it is, for report().
  virtual std::string describe() const = 0;
  /// Bytes this rank sends to others in one run.
  virtual std::int64_t bytes_sent() const { return 0; }
  /// Messages it takes for that.
  virtual std::int64_t messages_sent() const { return 0; }
  /// What rounding messages to fewer bytes cost, in all runs so far.
  virtual Loss loss() const { return {}; }
};

}  // namespace shardfft
