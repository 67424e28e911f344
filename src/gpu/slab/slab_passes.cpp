// The transforms of a slab rank.
#include <algorithm>

#include "device/copy_box.hpp"
#include "device/sums.hpp"
#include "gpu/slab/slab_rank.hpp"

namespace shardfft::gpu {

char* SlabRank::plane_row(void* planes, int rank, std::int64_t x, std::int64_t y) const {
  const std::int64_t line = x * shape_.field_x() + y * shape_.field_y(rank);
  return static_cast<char*>(planes) + static_cast<std::size_t>(line * shape_.pitch()) * shape_.complex_bytes();
}

char* SlabRank::x_row(void* rows, int rank, std::int64_t x, std::int64_t y) const {
  const std::int64_t line = x * shape_.spectrum_x(rank) + y * shape_.spectrum_y();
  return static_cast<char*>(rows) + static_cast<std::size_t>(line * shape_.pitch()) * shape_.complex_bytes();
}

/// For passes along y: from row (x, y) on in the planes of `rank`.
device::lines::Part SlabRank::part_of_planes(void* planes, int rank, std::int64_t x, std::int64_t y) const {
  return {plane_row(planes, rank, x, y), shape_.field_y(rank) * shape_.pitch(), shape_.field_x() * shape_.pitch()};
}
/// The rows of a rank from plane x on, as a part of a line pass's side.
device::lines::Part SlabRank::part_of_rows(void* rows, int rank, std::int64_t x) const {
  return {x_row(rows, rank, x, 0), shape_.spectrum_y() * shape_.pitch(), shape_.spectrum_x(rank) * shape_.pitch()};
}

/// For passes along x.
device::lines::Part turned(device::lines::Part part) {
  std::swap(part.line_stride, part.outer_stride);
  return part;
}

/// z lines (fused), or whole planes of cuFFT, between field and planes.
void SlabRank::plane_transform(const SlabArrays& own, Range planes, Direction direction,
                               device::StreamHandle stream) const {
  if (planes.count() == 0) return;
  if (fusion_.rows) {
    if (direction == Direction::backward)
      look(own, y_pass(own, planes, {0, shape_.nzc()}, direction), Moment::in_middle, stream);
    const std::int64_t end = shape_.nzc() - shape_.nzc() % device::lines::unit(shape_.transform.precision);
    return plane_pass(own, y_pass(own, planes, {end, end}, direction), stream);
  }
  char* field = static_cast<char*>(own.field) +
                static_cast<std::size_t>(planes.begin * shape_.ny * shape_.nz) * shape_.field_element_bytes();
  char* complex = plane_row(own.planes, rank_, planes.begin, 0);
  const bool forward = direction == Direction::forward;
  const bool other_plan = !forward && fusion_.two_way;
  const device::VendorFft& plan = plane_plans_.at(other_plan ? -planes.count() : planes.count());
  plan.execute(forward ? field : complex, forward ? complex : field, direction, stream);
}

device::lines::Pass SlabRank::pass(int n, Direction direction) const {
  device::lines::Pass pass;
  pass.n = n;
  pass.precision = shape_.transform.precision;
  pass.direction = direction;
  return pass;
}

device::lines::Pass SlabRank::y_pass(const SlabArrays& own, Range planes, Range z, Direction direction) const {
  device::lines::Pass p = pass(static_cast<int>(shape_.ny), direction);
  p.in.part[0] = p.out.part[0] = part_of_planes(planes_at(own, planes.begin), rank_, 0, 0);
  p.outer_begin = planes.begin;
  p.outer_end = planes.end;
  p.m_begin = z.begin;
  p.m_end = end_of(z);
  return p;
}

/// The arrays of rank q that a direct pass writes to; null where copy engines send what belongs to q.
const SlabArrays* SlabRank::straight_into(int q, const SlabArrays& own, std::span<const SlabPeer> peers) const {
  if (q == rank_) return &own;
  return options_.stores ? &peers[static_cast<std::size_t>(q)].arrays : nullptr;
}

/// As if plane 0 were there: where plane x lies, and those beside it in the same array.
void* SlabRank::planes_at(const SlabArrays& own, std::int64_t x) const {
  if (own.tail == nullptr || x < own.tail_begin) return own.planes;
  return static_cast<char*>(own.tail) -
         static_cast<std::size_t>(own.tail_begin * shape_.ny * shape_.pitch()) * shape_.complex_bytes();
}

/// A run of planes, in two where they lie in two arrays.
std::vector<SlabRank::Range> SlabRank::where_they_lie(const SlabArrays& own, Range planes) {
  const std::int64_t cut = own.tail_begin;
  if (own.tail == nullptr || planes.begin >= cut || planes.end <= cut) return {planes};
  return {{planes.begin, cut}, {cut, planes.end}};
}

/// Of what others get of columns z, packed at `base`: again and again `lines` for each of them, here those for rank q.
/// The first column is at `base`, 0 would be before it.
device::lines::Part SlabRank::packed(void* base, int q, Range z, std::int64_t lines) const {
  const std::int64_t others = shape_.ranks - 1, place = q < rank_ ? q : q - 1, block = z.count() * lines;
  const std::int64_t begin = place * block - z.begin;
  return {static_cast<char*>(base) + begin * static_cast<std::int64_t>(shape_.complex_bytes()), z.count(),
          others * block};
}

/// Where the rows of rank q wait for the copies of a part: its first row of plane 0, as if that lay where plane x does.
device::lines::Part SlabRank::planes_leaving(const SlabArrays& own, int q, int p, std::int64_t x) const {
  if (own.packed == nullptr || p == 0) return part_of_planes(planes_at(own, x), rank_, 0, shape_.y_begin(q));
  const std::int64_t y = shape_.y_count(0), planes = shape_.x_count(rank_);
  const std::int64_t before = (part(p).begin - part(1).begin) * (shape_.ranks - 1) * y * planes;
  return packed(static_cast<char*>(own.packed) + before * static_cast<std::int64_t>(shape_.complex_bytes()), q, part(p),
                y);
}

/// Direct: the own rows go straight where their x lines begin, and with `stores` so do the peers'. Else these stay in
/// the planes, from where the copy engines take them, or are packed for them.
device::lines::Pass SlabRank::y_pass_forward(const SlabArrays& own, Range planes, int part_number,
                                             std::span<const SlabPeer> peers) const {
  device::lines::Pass p = y_pass(own, planes, part(part_number), Direction::forward);
  if (!fusion_.direct) return p;
  shape_.share(p.out, shape_.ny);
  for (int q = 0; q < shape_.ranks; ++q) {
    const SlabArrays* const there = straight_into(q, own, peers);
    p.out.part[static_cast<std::size_t>(q)] = there != nullptr ? part_of_rows(there->x_rows(), q, shape_.x_begin(rank_))
                                                               : planes_leaving(own, q, part_number, planes.begin);
  }
  return p;
}

/// Shows the check what a pass is about to read: the first row of it.
void SlabRank::look(const SlabArrays& own, const device::lines::Pass& pass, Moment moment,
                    device::StreamHandle stream) const {
  if (own.checks == nullptr) return;
  const device::lines::Part& from = pass.in.part[0];
  const auto bytes = [&](std::int64_t numbers) { return static_cast<std::size_t>(numbers) * shape_.complex_bytes(); };
  own.checks->x->reached(
      moment, static_cast<std::byte*>(from.base) + bytes(pass.outer_begin * from.outer_stride + pass.m_begin),
      bytes(pass.m_end - pass.m_begin), stream);
}

void SlabRank::y_lines(const SlabArrays& own, device::lines::Pass pass, device::StreamHandle stream) const {
  if (pass.outer_end == pass.outer_begin) return;
  if (own.checks != nullptr) pass.checks = weights(pass.direction).y.checks(own.checks->of_y());
  look(own, pass, pass.direction == Direction::forward ? Moment::in_middle : Moment::between, stream);
  device::lines::run(pass, stream);
}

/// z lines of whole planes, and the y lines of some columns, between field and planes.
void SlabRank::plane_pass(const SlabArrays& own, const device::lines::Pass& y_lines,
                          device::StreamHandle stream) const {
  if (y_lines.outer_end == y_lines.outer_begin) return;
  device::lines::PlanePass pass;
  pass.columns = y_lines;
  pass.m = static_cast<int>(shape_.nz);
  pass.rows = {own.field, shape_.field_y(rank_) * shape_.nz, shape_.field_x() * shape_.nz};
  pass.real = shape_.real();
  if (own.checks != nullptr) weights(y_lines.direction).planes.add_to(pass, own.checks->of_planes());
  if (y_lines.direction == Direction::backward && !fusion_.rows) look(own, y_lines, Moment::between, stream);
  device::lines::run(pass, static_cast<std::uint32_t*>(plane_counters_.get()), stream);
}

/// Planes with the y lines of the first part; those of the others follow when these are being sent.
void SlabRank::first_part_forward(const SlabArrays& own, Range planes, std::span<const SlabPeer> peers,
                                  device::StreamHandle stream) const {
  if (fusion_.planes) {
    for (const Range& run : where_they_lie(own, planes)) plane_pass(own, y_pass_forward(own, run, 0, peers), stream);
    return;
  }
  plane_transform(own, planes, Direction::forward, stream);
  if (fusion_.y) y_lines(own, y_pass_forward(own, planes, 0, peers), stream);
}

void SlabRank::first_part_backward(const SlabArrays& own, Range planes, device::StreamHandle stream) const {
  if (fusion_.planes) return plane_pass(own, y_pass(own, planes, part(0), Direction::backward), stream);
  if (fusion_.y) y_lines(own, y_pass(own, planes, part(0), Direction::backward), stream);
  plane_transform(own, planes, Direction::backward, stream);
}

device::lines::Side SlabRank::rows_side(const SlabArrays& own) const {
  device::lines::Side side;
  side.part[0] = turned(part_of_rows(own.x_rows(), rank_, 0));
  return side;
}

/// Where x lines end forward and begin backward.
device::lines::Side SlabRank::spectrum_side(const SlabArrays& own) const {
  if (fusion_.copied) return rows_side(own);
  device::lines::Side side;
  const std::int64_t pitch = shape_.spectrum_pitch();
  side.part[0] = {own.spectrum, shape_.spectrum_x(rank_) * pitch, shape_.spectrum_y() * pitch};
  if (pitch != shape_.pitch()) side.columns = pitch;
  return side;
}

/// A part of z between the padded rows and the dense spectrum.
void SlabRank::copy_spectrum(const SlabArrays& own, Range z, Direction direction, device::StreamHandle stream) const {
  const auto box = [&](std::int64_t pitch) {
    Box made;
    made.axes = 2;
    made.count = {shape_.nx * shape_.y_count(rank_), std::min(z.end, shape_.nzc()) - z.begin};
    made.stride = {pitch, 1};
    made.offset = z.begin;
    return made;
  };
  const Box rows = box(shape_.pitch()), spectrum = box(shape_.nzc());
  if (rows.count[0] == 0 || rows.count[1] <= 0) return;
  auto* const at_rows = static_cast<std::byte*>(own.x_rows());
  auto* const at_spectrum = static_cast<std::byte*>(own.spectrum);
  if (direction == Direction::forward)
    device::copy_box(at_rows, rows, at_spectrum, spectrum, shape_.complex_bytes(), stream);
  else
    device::copy_box(at_spectrum, spectrum, at_rows, rows, shape_.complex_bytes(), stream);
  if (own.checks != nullptr)
    device::add_bits(at_spectrum, spectrum, shape_.complex_bytes(), own.checks->spectrum->on_device(), stream);
}

/// x lines of the rows y of this rank; uncut z ranges make one long contiguous axis of y and z where rows y are
/// neighbours.
void SlabRank::flatten(device::lines::Pass& p, Range z) const {
  const std::int64_t rows = shape_.y_count(rank_);
  if (!shape_.woven && end_of(z) - z.begin == shape_.pitch() &&
      (fusion_.copied || shape_.spectrum_pitch() == shape_.pitch())) {
    p.outer_end = 1;
    p.m_end = rows * shape_.pitch();
    // The stride of the one outer index is not used, but must be whole units of 16 bytes: a z line may be no such one.
    for (device::lines::Side* side : {&p.in, &p.out}) side->part[0].outer_stride = side->part[0].line_stride;
  } else {
    p.outer_end = rows;
    p.m_begin = z.begin;
    p.m_end = end_of(z);
  }
}

void SlabRank::x_lines_forward(const SlabArrays& own, Range z, device::StreamHandle stream) const {
  if (!fusion_.x) {
    x_plan_.execute(own.x_rows(), own.spectrum, Direction::forward, stream);
    return;
  }
  if (shape_.y_count(rank_) == 0) return;  // a pass cannot describe arrays of nothing
  device::lines::Pass p = pass(static_cast<int>(shape_.nx), Direction::forward);
  p.in = rows_side(own);
  p.out = spectrum_side(own);
  p.align_stores = shape_.dense_spectrum && !fusion_.copied;
  p.scale = options_.forward_scale;
  flatten(p, z);
  if (own.checks != nullptr) p.checks = weights(p.direction).x.checks(own.checks->of_x());
  look(own, p, Moment::between, stream);
  device::lines::run(p, stream);
  if (fusion_.copied) copy_spectrum(own, z, Direction::forward, stream);
}

/// Where the rows y of this rank wait for the copies to rank q, a part of z, which is 0 there: from plane x_begin(q)
/// on. Packed ones lie in the order of their parts and of q's planes, and of these the planes of all q one beside the
/// other.
device::lines::Part SlabRank::leaving(const SlabArrays& own, int q, int p) const {
  if (own.rows == nullptr || !packs()) return part_of_rows(own.x_rows(), rank_, shape_.x_begin(q));
  const std::int64_t y = shape_.y_count(rank_), x = shape_.x_count(0);
  const std::int64_t before = part(p).begin * (shape_.ranks - 1) * x * y;
  device::lines::Part rows =
      packed(static_cast<char*>(own.rows) + before * static_cast<std::int64_t>(shape_.complex_bytes()), q, part(p),
             shape_.woven ? x : y);
  if (shape_.woven) std::swap(rows.line_stride, rows.outer_stride);
  return rows;
}

/// Direct: the own planes go straight where they belong, and with `stores` so do the peers'. Else these wait in the
/// rows for the copy engines.
void SlabRank::x_lines_backward(const SlabArrays& own, int part_number, std::span<const SlabPeer> peers,
                                device::StreamHandle stream) const {
  const Range z = part(part_number);
  if (!fusion_.x) {
    x_plan_.execute(own.spectrum, own.x_rows(), Direction::backward, stream);
    return;
  }
  if (shape_.y_count(rank_) == 0) return;  // a pass cannot describe arrays of nothing
  if (fusion_.copied) copy_spectrum(own, z, Direction::backward, stream);
  device::lines::Pass p = pass(static_cast<int>(shape_.nx), Direction::backward);
  p.in = spectrum_side(own);
  p.out = rows_side(own);
  p.scale = options_.backward_scale;
  flatten(p, z);
  if (own.checks != nullptr) p.checks = weights(p.direction).x.checks(own.checks->of_x());
  if (puts_own(Direction::backward)) {
    shape_.share(p.out, shape_.nx);
    for (int q = 0; q < shape_.ranks; ++q) {
      const SlabArrays* const there = straight_into(q, own, peers);
      p.out.part[static_cast<std::size_t>(q)] = turned(
          there != nullptr ? part_of_planes(there->planes, q, 0, shape_.y_begin(rank_)) : leaving(own, q, part_number));
    }
  }
  device::lines::run(p, stream);
}

}  // namespace shardfft::gpu
