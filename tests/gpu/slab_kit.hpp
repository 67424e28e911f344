#pragma once
// Slab transforms of the engine against the definition of the transform, both directions several times without a
// pause.
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "gpu/slab/slab.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {

inline std::size_t to_index(Direction direction) { return direction == Direction::forward ? 0 : 1; }

struct SlabCase {
  Shape shape;
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  int chunks = 0;
  std::array<double, 2> scale{1, 1};
  std::optional<bool> paired{};
  std::size_t padded_from = 0;
  bool woven = false;  ///< the middle axis is cut first
  bool apart = false;  ///< planes in the spectrum though not all of them have room there

  /// The axes of three along which field and spectrum are cut.
  int cut(bool spectrum) const { return spectrum == woven ? 0 : 1; }
  std::string name(int ranks) const {
    return text(shape) + (kind == Kind::c2c ? " c2c" : " r2c") + (precision == Precision::f64 ? " double" : " single") +
           ", " + std::to_string(chunks) + " chunks, " + std::to_string(ranks) + " ranks" + (woven ? ", woven" : "");
  }
  SerialTransform serial() const {
    std::vector<int> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    return {kind, shape, axes};
  }
};

/// The three steps of a slab transform in natural order.
inline Program slab_steps(const SlabCase& c, int ranks) {
  const Shape spectrum = c.serial().spectrum_shape();
  const int first = c.cut(false), then = c.cut(true);
  const auto cut = [ranks](const Shape& shape, int axis) { return Layout::slab(shape, ranks, axis).with_batch(1); };
  Program program;
  program.algorithm = "slab";
  program.states = {
      {cut(c.shape, first), c.kind == Kind::c2c}, {cut(spectrum, first)}, {cut(spectrum, then)}, {cut(spectrum, then)}};
  const Shape &field = program.states[0].layout.shape(), &rows = program.states[2].layout.shape();
  program.steps = {fourier_step({then + 1, 3}, c.kind, field), ReshapeStep{},
                   fourier_step({first + 1}, Kind::c2c, rows)};
  return program;
}

/// A whole source and its transform by the definition.
struct SlabAnswer {
  std::vector<Value> source, expected;
};

inline SlabAnswer make_reference(const SlabCase& c, Direction direction, std::uint64_t salt) {
  const SerialTransform serial = c.serial();
  const bool forward = direction == Direction::forward;
  SlabAnswer made;
  made.source =
      whole_field(forward ? c.shape : serial.spectrum_shape(), {c.precision, !forward || c.kind == Kind::c2c}, salt, 0);
  made.expected = forward ? serial.analyse(made.source) : serial.synthesise(made.source);
  for (Value& v : made.expected) v *= c.scale[to_index(direction)];
  return made;
}

/// Kept, since several tests ask for the same and the definition takes its time.
inline std::shared_ptr<const SlabAnswer> reference(const SlabCase& c, Direction direction, std::uint64_t salt) {
  using Key = std::tuple<Shape, Kind, Precision, double, Direction, std::uint64_t>;
  static std::map<Key, std::shared_ptr<const SlabAnswer>> known;
  auto& kept = known[{c.shape, c.kind, c.precision, c.scale[to_index(direction)], direction, salt}];
  if (!kept) kept = std::make_shared<const SlabAnswer>(make_reference(c, direction, salt));
  return kept;
}

/// One run of one member. What it reads and leaves stays in device memory until the check: no copy from or to the host
/// makes it wait.
struct SlabRun {
  std::size_t from, to;  ///< 0: field, 1: spectrum
  LocalArray source, result, source_after;
  device::Memory fresh, poisoned, kept_source, kept_result;
  std::shared_ptr<const SlabAnswer> known;
};

/// The members here of one slab transform, with their arrays.
class DeviceSlab {
 public:
  DeviceSlab(gpu::Team& team, const SlabCase& c) : team_(team), case_(c) {
    const Program program = slab_steps(c, team.ranks());
    gpu::SlabSetup setup{&team, c.precision, c.scale, c.chunks, c.paired, c.padded_from};
    if (c.apart) setup.apart_from = 0;
    operations_ = gpu::make_slab(program, 0, setup);
    const SerialTransform serial = c.serial();
    for (std::size_t m = 0; m < team.here().size(); ++m) {
      const int rank = team.here()[m].rank;
      const device::DeviceScope scope(team.here()[m].device);
      const Side field{Layout::slab(c.shape, team.ranks(), c.cut(false)), {c.precision, c.kind == Kind::c2c}, 1, rank};
      const Side spectrum{
          Layout::slab(serial.spectrum_shape(), team.ranks(), c.cut(true)), {c.precision, true}, 1, rank};
      const std::size_t scratch = std::max(operations_[0][m]->scratch_bytes(), operations_[1][m]->scratch_bytes());
      members_.push_back({{field, spectrum},
                          {device::make_memory(field.bytes()), device::make_memory(spectrum.bytes())},
                          device::make_memory(scratch),
                          device::make_stream(),
                          {}});
    }
    for (const std::size_t side : {0, 1}) {
      std::vector<void*> mine;
      for (const MemberArrays& a : members_) mine.push_back(a.memory[side].get());
      shared_[side].share(team, mine);
    }
    std::vector<void*> scratches;
    for (const MemberArrays& a : members_) scratches.push_back(a.scratch.get());
    shared_scratch_.share(team, scratches);
  }

