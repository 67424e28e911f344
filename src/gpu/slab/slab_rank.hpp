#pragma once
// The part of one GPU in a slab transform. Its steps only enqueue: they are the same whether the peers are GPUs of this
// process or memory and events of other processes opened through IPC.
//
//   forward:   z and y lines of a run of x planes -> copy engines send it beside the next run's lines -> x lines
//   backward:  x lines -> copy engines send runs of x planes -> y and z lines of a run while the next one arrives
//
// With SlabOptions::stores nothing is sent: the y lines forward, the x lines backward store into the peers' memory.
//
// Host order: every rank has returned from begin_*() before any rank calls send_*(), and from the last send_*() before
// any rank calls finish_*(): an event can only be waited for after the call that records it.
//
// A rank sends to one peer at a time, first to the next rank. A GPU's copies to peers run one at a time in any case. If
// they are in streams of their own, the driver chooses among those that are released together; then several GPUs sent
// to the same one, and four GPUs took almost twice as long (docs/gpu-design.md).
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "device/handles.hpp"
#include "device/plane_pass.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/move/send_turns.hpp"
#include "gpu/slab/slab_check.hpp"
#include "gpu/slab/slab_shape.hpp"

namespace shardfft::gpu {

/// Device arrays of a rank. Forward goes from field over planes and rows to spectrum, backward the same way back; each
/// writes all but the one it begins with, where that is not also another one. Forward the planes may be the spectrum if
/// the rows are not; backward the rows may be the field if the planes are not.
struct SlabArrays {
  void* field = nullptr;
  void* planes = nullptr;              ///< complex, [x_count][ny][pitch], or woven; may be `field` itself for c2c
  void* spectrum = nullptr;            ///< [nx][y_count][spectrum_pitch], or woven
  void* rows = nullptr;                ///< [nx][y_count][pitch], or woven; null: the spectrum itself. Backward they
                                       ///< may be packed (SlabRank::packs)
  std::uint32_t* tokens = nullptr;     ///< SlabRank::tokens() of them; null on all ranks: none are used
  const SlabChecks* checks = nullptr;  ///< with SlabOptions::checks, of the direction; else null
  /// Forward, with plane passes, where the planes have no room in the spectrum: those from `tail_begin` on lie here.
  void* tail = nullptr;
  std::int64_t tail_begin = 0;
  /// Forward, where the planes are in the spectrum in other columns than there: what goes to others of all parts but
  /// the first waits here for the copies, packed (SlabRank::later_parts_bytes).
  void* packed = nullptr;
  void* x_rows() const { return rows != nullptr ? rows : spectrum; }
};

/// Which steps are passes of our own. They may put the rank's own block into place: forward the y lines (direct),
/// backward the x lines (direct_back).
struct SlabFusion {
  bool y = false, x = false, direct = false, direct_back = false;
  bool planes = false;  ///< z lines and the y lines of the first part in one pass over memory
  /// z lines by plane passes without columns: with checks, or where cuFFT would need a work area. The latter each rank
  /// finds by itself; layouts and turns do not depend on it.
  bool rows = false;
  bool z() const { return planes || rows; }
  bool two_way = false;  ///< cuFFT's plans of z lines or planes lead one way: their two sides differ
  /// The x lines stay in the padded rows, and copies lead from there to the dense spectrum and back: its x lines begin
  /// in the middle of 16 bytes.
  bool copied = false;
  bool checked = false;  ///< all lines belong to passes that can check themselves (option verify)
};
/// On the current device; the same on all ranks.
SlabFusion fusion_of(const SlabShape& shape, const SlabOptions& options);

/// What a rank knows of another one (or of itself): where its arrays are, and its events.
struct SlabPeer {
  SlabArrays arrays;
  std::vector<device::EventHandle> ready;      ///< its arrays may be written: SlabRank::ready
  std::vector<device::EventHandle> sent_here;  ///< SlabRank::sent(part, chunk, me)
};

class SlabRank {
 public:
  /// Plans on `device`. `event_use` shared: events that other processes can open.
  SlabRank(const SlabShape& shape, const SlabOptions& options, int rank, int device,
           device::EventUse event_use = device::EventUse::order);

