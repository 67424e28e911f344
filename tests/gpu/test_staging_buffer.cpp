// Where what a reshape sends lies in the output of the transform behind it, element by element.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "geometry/gaps.hpp"
#include "gpu/plan/staging_buffer.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

using Places = std::set<std::int64_t>;

/// The bytes where elements of a box begin, to which `shift` is added.
void add(Places& places, const Box& box, std::int64_t element, std::int64_t shift) {
  std::vector<std::int64_t> all{box.offset};
  for (std::size_t a = 0; a < to_size(box.axes); ++a) {
    std::vector<std::int64_t> more;
    for (const std::int64_t at : all)
      for (std::int64_t i = 0; i < box.count[a]; ++i) more.push_back(at + i * box.stride[a]);
    all = more;
  }
  for (const std::int64_t at : all)
    for (std::int64_t byte = 0; byte < element; byte += 8) places.insert(at * element + shift + byte);
}

/// A slab of half or whole spectra between two transforms, padded to `unit`, and back; cut at both ends.
Joined slab(const Shape& shape, bool real, int ranks, Direction direction, std::int64_t unit) {
  Shape half = shape;
  if (real) half[2] = shape[2] / 2 + 1;
  const auto cut = [ranks](const Shape& of, int axis) { return Layout::slab(of, ranks, axis).with_batch(1); };
  Program program;
  program.states = {{cut(shape, 0), !real}, {cut(half, 0)}, {cut(half, 1)}, {cut(half, 1)}};
  program.steps = {fourier_step({2, 3}, real ? Kind::r2c : Kind::c2c, program.states[0].layout.shape()), ReshapeStep{},
                   fourier_step({1}, Kind::c2c, program.states[2].layout.shape())};
  if (direction == Direction::backward) program = reversed(program);
  for (const std::size_t state : {1, 2})
    program.states[state].layout = with_padded_rows(program.states[state].layout, unit);
  Joined joined{1, program.states[1], program.states[2], {}, {}};
  joined.before = LocalTransform{std::get<TransformStep>(program.steps[0]), program.states[0], program.states[1]};
  joined.after = LocalTransform{std::get<TransformStep>(program.steps[2]), program.states[2], program.states[3]};
  return joined;
}

/// Nothing of the messages that have not left is written over, or lies outside of the output.
void check(const Joined& steps, const Pieces& cut, int rank, const gpu::StagingBuffer& staging,
           bool input_is_there = false) {
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, Precision::f64));
  const State& out = steps.after->after;
  std::size_t room = state_bytes(out, Precision::f64, rank);
  if (input_is_there) room = std::max(room, state_bytes(steps.from, Precision::f64, rank));
  const auto written = static_cast<std::int64_t>(element_bytes(out, Precision::f64));
  std::vector<Places> sent;
  Places all;
  std::size_t elements = 0;
  for (std::size_t m = 0; m < cut.messages.size(); ++m) {
    Places& places = sent.emplace_back();
    const gpu::StagingBuffer::Place& place = staging.messages[m];
    const Layout from = place.layout.value_or(steps.from.layout);
    for (const Message& message :
         make_schedule(from, steps.to.layout, rank, cut.messages[m].from, cut.messages[m].to).send)
      for (const Box& of : message.boxes) {
        add(places, of, element, place.begin);
        elements += to_size(of.elements());
      }
    if (!place.in_output || places.empty()) continue;
    EXPECT_GE(*places.begin(), 0);
    EXPECT_LT(*places.rbegin(), static_cast<std::int64_t>(room));
  }
  for (std::size_t m = 0; m < sent.size(); ++m)
    for (const std::int64_t at : sent[m]) all.insert(staging.messages[m].in_output ? at : at + (std::int64_t{1} << 40));
  const bool waits = std::any_of(staging.waits.begin(), staging.waits.end(), [](int message) { return message >= 0; });
  EXPECT_TRUE(waits || all.size() == elements * to_size(element) / 8) << "two elements in one place";
  for (int k = 0; k < cut.afters(); ++k) {
    Places over;
    const Piece piece = sliced(only_piece(out.layout, rank), cut.after[to_size(k)]);
    if (piece.set.empty()) continue;
    add(over, box_of(piece), written, 0);
    for (int m = cut.last_message_of(k) + 1; m < cut.moves(); ++m)
      for (const std::int64_t at : sent[to_size(m)])
        ASSERT_FALSE(staging.messages[to_size(m)].in_output && over.contains(at));
  }
}