  /// Collective: nobody frees what another process has open.
  ~DeviceSlab() {
    for (const MemberArrays& a : members_) device::synchronize(a.stream.get());
    operations_ = {};
    shared_ = {};
    shared_scratch_ = {};
    team_.meet();
  }

  const gpu::DeviceOperation& operation(Direction direction, std::size_t member) const {
    return *operations_[to_index(direction)][member];
  }

  /// Prepares one run on fresh data.
  void add(Direction direction, std::uint64_t salt) {
    directions_.push_back(direction);
    const auto known = reference(case_, direction, salt);
    for_members([&](std::size_t, MemberArrays& a) {
      const std::size_t from = to_index(direction), to = 1 - from;
      const Side &source = a.sides[from], &result = a.sides[to];
      SlabRun run{from, to, LocalArray(source), LocalArray(result), LocalArray(source), {}, {}, {}, {}, known};
      for_own_elements(source, 0,
                       [&](std::int64_t at, std::int64_t i) { run.source.set(at, known->source[to_size(i)]); });
      run.fresh = upload(a, run.source, source.bytes());
      run.poisoned = upload(a, run.result, result.bytes());
      run.kept_source = device::make_memory(source.bytes());
      run.kept_result = device::make_memory(result.bytes());
      a.runs.push_back(std::move(run));
    });
  }

  /// Enqueues all runs, one behind the other, and compares.
  void check() {
    for (std::size_t i = 0; i < directions_.size(); ++i) run(i);
    for_members([&](std::size_t, MemberArrays& a) {
      for (SlabRun& run : a.runs) {
        SCOPED_TRACE("rank " + std::to_string(a.sides[0].rank) + (run.from == 0 ? ", forward" : ", backward"));
        copy(a, run.result.data(), run.kept_result.get(), a.sides[run.to].bytes());
        copy(a, run.source_after.data(), run.kept_source.get(), a.sides[run.from].bytes());
        device::synchronize(a.stream.get());
        compare_field(run.result, a.sides[run.to], 0, run.known->expected, case_.serial().points());
        EXPECT_TRUE(run.source_after == run.source) << "the input was written";
      }
    });
  }

 private:
  struct MemberArrays {
    std::array<Side, 2> sides;  ///< field, spectrum
    std::array<device::Memory, 2> memory;
    device::Memory scratch;
    device::Stream stream;
    std::vector<SlabRun> runs;
  };

  static void copy(const MemberArrays& a, void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) device::copy_bytes(to, from, bytes, a.stream.get());
  }
  static device::Memory upload(const MemberArrays& a, LocalArray& array, std::size_t bytes) {
    device::Memory memory = device::make_memory(bytes);
    copy(a, memory.get(), array.data(), bytes);
    device::synchronize(a.stream.get());
    return memory;
  }

  template <class Body>
  void for_members(const Body& body) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const device::DeviceScope scope(team_.here()[m].device);
      body(m, members_[m]);
    }
  }

  /// Fresh input, poisoned output, the transform, copies for the comparison, and an input that is wiped as soon as the
  /// stream allows it.
  void run(std::size_t i) {
    const auto& operations = operations_[to_index(directions_[i])];
    for_members([&](std::size_t, MemberArrays& a) {
      const SlabRun& run = a.runs[i];
      copy(a, a.memory[run.from].get(), run.fresh.get(), a.sides[run.from].bytes());
      copy(a, a.memory[run.to].get(), run.poisoned.get(), a.sides[run.to].bytes());
    });
    for (int phase = 0; phase < operations.front()->phases(); ++phase) {
      if (phase > 0) team_.meet();
      for_members([&](std::size_t m, MemberArrays& a) {
        const SlabRun& run = a.runs[i];
        auto* const result = static_cast<std::byte*>(a.memory[run.to].get());
        operations[m]->enqueue(
            phase,
            {static_cast<const std::byte*>(a.memory[run.from].get()), result, static_cast<std::byte*>(a.scratch.get()),
             shared_[run.to].all(), result, false, shared_scratch_.all()},
            a.stream.get());
      });
    }
    for_members([&](std::size_t, MemberArrays& a) {
      const SlabRun& run = a.runs[i];
      const std::size_t source_bytes = a.sides[run.from].bytes();
      copy(a, run.kept_source.get(), a.memory[run.from].get(), source_bytes);
      if (source_bytes > 0) device::fill_zero(a.memory[run.from].get(), source_bytes, a.stream.get());
      copy(a, run.kept_result.get(), a.memory[run.to].get(), a.sides[run.to].bytes());
    });
  }

  gpu::Team& team_;
  SlabCase case_;
  std::array<gpu::MemberOperations, 2> operations_;
  std::vector<MemberArrays> members_;
  std::array<gpu::SharedAddresses, 2> shared_;
  gpu::SharedAddresses shared_scratch_;
  std::vector<Direction> directions_;
};

