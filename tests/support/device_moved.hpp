#pragma once
// Redistributions on GPUs: every element of every member at its place.
#include "support/device_check.hpp"
#include "support/moved.hpp"

namespace shardfft::test {

/// Rank `first_rank + m` is member m of `planned`.
inline void check_device_moves(Redistribution& planned, const Layout& from, const Layout& to, std::size_t bytes,
                               std::int64_t fields, int first_rank, const std::string& memory = "device") {
  struct Arrays {
    std::vector<std::byte> before, after;
    std::vector<PlacedArray> placed;  ///< in, out, both in one
  };
  std::vector<Arrays> members;
  for (int m = 0; m < planned.members(); ++m) {
    Arrays arrays{
        encoded_array(from, first_rank + m, fields, bytes), encoded_array(to, first_rank + m, fields, bytes), {}};
    EXPECT_EQ(planned.input_count(m) * static_cast<std::int64_t>(bytes),
              static_cast<std::int64_t>(arrays.before.size()));
    EXPECT_EQ(planned.output_count(m) * static_cast<std::int64_t>(bytes),
              static_cast<std::int64_t>(arrays.after.size()));
    for (const std::size_t size :
         {arrays.before.size(), arrays.after.size(), std::max(arrays.before.size(), arrays.after.size())})
      arrays.placed.emplace_back(memory, planned.device(m), size);
    members.push_back(std::move(arrays));
  }
  /// From array `in` of every member to array `out`.
  const auto run = [&](bool forward, std::size_t in, std::size_t out) {
    SCOPED_TRACE(std::string(forward ? "forward" : "backward") + (in == out ? ", in place" : ""));
    std::vector<const void*> ins;
    std::vector<void*> outs;
    for (Arrays& arrays : members) {
      const std::vector<std::byte>& source = forward ? arrays.before : arrays.after;
      std::vector<std::byte> filled(std::max(arrays.before.size(), arrays.after.size()));
      std::copy(source.begin(), source.end(), filled.begin());
      arrays.placed[in].put(filled.data());
      ins.push_back(arrays.placed[in].data());
      outs.push_back(arrays.placed[out].data());
    }
    forward ? planned.forward(ins, outs) : planned.backward(ins, outs);
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::vector<std::byte>& expected = forward ? members[m].after : members[m].before;
      std::vector<std::byte> got(std::max(members[m].before.size(), members[m].after.size()));
      members[m].placed[out].get(got.data());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin())) << "member " << m;
      for (const PlacedArray& array : members[m].placed) EXPECT_TRUE(array.guard_is_whole()) << "member " << m;
    }
  };
  for (int turn = 0; turn < 4; ++turn) {  // the last ones as a graph
    run(true, 0, 1);
    run(false, 1, 0);
    if (turn < 2) run(true, 2, 2);
  }
}

}  // namespace shardfft::test
