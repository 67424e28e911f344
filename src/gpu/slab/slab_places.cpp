#include "gpu/slab/slab_places.hpp"

#include <algorithm>

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

/// How many of the last planes of rank r have no room in `middle` forward: the spare array, or the spectrum.
std::int64_t planes_without_room(const SlabShape& shape, const SlabSetup& setup, int r) {
  const std::vector<std::size_t>& spare = setup.ends[0].spare;
  const std::size_t room = spare.empty() ? shape.spectrum_bytes(r) : spare[static_cast<std::size_t>(r)];
  const std::int64_t planes = shape.x_count(r);
  if (planes == 0) return 0;
  return std::max<std::int64_t>(
      planes - static_cast<std::int64_t>(room / (shape.planes_bytes(r) / static_cast<std::size_t>(planes))), 0);
}

/// Forward, whether planes lie in the spare array, or in the spectrum where peers do not write into it. A quarter of
/// them may lie apart where they are large and by plane passes; but not if the array is the field, where other planes
/// than these are read. The same on all ranks.
bool forward_in_middle(const SlabShape& shape, const SlabOptions& options, const SlabSetup& setup, bool own_rows) {
  const bool spare = !setup.ends[0].spare.empty();
  const bool may_be_field = spare ? setup.ends[0].spare_may_be_input : setup.in_place;
  const bool apart = options.planes && !options.stores && !shape.woven && !setup.few_buffers && own_rows &&
                     shape.planes_bytes(0) >= setup.apart_from && (shape.planes_like_field() || !may_be_field);
  if (!spare && !(own_rows && (shape.planes_like_field() || apart))) return false;
  for (int r = 0; r < shape.ranks; ++r)
    if (planes_without_room(shape, setup, r) > (apart ? shape.x_count(r) / 4 : 0)) return false;
  return true;
}

/// Backward, whether planes lie in the field: where that takes them and nobody needs the input any more, or rows cannot
/// lie there. The same on all ranks.
bool backward_in_middle(const SlabShape& shape, const SlabRank& rank, const SlabOptions& options,
                        const SlabSetup& setup) {
  const bool wanted = !setup.ends[1].keeps_input || !(rank.stores() || leave_in_order(shape, rank));
  return options.in_place || (wanted && !setup.in_place && fields_take_planes(shape, setup));
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
  places.in_middle = {forward_in_middle(shape, options, setup, places.own_rows),
                      backward_in_middle(shape, rank, options, setup)};
  if (places.has_middle(Direction::forward)) {
    places.tail = planes_without_room(shape, setup, number);
    // x lines of the first part write all over the columns of planes that lie otherwise than the spectrum.
    const bool shares = setup.ends[0].spare.empty() && shape.pitch() != shape.spectrum_pitch();
    if (shares) places.packed_bytes = rank.later_parts_bytes();
  }
  places.rows_back = rows_back(shape, rank, number, setup, places.has_middle(Direction::backward));
  return places;
}

}  // namespace shardfft::gpu
