#pragma once
// All choices of a plan as one value: a line of text that reads itself back.
#include <cstddef>
#include <map>
#include <string>

#include "shardfft/types.hpp"

namespace shardfft {

/// Arrays of a plan on GPUs beside input and output: those of the fastest way; fewer, which takes more time; or at most
/// one, in which everything runs as with workspace = least.
enum class Spare { fast, few, one_array };

/// Transforms are named as in reports ("c2c 512 forward, side by side").
struct Way {
  std::string algorithm;  ///< a name, without "auto"
  std::string exchange;   ///< of changes of layout by messages, or "shared_window"
  int chunks = 1;         ///< like the option
  Shape grid{};           ///< like the option; empty: by the algorithm
  int active = 0;         ///< ranks that transform; 0: all
  Spare room = Spare::fast;
  /// CPUs: the size of a rank's results, in bytes, from which all ranks write past the cache. 0: not decided.
  std::size_t past_cache = 0;
  std::map<std::string, std::string> libraries{};  ///< CPUs: the library of each transform
  std::map<std::string, std::string> passes{};     ///< GPUs: the passes of each transform that several could make
  /// CPUs: the exchanges of changes of layout that do not take `exchange`, by the names of exec/compile.
  std::map<std::string, std::string> exchanges{};

  bool operator==(const Way&) const = default;
  /// Adds plans of a transform, texts with " | " between them, to those that it has.
  void add_passes(const std::string& transform, const std::string& plans);
  /// "slab", "pencil 2x3", "slab on 6 ranks".
  std::string algorithm_name() const;

  /// "shardfft 1.2.3; algorithm=slab; exchange=p2p; chunks=1; ...; library c2c 512 forward=fftw".
  std::string text() const;
  /// Throws Error if the text is not a way, or is of another version of this library.
  static Way parse(const std::string& text);
};

/// The differences between a plan's way and the wanted one: "chunks is 1, not 8". Empty if there are none.
std::string differences(const Way& wanted, const Way& made);

}  // namespace shardfft
