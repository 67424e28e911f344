#pragma once
// The fused slab: two transforms and the exchange between them as one operation, on the slab engine (src/gpu/slab).
#include <array>
#include <optional>

#include "algorithm/program.hpp"
#include "gpu/move/exchange.hpp"
#include "run/setup.hpp"
#include "shardfft/options.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

/// Which arrays of a transform of the engine may hold what lies between its passes.
struct SlabEnds {
  bool keeps_input = true;  ///< else its input may be overwritten
  /// Bytes on each rank of an array that is neither input nor result, and free meanwhile; none: there is no such array.
  std::vector<std::size_t> spare{};
  bool spare_may_be_input = false;  ///< that array may be the input, too
};

struct SlabSetup {
  Team* team = nullptr;
  Precision precision = Precision::f64;
  std::array<double, 2> scale{1, 1};  ///< forward, backward
  int chunks = 0;                     ///< 0: chosen by size; 1: nothing is cut
  std::optional<bool> paired{};       ///< SlabOptions::paired
  /// Bytes of a member's planes from which on complex transforms and real ones in single precision are padded inside
  /// even where passes cannot store into peers.
  std::size_t padded_from = peer_gpu_defaults().bytes_worth_padding;
  std::size_t page_bytes = gpu_defaults().large_page_bytes;
  /// Bytes of a member's planes from which on some of them may lie apart from the others, where these have room in an
  /// array of the user: at the price of a launch and of a copy to each peer.
  std::size_t apart_from = peer_gpu_defaults().bytes_worth_apart;
  bool verify = false;             ///< the option: then only passes that check themselves
  bool in_place = false;           ///< input and result of both directions are one array, or may be
  bool few_buffers = false;        ///< as little memory as the engine can do with
  std::array<SlabEnds, 2> ends{};  ///< forward, backward
};

/// What the plan's options say.
inline SlabSetup slab_setup(const ExecutorSetup& setup) {
  SlabSetup slab;
  slab.precision = setup.precision;
  slab.chunks = setup.options.chunks;
  slab.verify = setup.options.verify;
  slab.in_place = setup.options.in_place;
  slab.few_buffers = setup.buffering == Buffering::few;
  return slab;
}

/// Steps of a program that become one slab operation.
inline constexpr int slab_steps = 3;
/// Whether the engine takes the steps [first, first + slab_steps) on this team: they must be a slab transform
/// (slab_shape_of_either). If x is the middle axis, all members need plane passes too, and with the option verify
/// passes that check themselves. Collective.
bool runs_as_slab(const Program& program, int first, const Team& team, const SlabSetup& setup);
/// Whether these steps are a slab transform themselves, and not the reverse of one.
bool is_forward_slab(const Program& program, int first);
/// Operations of the transform at `first` of a slab: [forward, backward][member here], whichever of the two it is. `in`
/// is left unchanged unless SlabEnds allow otherwise. Scratch holds the planes (one complex field), where they are not
/// `middle` (uses_middle()), and behind them the rows (one spectrum). There are no rows forward where peers write into
/// the spectrum itself, nor backward where passes store into peers, or where the input or the result has room for them.
/// `middle` is forward the result, or SlabEnds::spare where there is one; backward it is the result. Arrays must be
/// aligned to 16 bytes. Collective; throws unsupported where the team's GPUs are not all peers.
std::array<MemberOperations, 2> make_slab(const Program& program, int first, const SlabSetup& setup);

}  // namespace shardfft::gpu
