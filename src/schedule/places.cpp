#include "schedule/places.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/round_up.hpp"

namespace shardfft {

namespace {

/// The first place for an array in a room, clear of the bytes that other arrays have `taken` in some of its turns.
std::optional<std::size_t> fit(std::size_t bytes, const ArrayRoom& room, std::vector<ArrayPlace> taken) {
  std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t at = 0;
  for (const ArrayPlace& place : taken)
    if (at + bytes > place.begin) at = std::max(at, round_up(place.end(), room.alignment));
  return bytes <= room.bytes && at <= room.bytes - bytes ? std::optional(at) : std::nullopt;
}

std::vector<ArrayPlace> place_in(const std::vector<std::size_t>& order, const std::vector<TimedArray>& arrays,
                                 const std::vector<ArrayRoom>& rooms) {
  std::vector<ArrayPlace> places(arrays.size());
  for (const std::size_t number : order) {
    const TimedArray& array = arrays[number];
    for (int r = 0; array.bytes > 0 && places[number].room < 0 && r < static_cast<int>(rooms.size()); ++r) {
      const ArrayRoom& room = rooms[static_cast<std::size_t>(r)];
      if (room.shared != array.shared || array.born < room.free_from || array.dies > room.free_until) continue;
      std::vector<ArrayPlace> taken;
      for (std::size_t other = 0; other < arrays.size(); ++other)
        if (places[other].room == r && meet(array, arrays[other])) taken.push_back(places[other]);
      if (const auto begin = fit(array.bytes, room, std::move(taken))) places[number] = {r, *begin, array.bytes};
    }
  }
  return places;
}

/// Places the arrays of `order`, all shared or none, in the better of two orders: the largest first, or those that end
/// last first. In the latter, arrays of about the largest size count as equal: a larger one would not fit in the place
/// of a smaller one. Then a chain of arrays, each of which meets only the next, takes the bytes of two.
std::vector<ArrayPlace> place_alike(std::vector<std::size_t> order, const std::vector<TimedArray>& arrays,
                                    const std::vector<ArrayRoom>& rooms) {
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return arrays[a].bytes > arrays[b].bytes; });
  const auto largest_first = place_in(order, arrays, rooms);
  std::vector<TimedArray> alike = arrays;
  for (const std::size_t i : order)
    if (const std::size_t most = arrays[order.front()].bytes; alike[i].bytes > most / 2) alike[i].bytes = most;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return arrays[a].dies > arrays[b].dies; });
  auto last_first = place_in(order, alike, rooms);
  for (const std::size_t i : order) last_first[i].bytes = last_first[i].room < 0 ? 0 : arrays[i].bytes;
  const auto bytes = [&](const std::vector<ArrayPlace>& places) {
    std::size_t sum = 0;
    for (int r = 0; r < static_cast<int>(rooms.size()); ++r) sum += end_in(r, places);
    for (const std::size_t i : order) sum += places[i].room < 0 ? arrays[i].bytes : 0;
    return sum;
  };
  return bytes(last_first) < bytes(largest_first) ? last_first : largest_first;
}

}  // namespace

/// Unshared arrays do not influence the places of shared ones, because ranks agree only on the sizes of the latter.
std::vector<ArrayPlace> place_arrays(const std::vector<TimedArray>& arrays, const std::vector<ArrayRoom>& rooms) {
  std::vector<ArrayPlace> places(arrays.size());
  for (const bool shared : {false, true}) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].shared == shared) order.push_back(i);
    if (order.empty()) continue;
    const std::vector<ArrayPlace> found = place_alike(order, arrays, rooms);
    for (const std::size_t i : order) places[i] = found[i];
  }
  return places;
}

std::size_t end_in(int room, const std::vector<ArrayPlace>& places) {
  std::size_t end = 0;
  for (const ArrayPlace& place : places)
    if (place.room == room) end = std::max(end, place.end());
  return end;
}

}  // namespace shardfft
