#pragma once
// Wisdom: ways that plans measured, kept for later plans of the same problem on similar machines.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "shardfft/options.hpp"

namespace shardfft {

/// A way that was measured once.
struct Remembered {
  std::string machine;   ///< processors, GPUs and links, as text
  std::string problem;   ///< problem_key(), and the placement of ranks on hosts
  std::string versions;  ///< of this library, MPI and the GPUs' driver: with others, another way may be the fastest
  std::string way;       ///< Way::text()
  Effort effort = Effort::measure;
  double seconds = 0;  ///< of one forward and one backward run, on the slowest rank; 0: they were not timed
  std::string date;    ///< "2026-11-29T17:05:00Z"
};

/// Entries by machine and problem.
class Wisdom {
 public:
  /// Reads text(). Skips damaged entries. Throws Error(invalid_argument) if the text is not wisdom, or is of another
  /// version of this format.
  static Wisdom parse(const std::string& text);
  /// A JSON document with one entry a line.
  std::string text() const;

  /// Adds the entry, unless one of the same problem is worth more. An entry is worth less if the same versions measured
  /// it with less effort, or if it is older. Returns whether it was added.
  bool add(const Remembered& entry);
  /// Returns the number of entries that were added.
  int add(const Wisdom& others);
  const Remembered* find(const std::string& machine, const std::string& problem) const;
  std::size_t size() const { return entries_.size(); }
  std::size_t damaged() const { return damaged_; }
  bool has_machine(const std::string& machine) const;

 private:
  std::map<std::pair<std::string, std::string>, Remembered> entries_;
  std::size_t damaged_ = 0;
};

/// A file of wisdom.
struct WisdomFile {
  std::string path;       ///< empty: none
  bool is_named = false;  ///< by the user: then its folder and file may be another user's

  /// Nothing if there is no such file. Throws Error(invalid_argument), with the path, if it is not wisdom.
  std::optional<Wisdom> read() const;
  /// Throws Error(invalid_argument) if the file cannot be written.
  void require_writable() const;
  /// Adds these to the file, which other jobs may write meanwhile: nothing is locked, and none of their entries is
  /// lost. Throws Error if the file cannot be written.
  void add(const Wisdom& more) const;
};

}  // namespace shardfft