TEST(StagingBuffer, IsNotWrittenBeforeItHasLeft) {
  int packed = 0, whole = 0, divided = 0;
  for (const bool real : {false, true})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const int ranks : {2, 3, 4})
        for (const std::int64_t unit : {1, 4})
          for (const int whole_messages : {1, 2, 3}) {
            const Joined steps = slab({16, 16, 34}, real, ranks, direction, unit);
            const int first = direction == Direction::forward ? 1 : 2;
            const Pieces cut =
                in_pieces({first, 4, ChunkEnds::sender}, {3 - first, 3, ChunkEnds::receiver}, whole_messages);
            for (int rank = 0; rank < ranks; ++rank)
              for (const bool packs : {false, true}) {
                SCOPED_TRACE(std::to_string(ranks) + " ranks, " + (real ? "real" : "complex") + ", whole_messages " +
                             std::to_string(whole_messages) +
                             (direction == Direction::forward ? ", forward" : ", backward") +
                             (packs ? ", packed" : "") + ", unit " + std::to_string(unit));
                const auto staging = gpu::staging_buffer_of(steps, cut, rank, Precision::f64, packs);
                EXPECT_TRUE(!packs || (direction == Direction::backward) == staging.has_value());
                if (!staging) continue;
                check(steps, cut, rank, *staging);
                packed += packs ? 1 : 0;
                (staging->overflow_bytes == 0 ? whole : divided) += 1;
                EXPECT_TRUE(!packs || staging->overflow_bytes == 0);
              }
          }
  EXPECT_GT(packed, 50);
  EXPECT_GT(whole, packed);
  EXPECT_GT(divided, 50);
}

/// In place, no piece writes where another one reads: what leaves lies as it was, or packed along the slowest axis.
TEST(StagingBuffer, LiesInTheInputWhereItsPieceHasRead) {
  int packed = 0, natural = 0, none = 0;
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const int ranks : {2, 3, 4})
      for (const Shape& shape : {Shape{16, 16, 34}, Shape{24, 24, 8}, Shape{17, 21, 6}}) {
        const Joined steps = slab(shape, false, ranks, direction, 1);
        const int first = direction == Direction::forward ? 1 : 2;
        const Pieces cut = in_pieces({first, 4, ChunkEnds::sender}, {3 - first, 3, ChunkEnds::receiver}, 2);
        for (int rank = 0; rank < ranks; ++rank)
          for (const bool packs : {false, true}) {
            const auto staging = gpu::staging_buffer_of(steps, cut, rank, Precision::f64, packs, true);
            (!staging ? none : packs ? packed : natural) += 1;
            if (!staging) continue;
            EXPECT_EQ(staging->overflow_bytes, 0);
            check(steps, cut, rank, *staging, true);
            for (std::size_t k = 0; k < cut.before.size(); ++k) {
              const auto& [in_output, begin, layout] = staging->pieces[k];
              EXPECT_TRUE(in_output);
              Places written;
              for (const Piece& piece : layout.value_or(steps.from.layout).pieces(rank))
                add(written, box_of(sliced(piece, cut.before[k])), 16, begin);
              for (std::size_t other = 0; other < cut.before.size(); ++other) {
                Places read;
                if (other != k)
                  add(read, box_of(sliced(only_piece(steps.from.layout, rank), cut.before[other])), 16, 0);
                for (const std::int64_t at : read) ASSERT_FALSE(written.contains(at)) << k << " and " << other;
              }
            }
          }
      }
  EXPECT_GT(packed, 10);
  EXPECT_GT(natural, 10);
  EXPECT_GT(none, 10);
}

