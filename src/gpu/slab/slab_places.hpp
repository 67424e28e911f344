#pragma once
// In which arrays the planes and rows of a slab of the engine lie: those of the user, where these have room, or
// scratch.
#include <array>

#include "gpu/slab/slab.hpp"
#include "gpu/slab/slab_rank.hpp"

namespace shardfft::gpu {

/// Where the rows wait for the copies on the way back.
enum class RowsBack { none, scratch, spectrum, field };

struct SlabPlaces {
  bool own_rows = false;            ///< peers write into rows in scratch and not into the spectrum; of all ranks
  std::array<bool, 2> in_middle{};  ///< the planes are in `middle` and not in scratch: forward, backward; of all ranks
  bool in_place = false;            ///< input and result may be one array, which the planes are, too
  RowsBack rows_back = RowsBack::scratch;
  std::int64_t tail = 0;         ///< forward so many of the last planes lie in scratch, where `middle` has no room
  std::size_t packed_bytes = 0;  ///< SlabArrays::packed

  bool has_middle(Direction direction) const { return in_middle[static_cast<std::size_t>(direction)]; }
};

/// SlabOptions::in_place.
bool runs_in_one_array(const SlabShape& shape, const SlabOptions& options, const SlabSetup& setup);
/// Of rank `number`, made with these options.
SlabPlaces places_of(const SlabRank& rank, int number, const SlabShape& shape, const SlabOptions& options,
                     const SlabSetup& setup);

}  // namespace shardfft::gpu
