// Where what a reshape sends lies in the output of the transform behind it, element by element.
#include <gtest/gtest.h>

#include <set>

#include "geometry/gaps.hpp"
#include "gpu/run/outbox.hpp"
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
  joined.before = Pass{std::get<TransformStep>(program.steps[0]), program.states[0], program.states[1]};
  joined.after = Pass{std::get<TransformStep>(program.steps[2]), program.states[2], program.states[3]};
  return joined;
}

/// Nothing of the messages that have not left is written over, or lies outside of the output.
void check(const Joined& steps, const Pieces& cut, int rank, const gpu::Outbox& box) {
  const Layout& from = box.packed ? *box.packed : steps.from.layout;
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, Precision::f64));
  const State& out = steps.after->after;
  const auto written = static_cast<std::int64_t>(element_bytes(out, Precision::f64));
  std::vector<Places> sent;
  Places all;
  std::size_t elements = 0;
  for (std::size_t m = 0; m < cut.messages.size(); ++m) {
    Places& places = sent.emplace_back();
    for (const Message& message :
         make_schedule(from, steps.to.layout, rank, cut.messages[m].from, cut.messages[m].to).send)
      for (const Box& of : message.boxes) {
        add(places, of, element, box.messages[m] ? box.offset : 0);
        elements += to_size(of.elements());
      }
    if (!box.messages[m] || places.empty()) continue;
    EXPECT_GE(*places.begin(), 0);
    EXPECT_LT(*places.rbegin(), static_cast<std::int64_t>(state_bytes(out, Precision::f64, rank)));
  }
  for (std::size_t m = 0; m < sent.size(); ++m)
    for (const std::int64_t at : sent[m]) all.insert(box.messages[m] ? at - box.offset : at);
  EXPECT_EQ(all.size(), elements * to_size(element) / 8) << "two elements in one place";
  for (int k = 0; k < cut.afters(); ++k) {
    Places over;
    const Piece piece = sliced(only_piece(out.layout, rank), cut.after[to_size(k)]);
    if (piece.set.empty()) continue;
    add(over, box_of(piece), written, 0);
    for (int m = cut.takes(k) + 1; m < cut.moves(); ++m)
      for (const std::int64_t at : sent[to_size(m)]) ASSERT_FALSE(box.messages[to_size(m)] && over.contains(at));
  }
}

TEST(Outbox, IsNotWrittenBeforeItHasLeft) {
  int packed = 0, whole = 0, divided = 0;
  for (const bool real : {false, true})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const int ranks : {2, 3, 4})
        for (const std::int64_t unit : {1, 4})
          for (const int head : {1, 2, 3}) {
            const Joined steps = slab({16, 16, 34}, real, ranks, direction, unit);
            const int first = direction == Direction::forward ? 1 : 2;
            const Pieces cut = in_pieces({first, 4, ChunkEnds::sender}, {3 - first, 3, ChunkEnds::receiver}, head);
            for (int rank = 0; rank < ranks; ++rank)
              for (const bool packs : {false, true}) {
                SCOPED_TRACE(std::to_string(ranks) + " ranks, " + (real ? "real" : "complex") + ", head " +
                             std::to_string(head) + (direction == Direction::forward ? ", forward" : ", backward") +
                             (packs ? ", packed" : "") + ", unit " + std::to_string(unit));
                const auto box = gpu::outbox_of(steps, cut, rank, Precision::f64, packs);
                EXPECT_TRUE(!packs || (direction == Direction::backward) == box.has_value());
                if (!box) continue;
                check(steps, cut, rank, *box);
                packed += packs ? 1 : 0;
                (box->rest_bytes == 0 ? whole : divided) += 1;
                EXPECT_TRUE(!packs || box->rest_bytes == 0);
              }
          }
  EXPECT_GT(packed, 50);
  EXPECT_GT(whole, packed);
  EXPECT_GT(divided, 50);
}

}  // namespace
}  // namespace shardfft::test