/// Both directions, twice each, one behind the other.
inline void check_slab(gpu::Team& team, const SlabCase& c) {
  SCOPED_TRACE(c.name(team.ranks()));
  DeviceSlab slab(team, c);
  slab.add(Direction::forward, 1);
  slab.add(Direction::backward, 2);
  slab.add(Direction::backward, 3);
  slab.add(Direction::forward, 4);
  slab.check();
}

/// Both directions of a large shape. False where the device has no line kernels for it.
inline bool check_fused_slab(gpu::Team& team, const SlabCase& c) {
  SCOPED_TRACE(c.name(team.ranks()));
  DeviceSlab slab(team, c);
  if (slab.operation(Direction::forward, 0).describe().find(" y x") == std::string::npos) return false;
  slab.add(Direction::forward, 1);
  slab.add(Direction::backward, 2);
  slab.check();
  return true;
}

/// Whether the passes of such a slab store into peers, collective.
inline bool stores_into_peers(gpu::Team& team, const SlabCase& c) {
  const DeviceSlab slab(team, c);
  return slab.operation(Direction::forward, 0).describe().find("store into the peers") != std::string::npos;
}
/// How many chunks is left to the engine.
inline SlabCase left_open(SlabCase c) {
  c.chunks = 0;
  return c;
}

/// Small shapes, which cuFFT and copies serve: even, uneven, fewer planes than ranks; with ranks that send in turn.
inline std::vector<SlabCase> small_slabs() {
  std::vector<SlabCase> all;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      all.push_back({{8, 8, 8}, kind, precision, 2});
      all.push_back({{8, 8, 8}, kind, precision, 2, {1, 1}, true});
      all.push_back({{7, 9, 5}, kind, precision, 3, {0.5, 3}, true});
      all.push_back({{2, 3, 6}, kind, precision, 1, {1, 0.125}, true});
    }
  return all;
}

/// Shapes that have line kernels; the real one is padded inside.
inline const SlabCase fused_f64{{128, 128, 16}, Kind::c2c, Precision::f64, 2, {0.25, 2}, true};
inline const SlabCase fused_f32{{128, 128, 32}, Kind::c2c, Precision::f32, 3};
inline const SlabCase fused_planes{{128, 128, 128}, Kind::c2c, Precision::f64, 2, {0.5, 3}, true};
inline const SlabCase fused_planes_f32{{128, 128, 128}, Kind::c2c, Precision::f32, 2, {0.5, 3}};
inline const SlabCase fused_real_planes{{128, 128, 128}, Kind::r2c, Precision::f64, 2, {0.5, 3}, true};
/// Large enough for kernels that are compiled when they are needed.
inline const SlabCase compiled_planes{{96, 240, 110}, Kind::c2c, Precision::f64, 2, {0.5, 3}, true};
inline const SlabCase compiled_real_planes{{90, 264, 180}, Kind::r2c, Precision::f64, 2, {0.5, 3}};
inline const SlabCase fused_real{{128, 128, 18}, Kind::r2c, Precision::f64, 2, {0.5, 3}};
/// Rows of 9 numbers of 8 bytes; on three ranks shares of y are even, those of x are not.
inline const SlabCase fused_odd_rows{{128, 384, 16}, Kind::r2c, Precision::f32, 2, {0.5, 3}};
/// Rows of 65 numbers, of which three ranks have 43, 43 and 42.
inline const SlabCase odd_shares_of_odd_rows{{128, 128, 128}, Kind::r2c, Precision::f32, 2, {0.5, 3}};

/// While it lives, slabs of new plans run as other layouts do and not by the engine.
struct SlabsBySchedule {
  SlabsBySchedule() { setenv("SHARDFFT_SLAB_BY_SCHEDULE", "1", 1); }
  ~SlabsBySchedule() { unsetenv("SHARDFFT_SLAB_BY_SCHEDULE"); }
};

/// Plans that the engine would take: extents that ranks and chunks do not divide, lines that have kernels, all types,
/// checked or not.
inline std::vector<TransformCase> scheduled_slabs() {
  std::vector<TransformCase> all;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const char* output : {"left", "natural"})
        for (const Shape& shape : {Shape{8, 13, 12}, Shape{384, 20, 17}, Shape{16, 128, 34}}) {
          Options options = on_gpu("slab");
          options.chunks = static_cast<int>(all.size() % 7);
          options.verify = all.size() % 5 == 0;
          all.push_back({shape, "slab", output, kind, precision, options});
        }
  return all;
}

/// Complex rows of 21 doubles, 18 and 17 floats, and real ones of 9 numbers whose shares of y are uneven on three
/// ranks.
inline std::vector<SlabCase> straddling_slabs() {
  return {{{128, 128, 21}, Kind::c2c, Precision::f64, 2, {0.25, 2}},
          {{128, 128, 18}, Kind::c2c, Precision::f32, 2},
          {{128, 128, 17}, Kind::c2c, Precision::f32, 3, {0.5, 3}},
          {{128, 128, 16}, Kind::r2c, Precision::f32, 2, {0.5, 3}}};
}

}  // namespace shardfft::test