  int device() const { return device_; }
  int ranks() const { return shape_.ranks; }
  int parts() const { return static_cast<int>(part_begin_.size()) - 1; }
  /// Chunks in which a part is sent. With three ranks or more, only the first part is cut.
  int chunks(int part) const { return part == 0 || shape_.ranks <= 2 ? options_.chunks : 1; }
  bool fused_y() const { return fusion_.y; }
  bool fused_x() const { return fusion_.x; }
  bool fused_planes() const { return fusion_.planes; }
  bool fused_rows() const { return fusion_.rows; }
  bool stores() const { return options_.stores; }
  bool copied() const { return fusion_.copied; }
  /// Backward with SlabOptions::in_place: of a part; else of all.
  device::EventHandle ready(int part = 0) const { return ready_[static_cast<std::size_t>(part)].get(); }
  int readies() const { return static_cast<int>(ready_.size()); }
  /// Whether rows that are not the spectrum hold, on the way back, only what goes to others, packed in the order in
  /// which it leaves: the field's planes can take its place one after the other.
  bool packs() const { return puts_own(Direction::backward) && !fusion_.copied && !options_.stores; }
  /// Bytes of the rows on the way back.
  std::size_t rows_back_bytes() const;
  /// Bytes of what goes to others forward, but for the first part.
  std::size_t later_parts_bytes() const;
  device::EventHandle sent(int part, int chunk, int to) const;

  /// send_*() is called for each turn from 0 to turns() - 1. A thread that drives several GPUs should enqueue a turn of
  /// all of them before the next turn of any: enqueuing takes time in which the others would wait.
  int turns() const { return turns_before(parts()); }
  /// Flags by which ranks send in turn (gpu/move/send_turns.hpp); none: they send as they please.
  std::size_t tokens() const { return options_.paired.value() ? ring().flags() : 0; }

  void begin_forward(const SlabArrays& own, device::StreamHandle stream);
  void send_forward(const SlabArrays& own, std::span<const SlabPeer> peers, int turn, device::StreamHandle stream);
  void finish_forward(const SlabArrays& own, std::span<const SlabPeer> peers, device::StreamHandle stream);
  void begin_backward(const SlabArrays& own, device::StreamHandle stream);
  void send_backward(const SlabArrays& own, std::span<const SlabPeer> peers, int turn, device::StreamHandle stream);
  void finish_backward(const SlabArrays& own, std::span<const SlabPeer> peers, device::StreamHandle stream);

  /// Work areas of the vendor's FFT library, the counters of plane passes, and what checks need.
  std::size_t library_bytes() const;
  std::size_t counter_bytes() const;
  std::size_t weight_bytes() const { return weights_[0].bytes() + weights_[1].bytes(); }
  /// Waits for the copies under way.
  void drain() const;

 private:
  struct Range {
    std::int64_t begin, end;
    std::int64_t count() const { return end - begin; }
  };
  Range part(int p) const {
    return {part_begin_[static_cast<std::size_t>(p)], part_begin_[static_cast<std::size_t>(p) + 1]};
  }
  /// Run of x planes, counted from the first plane of `rank`.
  Range chunk(int rank, int part, int c) const;
  int turns_before(int part) const { return part == 0 ? 0 : chunks(0) + (part - 1) * chunks(1); }
  struct Turn {
    int part, chunk;
  };
  /// The other way round on the way back.
  Turn turn_of(int turn, Direction direction) const;
  /// In the planes of `rank`.
  char* plane_row(void* planes, int rank, std::int64_t x, std::int64_t y) const;
  /// In its rows.
  char* x_row(void* rows, int rank, std::int64_t x, std::int64_t y) const;

  void plan_fused();
  void plan_parts();
  bool has_y_passes() const { return fusion_.y && (!fusion_.planes || parts() > 1); }
  bool has_odd_x_rows() const;
  void compile_passes_ahead() const;
  void prepare_passes();
  void prepare_checks();
  std::map<std::int64_t, device::VendorFftSpec> plane_specs() const;
  void plan_cufft();
  void prefer_rows();
  void prepare();
  void make_handles(device::EventUse use);

