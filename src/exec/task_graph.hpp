#pragma once
// The tasks of a pipelined step and the order they run in: a graph of what must wait for what, sorted once.
#include <vector>

namespace shardfft {

/// What a task does with its chunk. Tasks that are ready run in this order of preference: messages are sent on their
/// way first, and waited for last.
enum class Stage { start, after, before, finish };

struct PipelineTask {
  Stage stage;
  int chunk;
  bool operator==(const PipelineTask&) const = default;
};

/// Where all tasks wait, because a later stage writes what an earlier one reads.
enum class Barrier { none, before_start, finish_after };

/// A transform `before` the exchange and one `after` it, each in chunks or whole (then as chunk 0), or missing.
struct PipelineShape {
  enum class Transform { none, whole, chunked };
  int chunks = 1;
  Transform before = Transform::none;
  Transform after = Transform::none;
  Barrier barrier = Barrier::none;
  /// Exchanges that may be under way at the same time.
  int in_flight = 2;
  /// Where the ends are cut along axes of their own, both `chunked`: so many exchanges take a chunk of the transform
  /// before each, the others what is left of all of them, each a chunk of the transform after. 0: each exchange is a
  /// chunk of both.
  int head = 0;
  int before_chunks = 0;  ///< then, of the transform before

  int befores() const { return head > 0 ? before_chunks : chunks; }
};

/// All tasks, each behind those it waits for. Starts and finishes come in the same order whatever the transforms and
/// barriers are, so that ranks with different arrays agree on it.
std::vector<PipelineTask> order_tasks(const PipelineShape& shape);

}  // namespace shardfft
