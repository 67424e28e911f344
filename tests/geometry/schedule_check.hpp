#pragma once
// Runs the schedules of all ranks in one process, element by element, and compares with the map of elements.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "geometry/schedule.hpp"
#include "support/elements.hpp"

namespace shardfft::test {

/// Addresses of a box in packed order.
inline std::vector<std::int64_t> addresses(const Box& box) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < box.elements(); ++i) {
    std::int64_t address = box.offset;
    std::int64_t rest = i;
    for (std::size_t a = static_cast<std::size_t>(box.axes); a-- > 0;) {
      address += rest % box.count[a] * box.stride[a];
      rest /= box.count[a];
    }
    result.push_back(address);
  }
  return result;
}

inline std::vector<std::int64_t> addresses(const Message& message) {
  std::vector<std::int64_t> result;
  for (const Box& box : message.boxes) {
    const auto more = addresses(box);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

/// Arrays of all ranks, holding the row-major numbers of their elements; -1 where nothing has been written.
using Arrays = std::vector<std::vector<std::int64_t>>;

inline Arrays filled(const Layout& layout) {
  Arrays arrays;
  for (int r = 0; r < layout.ranks(); ++r) arrays.push_back(numbers_by_address(layout, r));
  return arrays;
}

inline Arrays blank(const Layout& layout) {
  Arrays arrays;
  for (int r = 0; r < layout.ranks(); ++r) arrays.emplace_back(to_size(layout.count(r)), -1);
  return arrays;
}

/// The message lists keep their promises: ascending peers, none empty, one behind the other.
inline void check_messages(const std::vector<Message>& messages, std::int64_t total, int rank) {
  int last = -1;
  std::int64_t offset = 0;
  for (const Message& m : messages) {
    EXPECT_GT(m.peer, last);
    EXPECT_NE(m.peer, rank);
    EXPECT_GT(m.count, 0);
    EXPECT_EQ(m.offset, offset);
    EXPECT_EQ(static_cast<std::int64_t>(addresses(m).size()), m.count);
    for (const Box& box : m.boxes)
      for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a) {
        EXPECT_GT(box.count[a], 1) << "axes of one element are left out";
        EXPECT_TRUE(a == 0 || box.stride[a - 1] != box.count[a] * box.stride[a]) << "contiguous axes are merged";
      }
    last = m.peer;
    offset += m.count;
  }
  EXPECT_EQ(offset, total);
}

/// Writes element `value` once.
inline void deliver(std::vector<std::int64_t>& array, std::int64_t address, std::int64_t value) {
  ASSERT_GE(address, 0);
  ASSERT_LT(address, static_cast<std::int64_t>(array.size()));
  ASSERT_EQ(array[to_size(address)], -1) << "address " << address << " is written twice";
  array[to_size(address)] = value;
}

/// Runs all ranks' schedules; receivers read the senders' packed elements.
inline void run_schedules(const std::vector<Schedule>& all, const Arrays& source, Arrays& destination) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    check_messages(all[rank].send, all[rank].send_count, static_cast<int>(rank));
    check_messages(all[rank].recv, all[rank].recv_count, static_cast<int>(rank));
    for (const LocalCopy& c : all[rank].self) {
      const auto from = addresses(c.from);
      const auto to = addresses(c.to);
      ASSERT_EQ(from.size(), to.size());
      for (std::size_t i = 0; i < to.size(); ++i) deliver(destination[rank], to[i], source[rank].at(to_size(from[i])));
    }
    for (const Message& received : all[rank].recv) {
      const Message* sent = nullptr;
      for (const Message& m : all[to_size(received.peer)].send)
        if (m.peer == static_cast<int>(rank)) sent = &m;
      ASSERT_NE(sent, nullptr) << received.peer << " sends nothing to " << rank;
      ASSERT_EQ(sent->count, received.count);
      const auto from = addresses(*sent);
      const auto to = addresses(received);
      for (std::size_t i = 0; i < to.size(); ++i)
        deliver(destination[rank], to[i], source[to_size(received.peer)].at(to_size(from[i])));
    }
  }
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (const Schedule& s : all) {
    sent += static_cast<std::int64_t>(s.send.size());
    received += static_cast<std::int64_t>(s.recv.size());
  }
  EXPECT_EQ(sent, received) << "messages that nobody receives";
}

inline std::vector<Schedule> schedules(const Layout& from, const Layout& to, const Slice& from_slice = {},
                                       const Slice& to_slice = {}) {
  std::vector<Schedule> all;
  for (int r = 0; r < from.ranks(); ++r) all.push_back(make_schedule(from, to, r, from_slice, to_slice));
  return all;
}

/// For arrays of any size: both ends of every message agree, and nothing is lost; views of half spectra leave some out.
inline void check_balance(const Layout& from, const Layout& to) {
  const int ranks = from.ranks();
  const std::vector<Schedule> all = schedules(from, to);
  std::int64_t left_out = 0;
  for (int r = 0; r < ranks; ++r) left_out += from.count(r) - to.count(r);
  for (int r = 0; r < ranks; ++r) {
    const Schedule& s = all[static_cast<std::size_t>(r)];
    std::int64_t kept = 0;
    for (const LocalCopy& c : s.self) kept += c.from.elements();
    EXPECT_LE(s.send_count + kept, from.count(r));
    left_out -= from.count(r) - s.send_count - kept;
    EXPECT_EQ(s.recv_count + kept, to.count(r));
    for (const Message& m : s.send) {
      std::int64_t received = -1;
      for (const Message& other : all[static_cast<std::size_t>(m.peer)].recv)
        if (other.peer == r) received = other.count;
      EXPECT_EQ(m.count, received) << r << " to " << m.peer;
      EXPECT_LE(m.offset + m.count, s.send_count);
    }
  }
  EXPECT_EQ(left_out, 0);
}

}  // namespace shardfft::test
