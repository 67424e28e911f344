// Where arrays lie, against bytes that each of them owns turn by turn.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "schedule/places.hpp"
#include "support/seed.hpp"

namespace shardfft::test {
namespace {

/// Every byte of a room has one owner in every turn; arrays begin where they may, in rooms that are theirs.
void check(const std::vector<TimedArray>& arrays, const std::vector<ArrayRoom>& rooms,
           const std::vector<ArrayPlace>& places) {
  ASSERT_EQ(places.size(), arrays.size());
  std::map<std::tuple<int, int, std::size_t>, std::size_t> owner;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const TimedArray& array = arrays[i];
    const ArrayPlace& place = places[i];
    if (place.room < 0) continue;
    const ArrayRoom& room = rooms.at(static_cast<std::size_t>(place.room));
    EXPECT_EQ(room.shared, array.shared);
    EXPECT_EQ(place.begin % room.alignment, 0u);
    EXPECT_TRUE(room.free_from <= array.born && array.dies <= room.free_until);
    EXPECT_EQ(place.bytes, array.bytes);
    EXPECT_LE(array.bytes, room.bytes);
    EXPECT_LE(place.begin, room.bytes - array.bytes);
    EXPECT_LE(place.end(), end_in(place.room, places));
    for (int turn = array.born; turn <= array.dies; ++turn)
      for (std::size_t byte = place.begin; byte < place.begin + array.bytes; ++byte) {
        const auto [found, is_new] = owner.try_emplace({place.room, turn, byte}, i);
        ASSERT_TRUE(is_new) << "arrays " << found->second << " and " << i << " have byte " << byte << " in turn "
                            << turn;
      }
  }
}

TEST(Places, NoByteHasTwoArraysInOneTurn) {
  Random random(60);
  const auto draw = [&random](int least, int most) { return static_cast<int>(random.integer(least, most)); };
  int reused = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<ArrayRoom> rooms{{static_cast<std::size_t>(draw(0, 60)), 1, draw(0, 1) == 1, draw(0, 2), draw(3, 6)}};
    for (const bool shared : {false, true})
      rooms.push_back({draw(0, 3) > 0 ? ArrayRoom::grows : 40, std::size_t{1} << draw(0, 3), shared});
    std::vector<TimedArray> arrays;
    for (int i = draw(1, 9); i > 0; --i) {
      const int born = draw(0, 6);
      arrays.push_back({static_cast<std::size_t>(draw(0, 40)), born, draw(born, 6), draw(0, 1) == 1});
    }
    const auto places = place_arrays(arrays, rooms);
    check(arrays, rooms, places);
    std::size_t bytes = 0, ends = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      bytes += arrays[i].bytes;
      refused += places[i].room < 0 && arrays[i].bytes > 0 ? 1 : 0;
      const bool grows = rooms[arrays[i].shared ? 2 : 1].bytes == ArrayRoom::grows;
      EXPECT_TRUE(places[i].room >= 0 || arrays[i].bytes == 0 || !grows) << "a room that grows takes every array";
    }
    for (int room = 0; room < 3; ++room) ends += end_in(room, places);
    reused += ends < bytes ? 1 : 0;
  }
  EXPECT_GT(reused, 100);
  EXPECT_GT(refused, 10);
}

/// Turns that follow each other need the room of two of them, not of all.
TEST(Places, ArraysOfAChainTakeTurns) {
  std::vector<TimedArray> arrays;
  for (int turn = 0; turn < 8; ++turn) arrays.push_back({100, turn, turn + 1});
  const auto places = place_arrays(arrays, {{ArrayRoom::grows, 64}});
  EXPECT_EQ(end_in(0, places), 228u);
  const auto uneven = place_arrays({{100, 0, 1}, {90, 1, 2}, {90, 2, 3}, {100, 3, 4}}, {{ArrayRoom::grows, 64}});
  EXPECT_EQ(end_in(0, uneven), 228u) << "the large ones at the ends first would leave no room for both between them";
}

/// Ranks place shared arrays alike, of whose sizes they agree; other arrays have sizes of their own on each rank.
TEST(Places, OtherArraysDecideNothingForSharedOnes) {
  Random random(61);
  const std::vector<ArrayRoom> rooms{{ArrayRoom::grows, 64, true}, {ArrayRoom::grows, 8, false}};
  for (int round = 0; round < 200; ++round) {
    std::vector<TimedArray> mine;
    for (int i = 0; i < 8; ++i) {
      const auto born = static_cast<int>(random.integer(0, 6));
      const auto bytes = static_cast<std::size_t>(random.integer(50, 100));
      mine.push_back({bytes, born, std::min(7, born + 1), i % 3 > 0});
    }
    std::vector<TimedArray> other = mine;
    for (TimedArray& array : other)
      if (!array.shared) array.bytes = static_cast<std::size_t>(random.integer(0, 400));
    const auto places = place_arrays(mine, rooms), theirs = place_arrays(other, rooms);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i].shared) {
        EXPECT_EQ(places[i].begin, theirs[i].begin);
      }
    }
  }
}

}  // namespace
}  // namespace shardfft::test
