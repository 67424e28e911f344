#include "gpu/slab/slab_places.hpp"

#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// Whether GPUs write slowly into such arrays of users: of other processes, no whole number of large pages. Where
/// memory is short that does not count. The same on all ranks.
template <class BytesOf>
bool written_slowly(const SlabShape& shape, const SlabSetup& setup, BytesOf bytes_of) {
  if (setup.few_buffers || setup.team->all_here()) return false;
  for (int r = 0; r < shape.ranks; ++r)
    if (bytes_of(r) % setup.page_bytes != 0) return true;
  return false;
}

/// Whether peers write into rows of our own and not into the spectrum: padded z lines; spectra that they would write
/// slowly; spectra that are the input, too. The same on all ranks.
bool has_own_rows(const SlabShape& shape, const SlabSetup& setup) {
  if (shape.dense_spectrum || setup.in_place) return true;
  return written_slowly(shape, setup, [&shape](int r) { return shape.spectrum_bytes(r); });
}

/// Whether peers may write planes into the fields: they lie like these, and are not written slowly there.
bool fields_take_planes(const SlabShape& shape, const SlabSetup& setup) {
  return shape.planes_like_field() && !written_slowly(shape, setup, [&shape](int r) { return shape.field_bytes(r); });
}

/// Whether rows on the way back lie in such an order that the field's planes can take their place. On all ranks alike.
bool leave_in_order(const SlabShape& shape, const SlabRank& rank) { return rank.packs() && !shape.woven; }

/// Which planes lie in `middle`: [forward, backward]. Forward those for which the spare array has room, or the spectrum
/// where peers do not write into it. Backward those that fields take, where nobody needs the input any more, or rows
/// cannot lie there. The same on all ranks.
std::array<bool, 2> planes_in_middle(const SlabShape& shape, const SlabRank& rank, const SlabOptions& options,
                                     const SlabSetup& setup, bool own_rows) {
  const std::vector<std::size_t>& spare = setup.ends[0].spare;
  bool room = !spare.empty() || (own_rows && shape.planes_like_field());
  for (int r = 0; r < shape.ranks; ++r) {
    const std::size_t there = spare.empty() ? shape.spectrum_bytes(r) : spare[static_cast<std::size_t>(r)];
    room = room && shape.planes_bytes(r) <= there;
  }
  const bool wanted = !setup.ends[1].keeps_input || !(rank.stores() || leave_in_order(shape, rank));
  return {room, options.in_place || (wanted && !setup.in_place && fields_take_planes(shape, setup))};
}

/// In the spectrum if it may be overwritten. In the field if that has room, and its planes can take the place of rows
/// in the order in which these leave; with few buffers also where planes must wait for them.
RowsBack rows_back(const SlabShape& shape, const SlabRank& rank, int number, const SlabSetup& setup, bool in_middle) {
  if (rank.stores() && !rank.copied()) return RowsBack::none;
  if (!setup.ends[1].keeps_input && shape.pitch() == shape.spectrum_pitch()) return RowsBack::spectrum;
  const bool room = rank.rows_back_bytes() <= shape.field_bytes(number);
  return !in_middle && !setup.in_place && room && (leave_in_order(shape, rank) || setup.few_buffers)
             ? RowsBack::field
             : RowsBack::scratch;
}

}  // namespace

bool runs_in_one_array(const SlabShape& shape, const SlabOptions& options, const SlabSetup& setup) {
  return setup.in_place && !options.stores && fields_take_planes(shape, setup);
}

SlabPlaces places_of(const SlabRank& rank, int number, const SlabShape& shape, const SlabOptions& options,
                     const SlabSetup& setup) {
  SlabPlaces places;
  places.in_place = options.in_place;
  places.own_rows = has_own_rows(shape, setup);
  places.in_middle = planes_in_middle(shape, rank, options, setup, places.own_rows);
  places.rows_back = rows_back(shape, rank, number, setup, places.has_middle(Direction::backward));
  return places;
}

}  // namespace shardfft::gpu
