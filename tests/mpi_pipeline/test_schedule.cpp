// In which pieces a reshape and its transforms run, and in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "schedule/estimate.hpp"
#include "schedule/order.hpp"
#include "support/elements.hpp"

namespace shardfft::test {
namespace {

/// Position of a turn, or -1.
int at(const std::vector<Turn>& turns, const Turn& turn) {
  const auto found = std::find(turns.begin(), turns.end(), turn);
  return found == turns.end() ? -1 : static_cast<int>(found - turns.begin());
}

/// So many pieces of the transforms, and messages, of which `whole` have a piece of the first transform each.
Pieces pieces_of(int befores, int moves, int afters, int whole) {
  Pieces pieces;
  pieces.before.resize(static_cast<std::size_t>(befores));
  pieces.after.resize(static_cast<std::size_t>(afters));
  pieces.messages.resize(static_cast<std::size_t>(moves));
  pieces.whole = whole;
  return pieces;
}

std::string text(const Pieces& p) {
  return std::to_string(p.befores()) + " before, " + std::to_string(p.moves()) + " messages, " +
         std::to_string(p.afters()) + " after, whole " + std::to_string(p.whole);
}

/// Messages go through their phases in order.
void check_messages(const std::vector<Turn>& turns, const Pieces& p, const Moves& moves) {
  for (int k = 0; k < p.moves(); ++k)
    for (int phase = 0; phase < moves.phases; ++phase) {
      const int here = at(turns, {Stage::move, k, phase});
      EXPECT_GE(here, 0);
      if (k > 0) {
        EXPECT_LT(at(turns, {Stage::move, k - 1, phase}), here);
      }
      if (phase > 0) {
        EXPECT_LT(at(turns, {Stage::move, moves.meet ? p.moves() - 1 : k, phase - 1}), here);
      }
      if (!moves.meet && phase == 0 && k >= moves.in_flight) {
        EXPECT_LT(at(turns, {Stage::move, k - moves.in_flight, moves.phases - 1}), here);
      }
    }
}

/// What is sent is transformed: a piece, or with data that whole messages left all of them; and what is transformed has
/// come.
void check_order(const Pieces& p, const Moves& moves, Barrier barrier) {
  SCOPED_TRACE(text(p));
  const std::vector<Turn> turns = in_order(p, moves, barrier);
  ASSERT_EQ(static_cast<int>(turns.size()), moves.phases * p.moves() + p.befores() + p.afters());
  check_messages(turns, p, moves);
  for (int k = 0; k < p.moves(); ++k) {
    for (int b = 0; b < p.befores(); ++b) {
      const int before = at(turns, {Stage::before, b});
      if (b <= k || k >= p.whole || barrier == Barrier::before_moves) {
        EXPECT_LT(before, at(turns, {Stage::move, k, moves.start()}));
      }
      if (barrier == Barrier::before_moves) {
        EXPECT_LT(before, at(turns, {Stage::move, k, 0}));
      } else if (moves.meet) {
        EXPECT_GT(before, at(turns, {Stage::move, k, 0}));
      }
    }
    for (int a = 0; a < p.afters(); ++a)
      if (k <= p.moves() - p.afters() + a || barrier == Barrier::after_moves) {
        EXPECT_GT(at(turns, {Stage::after, a}), at(turns, {Stage::move, k, moves.phases - 1}));
      }
  }
}

std::vector<Turn> messages(const std::vector<Turn>& turns) {
  std::vector<Turn> some;
  std::copy_if(turns.begin(), turns.end(), std::back_inserter(some),
               [](const Turn& turn) { return turn.stage == Stage::move; });
  return some;
}

constexpr Barrier barriers[] = {Barrier::none, Barrier::before_moves, Barrier::after_moves};
constexpr Turn start(int k) { return {Stage::move, k, 0}; }
constexpr Turn finish(int k) { return {Stage::move, k, 1}; }
constexpr Turn before(int k) { return {Stage::before, k}; }
constexpr Turn after(int k) { return {Stage::after, k}; }

TEST(Order, TurnsWaitForWhatTheyNeed) {
  for (const int chunks : {1, 2, 3, 7})
    for (const Moves& moves : {Moves{2, 1}, Moves{2, 2}, Moves{2, 3}, Moves{3, 0, true}, Moves{4, 0, true}})
      for (const int befores : {0, 1, chunks})
        for (const int afters : {0, 1, chunks})
          for (const Barrier barrier : barriers)
            check_order(pieces_of(befores, chunks, afters, befores == 1 ? 0 : chunks), moves, barrier);
}

/// Ranks whose input is their output, or that own nothing, meet the others in the same messages.
TEST(Order, MessagesComeInOneOrder) {
  for (const int afters : {0, 1, 5}) {
    const Pieces pieces = pieces_of(5, 5, afters, 5);
    const auto plain = messages(in_order(pieces, {}, Barrier::none));
    for (const Barrier barrier : barriers) EXPECT_EQ(messages(in_order(pieces, {}, barrier)), plain);
  }
}

TEST(Order, EachEndHasPiecesOfItsOwn) {
  for (const int whole : {1, 2, 5})
    for (const int tail : {1, 2, 5})
      for (const int befores : {whole + 1, 2 * whole, 2 * whole + 1})
        for (const Barrier barrier : barriers)
          for (const Moves& moves : {Moves{}, Moves{3, 0, true}})
            check_order(pieces_of(befores, whole + tail, tail, whole), moves, barrier);
}

/// Half of the pieces before are transformed beside the messages of the other half, and so it is behind them.
TEST(Order, BothEndsHaveMessagesBesideThem) {
  const std::vector<Turn> expected{before(0), start(0),  before(1), start(1),  before(2), before(3), finish(0),
                                   start(2),  finish(1), start(3),  finish(2), after(0),  finish(3), after(1)};
  EXPECT_EQ(in_order(pieces_of(4, 4, 2, 2), {}, Barrier::none), expected);
}

/// What the pipeline is for: between start and finish of a message there is work.
TEST(Order, TransformsLieBetweenStartAndFinish) {
  const std::vector<Turn> expected{before(0), start(0), before(1), start(1),  before(2), finish(0),
                                   start(2),  after(0), before(3), finish(1), start(3),  after(1),
                                   finish(2), after(2), finish(3), after(3)};
  EXPECT_EQ(in_order(pieces_of(4, 4, 4, 4), {}, Barrier::none), expected);
}

/// Where ranks meet between phases, transforms are on either side of the meeting beside which messages are under way.
TEST(Order, PhasesAreThoseOfTheMessages) {
  const Moves moves{3, 0, true};
  const auto move = [](int k, int phase) { return Turn{Stage::move, k, phase}; };
  const std::vector<std::vector<Turn>> expected{{move(0, 0), move(1, 0)},
                                                {before(0), move(0, 1), before(1), move(1, 1)},
                                                {move(0, 2), after(0), move(1, 2), after(1)}};
  EXPECT_EQ(in_phases(pieces_of(2, 2, 2, 2), moves, Barrier::none), expected);
  const std::vector<std::vector<Turn>> one_array{
      {before(0), before(1), move(0, 0), move(1, 0)}, {move(0, 1), move(1, 1)}, {move(0, 2), move(1, 2), after(0)}};
  EXPECT_EQ(in_phases(pieces_of(2, 2, 1, 2), moves, Barrier::before_moves), one_array);
}

/// The first way to cut, or one that cuts nothing.
Chunking first_chunking(const ChunkedSteps& steps, int chunks) {
  const std::vector<Chunking> possible = possible_chunkings(steps, chunks);
  return possible.empty() ? Chunking{} : possible.front();
}

Layout planes(const Shape& shape, int axis) { return Layout::slab(shape, 4, axis); }

/// Slabs of so many fields before and after the reshape, and the transforms at its ends.
struct Slabs {
  explicit Slabs(std::int64_t fields) : from(planes({fields, 16, 16, 16}, 1)), to(planes({fields, 16, 16, 16}, 2)) {}
  Layout from, to;
  TransformStep yz = fourier_step({2, 3}, Kind::c2c, {1, 1, 1, 1});
  TransformStep x = fourier_step({1}, Kind::c2c, {1, 1, 1, 1});
};

TEST(Chunking, BatchServesBothEndsOfSlabs) {
  const Slabs slabs(8);
  const auto& [from, to, yz, x] = slabs;
  const Chunking fields = first_chunking({from, to, &yz, &x}, 4);
  EXPECT_EQ(describe(fields), "4 chunks along the batch at both ends");
  const Chunking more = first_chunking({from, to, &yz, &x}, 100);
  EXPECT_EQ(describe(more), "8 chunks along the batch at both ends");
}

TEST(Chunking, SlabsOfOneFieldAreCutAtOneEnd) {
  const Slabs slabs(1);
  const auto& [from, to, yz, x] = slabs;
  EXPECT_EQ(describe(first_chunking({from, to, &yz, &x}, 4)), "4 chunks along axis 0 at the sender");
  EXPECT_EQ(describe(first_chunking({from, to, nullptr, &x}, 4)), "4 chunks along axis 1 at the receiver");
  EXPECT_EQ(describe(first_chunking({from, to, nullptr, &x}, 16)), "16 chunks along axis 2 at the receiver");
  EXPECT_FALSE(first_chunking({from, to, nullptr, nullptr}, 4).cuts());
  EXPECT_FALSE(first_chunking({from, to, &yz, &x}, 1).cuts());
}

TEST(Chunking, EachEndOfASlabAlongItsOwnAxis) {
  const Slabs slabs(1);
  const auto& [from, to, yz, x] = slabs;
  const Pieces two = in_pieces({from, to, &yz, &x}, 4);
  EXPECT_EQ(two.text, "4 chunks, 2 along axis 0 at the sender and 2 along axis 1 at the receiver");
  EXPECT_EQ(two.moves(), 4);
  EXPECT_EQ(in_pieces({from, to, &yz, &x}, 3).text,
            "3 chunks, 1 along axis 0 at the sender and 2 along axis 1 at the receiver");
  EXPECT_EQ(in_pieces({from, to, nullptr, &x}, 4).text, "4 chunks along axis 1 at the receiver");
  EXPECT_EQ(in_pieces({from, to, &yz, nullptr}, 4).text, "4 chunks along axis 0 at the sender");
}

/// Every element is in one message.
TEST(Chunking, TwoChunkingsSendEverythingOnce) {
  const Shape shape{1, 13, 11, 5};
  const TransformStep yz = fourier_step({2, 3}, Kind::c2c, {1, 1, 1, 1});
  const TransformStep x = fourier_step({1}, Kind::c2c, {1, 1, 1, 1});
  const Layout from = planes(shape, 1);
  const Layout to = planes(shape, 2);
  for (int chunks = 2; chunks < 9; ++chunks) {
    const Pieces two = in_pieces({from, to, &yz, &x}, chunks);
    for (int rank = 0; rank < 4; ++rank) {
      std::int64_t sent = 0, received = 0;
      for (const Pieces::Message& message : two.messages) {
        const Schedule some = make_schedule(from, to, rank, message.from, message.to);
        sent += some.send_count;
        received += some.recv_count;
      }
      const Schedule all = make_schedule(from, to, rank);
      EXPECT_EQ(sent, all.send_count);
      EXPECT_EQ(received, all.recv_count);
    }
  }
}

/// Every element is in one message, which does not wait for more than it sends; and a piece behind the reshape finds
/// all that it reads.
TEST(Chunking, PiecesOfUnequalSizeSendEverythingInTime) {
  const Layout from = planes({1, 13, 11, 5}, 1), to = planes({1, 13, 11, 5}, 2);
  const Chunking sender{1, 2, ChunkEnds::sender}, receiver{2, 2, ChunkEnds::receiver};
  for (const EndCuts& cuts : {EndCuts{{1, 2}, {1}, 0}, EndCuts{{1}, {2, 1}, 0}, EndCuts{{1, 2}, {2, 1}, 0},
                              EndCuts{{1, 2}, {2, 1}, 1}, EndCuts{{1, 1, 1}, {1, 1}, 1}, EndCuts{{1, 2, 1}, {1}, 2}}) {
    const Pieces pieces = in_pieces(sender, receiver, cuts);
    SCOPED_TRACE(pieces.text);
    ASSERT_EQ(pieces.moves(), cuts.messages());
    for (int k = 0; k < pieces.moves(); ++k) {
      const Slice &sent = pieces.messages[to_size(k)].from, &last = pieces.before[to_size(pieces.last_piece_of(k))];
      EXPECT_EQ(sent.index + sent.run, last.index + last.run);
    }
    for (int rank = 0; rank < 4; ++rank) {
      std::int64_t sent = 0;
      for (const Pieces::Message& message : pieces.messages)
        sent += make_schedule(from, to, rank, message.from, message.to).send_count;
      EXPECT_EQ(sent, make_schedule(from, to, rank).send_count);
      for (int p = 0; p < pieces.afters(); ++p) {
        const Slice& piece = pieces.after[to_size(p)];
        std::int64_t arrived = 0;
        for (int k = 0; k <= pieces.last_message_of(p); ++k)
          if (const auto& message = pieces.messages[to_size(k)]; message.to == Slice{} || message.to == piece)
            arrived += make_schedule(from, to, rank, message.from, piece).recv_count;
        EXPECT_EQ(arrived, make_schedule(from, to, rank, {}, piece).recv_count);
      }
    }
  }
}

TEST(Estimate, AddsUpWhatRunsBesideEachOther) {
  EXPECT_EQ(estimate({4, 4, 8}, {{1}, {1}}), 4 + 8 + 4);
  EXPECT_EQ(estimate({4, 4, 8, 1, 0.5}, {{1}, {1}}), 4.5 + 9 + 4.5);
  // The link has work from 2 on, and at the end a half of the last transform is left.
  EXPECT_EQ(estimate({4, 4, 8}, {{1, 1}, {1, 1}, 1}), 2 + 8 + 2);
  EXPECT_EQ(estimate({4, 4, 8}, {{1, 3}, {3, 1}, 1}), 4 + 4.5 + 3 + 1) << "it waits for the second piece";
  // Where transforms take longer nobody waits but for the first half of the columns.
  EXPECT_EQ(estimate({8, 8, 4}, {{1, 1}, {1, 1}, 0}), 8 + 1 + 8);
}

TEST(Estimate, TellsTheShareOfPiecesThatAreNotSentAsTheyAre) {
  EXPECT_EQ((EndCuts{{1, 1, 2, 4}, {1}, 3}).divided_share(), 0.5);
  EXPECT_EQ((EndCuts{{1, 2}, {1}, 0}).divided_share(), 1);
  Pieces equal;
  equal.before.resize(5);
  equal.whole = 4;
  EXPECT_GE(equal.divided_share(), (EndCuts{{1, 1, 1, 1, 1}, {1}, 4}).divided_share());
}

/// Little is done before the first message and behind the last one; more pieces where more is sent.
TEST(Estimate, PutsSmallPiecesAtTheEnds) {
  const EndCosts slow_links{300, 300, 1000, 5, 5}, little{30, 30, 100, 20, 20};
  const EndCuts cuts = possible_cuts(slow_links, 100, 100).front();
  EXPECT_LT(cuts.before.front(), cuts.before.back());
  EXPECT_GT(cuts.after.front(), cuts.after.back());
  EXPECT_LT(possible_cuts(little, 100, 100).front().messages(), cuts.messages());
  const std::vector<EndCuts> fewest = possible_cuts(little, 1, 2);
  ASSERT_EQ(fewest.size(), 1u) << "of one piece and two; one message is no cut";
  EXPECT_EQ(fewest.front().messages(), 2);
  for (const EndCuts& some : possible_cuts(slow_links, 5, 3)) {
    EXPECT_LE(std::accumulate(some.before.begin(), some.before.end(), 0), 5);
    EXPECT_LE(std::accumulate(some.after.begin(), some.after.end(), 0), 3);
    EXPECT_GE(some.messages(), 2);
    EXPECT_LT(some.whole, static_cast<int>(some.before.size()));
    EXPECT_GT(some.divided_share(), 0);
  }
}

TEST(Chunking, PencilsAreCutAlongTheAxisTheyKeep) {
  const Shape shape{1, 16, 16, 16};
  const TransformStep z = fourier_step({3}, Kind::c2c, {1, 1, 1, 1});
  const TransformStep y = fourier_step({2}, Kind::c2c, {1, 1, 1, 1});
  const Layout from = Layout::brick(shape, {1, 2, 2, 1});
  const Layout to = Layout::brick(shape, {1, 2, 1, 2});
  EXPECT_EQ(describe(first_chunking({from, to, &z, &y}, 4)), "4 chunks along axis 0 at both ends");
  EXPECT_EQ(describe(first_chunking({from, to, &z, &y}, 7)), "7 chunks along axis 0 at both ends");
  EXPECT_EQ(describe(first_chunking({from, to, &z, &y}, 99)), "8 chunks along axis 0 at both ends");
}

/// An axis that is cut differently before and after serves one end only.
TEST(Chunking, AxisWithOtherPartsServesOneEnd) {
  const Shape shape{1, 16, 16, 16};
  const TransformStep z = fourier_step({3}, Kind::c2c, {1, 1, 1, 1});
  const Layout from = Layout::brick(shape, {1, 4, 1, 1});
  const Layout to = Layout::brick(shape, {1, 2, 2, 1});
  EXPECT_EQ(first_chunking({from, to, &z, &z}, 4).ends, ChunkEnds::sender);
  EXPECT_EQ(first_chunking({from, from, &z, &z}, 4).ends, ChunkEnds::both);
}

TEST(Chunking, NothingToCut) {
  const Shape shape{1, 1, 1, 16};
  const TransformStep z = fourier_step({3}, Kind::c2c, {1, 1, 1, 1});
  const Layout single = Layout::single(shape, 4);
  EXPECT_FALSE(first_chunking({single, single, &z, nullptr}, 4).cuts());
}

}  // namespace
}  // namespace shardfft::test
