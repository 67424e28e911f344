#pragma once
// Wisdom: ways that plans measured, kept for later plans of the same problem on machines alike.
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
  std::string problem;   ///< problem_key() and how the ranks are placed on hosts
  std::string versions;  ///< of this library, MPI and the GPUs' driver: others may make another way the fastest
  std::string way;       ///< Way::text()
  Effort effort = Effort::measure;
  double seconds = 0;  ///< of one forward and one backward run, on the slowest rank; 0: they were not timed
  std::string date;    ///< "2026-11-29T17:05:00Z"
};

/// Entries by machine and problem.
class Wisdom {
 public:
  /// Reads text(). Entries that are damaged are left out. Throws Error(invalid_argument) for a text that is none, and
  /// for one of another version of this format.
  static Wisdom parse(const std::string& text);
  /// A document of JSON with an entry a line.
  std::string text() const;

  /// In the place of one for the same problem that is worth less: measured with less effort by the same versions, or
  /// earlier. Whether it was taken.
  bool add(const Remembered& entry);
  /// How many of these were taken.
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
  bool is_named = false;  ///< by the user, whose the folder and the file then need not be

  /// Nothing if there is no such file. Throws Error(invalid_argument) for one that is no wisdom, with its path.
  std::optional<Wisdom> read() const;
  /// Throws Error(invalid_argument) if the file could not be written.
  void require_writable() const;
  /// Adds these to the file, which other jobs may write meanwhile: nothing is locked, and nothing of theirs is lost.
  /// Throws Error if it cannot be written.
  void add(const Wisdom& more) const;
};

}  // namespace shardfft