  void plane_transform(const SlabArrays& own, Range planes, Direction direction, device::StreamHandle stream) const;
  void plane_pass(const SlabArrays& own, const device::lines::Pass& y_lines, device::StreamHandle stream) const;
  const SlabWeights& weights(Direction direction) const { return weights_[static_cast<std::size_t>(direction)]; }
  /// Where the columns of a part end for passes: padding is no line that could be checked.
  std::int64_t end_of(Range z) const { return options_.checks ? std::min(z.end, shape_.nzc()) : z.end; }
  using Moment = DeviceStepHook::Moment;
  void look(const SlabArrays& own, const device::lines::Pass& pass, Moment moment, device::StreamHandle stream) const;
  void first_part_forward(const SlabArrays& own, Range planes, std::span<const SlabPeer> peers,
                          device::StreamHandle stream) const;
  void first_part_backward(const SlabArrays& own, Range planes, device::StreamHandle stream) const;
  const SlabArrays* straight_into(int q, const SlabArrays& own, std::span<const SlabPeer> peers) const;
  device::lines::Pass y_pass(const SlabArrays& own, Range planes, Range z, Direction direction) const;
  device::lines::Pass y_pass_forward(const SlabArrays& own, Range planes, int part,
                                     std::span<const SlabPeer> peers) const;
  void y_lines(const SlabArrays& own, device::lines::Pass pass, device::StreamHandle stream) const;
  void x_lines_forward(const SlabArrays& own, Range z, device::StreamHandle stream) const;
  void x_lines_backward(const SlabArrays& own, int part, std::span<const SlabPeer> peers,
                        device::StreamHandle stream) const;
  device::lines::Pass pass(int n, Direction direction) const;
  device::lines::Side rows_side(const SlabArrays& own) const;
  device::lines::Side spectrum_side(const SlabArrays& own) const;
  void copy_spectrum(const SlabArrays& own, Range z, Direction direction, device::StreamHandle stream) const;
  void flatten(device::lines::Pass& pass, Range z) const;

  void open_for_peers(const SlabArrays& own, device::StreamHandle stream);
  void clear_tokens(const SlabArrays& own, device::StreamHandle stream) const;
  void release_copies(Direction direction, device::StreamHandle stream);
  void wait_until_ready(std::span<const SlabPeer> peers, int part, Direction direction);
  template <class Pass>
  void store(std::span<const SlabPeer> peers, device::StreamHandle stream, Pass pass);
  device::StreamHandle copy_stream(int q) const { return copy_[q == rank_ ? 1 : 0].get(); }
  device::lines::Part part_of_planes(void* planes, int rank, std::int64_t x, std::int64_t y) const;
  device::lines::Part part_of_rows(void* rows, int rank, std::int64_t x) const;
  void* planes_at(const SlabArrays& own, std::int64_t x) const;
  static std::vector<Range> where_they_lie(const SlabArrays& own, Range planes);
  struct Block;
  device::BoxCopy block(const Block& block) const;
  device::lines::Part packed(void* base, int q, Range z, std::int64_t lines) const;
  device::lines::Part planes_leaving(const SlabArrays& own, int q, int part, std::int64_t x) const;
  device::lines::Part leaving(const SlabArrays& own, int q, int part) const;
  int last_turn_in(const SlabArrays& own, Range planes) const;
  device::BoxCopy planes_block(const SlabArrays& own, const SlabArrays& there, int q, int part, Range planes) const;
  device::BoxCopy rows_block(const SlabArrays& own, const SlabArrays& there, int q, Turn turn) const;
  void send(const SlabArrays& own, std::span<const SlabPeer> peers, int turn, Direction direction);
  SendRing ring() const { return {shape_.ranks, turns(), rank_}; }
  void wait_for_peers(std::span<const SlabPeer> peers, Turn turn, Direction direction,
                      device::StreamHandle stream) const;
  void wait_for_own_copies(Turn turn, Direction direction, device::StreamHandle stream) const;
  /// Whether passes put the own block where it belongs.
  bool puts_own(Direction direction) const {
    return direction == Direction::forward ? fusion_.direct : fusion_.direct_back && !options_.in_place;
  }
  bool copies_to(int q, Direction direction) const { return q != rank_ || !puts_own(direction); }
  std::size_t event_index(int part, int chunk) const { return static_cast<std::size_t>(turns_before(part) + chunk); }

  SlabShape shape_;
  SlabOptions options_;
  int rank_, device_;
  SlabFusion fusion_;
  std::vector<std::int64_t> part_begin_;
  std::map<std::int64_t, device::VendorFft>
      plane_plans_;  ///< z lines, or whole planes, by the number of planes; backward where two_way: its negative
  device::VendorFft x_plan_;
  device::Memory plane_counters_;
  std::array<SlabWeights, 2> weights_;  ///< by direction; with SlabOptions::checks
  std::vector<device::Event> ready_;
  device::Event computed_;
  std::vector<device::Event> sent_;     ///< [part][chunk][to]
  std::array<device::Stream, 2> copy_;  ///< to peers in turn, to itself
};

}  // namespace shardfft::gpu
