#pragma once
// One operation of the executor: it reads one array and writes another.
#include <cstddef>
#include <memory>
#include <string>

#include "algorithm/program.hpp"
#include "base/trace.hpp"
#include "exec/cross_read.hpp"
#include "pack/pack.hpp"
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
  /// Memory that it keeps for the life of the plan: factors, matrices, lists of copies.
  virtual std::size_t table_bytes() const { return 0; }
  virtual bool runs_in_place() const { return false; }
  /// True if other ranks read this rank's `in` while it runs. Then `in` must be in a host window.
  virtual bool reads_host_memory() const { return false; }
  /// True if other ranks write to this rank's `out` while it runs. Then `out` must be in a host window.
  virtual bool writes_host_memory() const { return false; }
  /// Copies to `staged` the part of `in` that other ranks read, `bytes` at most. The next run gets `staged` as its
  /// `in`.
  virtual void stage(const std::byte* in, std::byte* staged, std::size_t bytes) { copy_bytes(in, staged, bytes); }
  /// The next run finds, or leaves, there the elements that stay on this rank in a reshape (geometry/staying_part.hpp).
  virtual void keep(std::byte* /*array*/) {}
  /// Waits until the other ranks have read the `in` of the last run.
  virtual void wait_readers() {}
  /// If it reads host memory: the cost for this rank of reading all of it through the kernel.
  virtual CrossCost cross_cost() const { return {}; }
  /// From now on an `in` outside of the windows is read through `memory`, which outlives the operation.
  virtual void read_across(const CrossMemory* /*memory*/) {}
  virtual Role role() const { return Role::computes; }
  /// Its pieces, as Options::chunks asks; null if it is not cut.
  virtual const Pieces* pieces() const { return nullptr; }
  /// Its description for report().
  virtual std::string describe() const = 0;
  /// Bytes that this rank sends to others in one run.
  virtual std::int64_t bytes_sent() const { return 0; }
  /// Number of messages for these bytes.
  virtual std::int64_t messages_sent() const { return 0; }
  /// The error of messages that are rounded to fewer bytes, over all runs so far.
  virtual Loss loss() const { return {}; }
};

}  // namespace shardfft