/// Whether a piece of the transform is written over one that is there already only where its message has left: two
/// before the first that leaves in parts, or more.
void check_waits(const Joined& steps, const Pieces& cut, int rank, const gpu::StagingBuffer& staging) {
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, Precision::f64));
  const int whole = static_cast<int>(
      std::count_if(cut.messages.begin(), cut.messages.end(), [](const auto& m) { return m.to.axis < 0; }));
  std::vector<Places> written;
  for (std::size_t k = 0; k < cut.before.size(); ++k) {
    const Layout from = staging.pieces[k].layout.value_or(steps.from.layout);
    add(written.emplace_back(), box_of(sliced(only_piece(from, rank), cut.before[k])), element,
        staging.pieces[k].begin);
    EXPECT_LT(staging.waits[k], std::max(0, std::min(static_cast<int>(k), whole) - 1));
    for (std::size_t j = 0; j < k; ++j)
      if (static_cast<int>(j) > staging.waits[k]) {
        for (const std::int64_t at : written[j]) ASSERT_FALSE(written[k].contains(at)) << j << " and " << k;
      }
  }
}

/// What is put aside is what the last message sends, from where the one before it sends.
void check_last_message(const Joined& steps, const Pieces& cut, int rank, const gpu::StagingBuffer& staging) {
  Places from, to, sent, whole;
  const Pieces::Message& end = cut.messages.back();
  const gpu::StagingBuffer::Place &there = staging.messages.back(),
                                  &here = staging.messages[staging.messages.size() - 2];
  const auto all = [&](const gpu::StagingBuffer::Place& place, Places& places) {
    for (const Message& message : make_schedule(*place.layout, steps.to.layout, rank, end.from, end.to).send)
      for (const Box& of : message.boxes) add(places, of, 8, place.begin / 2);
  };
  all(there, sent);
  all(here, whole);
  for (const LocalCopy& copy : staging.last_copies) {
    add(from, copy.from, 8, here.begin / 2);
    add(to, copy.to, 8, there.begin / 2);
  }
  EXPECT_EQ(from, whole);
  EXPECT_EQ(to, sent);
  if (sent.empty()) return;
  EXPECT_GE(*sent.begin(), 0);
  EXPECT_LT(2 * *sent.rbegin(), staging.overflow_bytes);
}

/// Planes in padded rows, of which some leave whole and others in parts.
TEST(StagingBuffer, SpreadsPlanes) {
  int waits = 0;
  for (const int ranks : {2, 4})
    for (const int whole_messages : {3, 4}) {
      const Joined steps = slab({ranks * 16, ranks * 16, 60}, true, ranks, Direction::forward, 8);
      const Pieces cut = in_pieces({1, 8, ChunkEnds::sender}, {2, 4, ChunkEnds::receiver}, whole_messages);
      for (int rank = 0; rank < ranks; ++rank) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, whole_messages " + std::to_string(whole_messages));
        std::optional<gpu::StagingBuffer> staging;
        std::optional<Pieces> split;
        for (int sixteenths = 1; sixteenths < 16 && !staging; ++sixteenths) {
          split = gpu::split_last(cut, sixteenths);
          staging = gpu::spread_staging_buffer_of(steps, *split, rank, Precision::f64);
        }
        ASSERT_TRUE(staging || whole_messages == 3);  // where half of all leaves in parts
        if (!staging) continue;
        check(steps, *split, rank, *staging);
        check_waits(steps, *split, rank, *staging);
        check_last_message(steps, *split, rank, *staging);
        waits +=
            static_cast<int>(std::count_if(staging->waits.begin(), staging->waits.end(), [](int m) { return m >= 0; }));
      }
    }
  EXPECT_GT(waits, 0);
}

/// A rank with fewer planes than pieces has none in the last one.
TEST(StagingBuffer, SpreadsNoPlanesWherePiecesAreEmpty) {
  const Joined steps = slab({15, 32, 60}, true, 2, Direction::forward, 8);
  const Pieces cut = in_pieces({1, 8, ChunkEnds::sender}, {2, 4, ChunkEnds::receiver}, 4);
  for (int sixteenths = 1; sixteenths < 16; ++sixteenths) {
    const std::optional<Pieces> split = gpu::split_last(cut, sixteenths);
    ASSERT_TRUE(split);
    EXPECT_FALSE(gpu::spread_staging_buffer_of(steps, *split, 1, Precision::f64));
  }
}

}  // namespace
}  // namespace shardfft::test
