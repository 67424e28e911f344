// The exchanges between GPUs of one process move every element to its place.
#include "gpu/reshape_kit.hpp"

namespace shardfft::kit {
namespace {

std::vector<int> devices(int ranks) {
  std::vector<int> list;
  for (int r = 0; r < ranks; ++r) list.push_back(r % device::device_count());
  return list;
}

/// Those that need no messages between processes.
std::vector<std::string> strategies() {
  std::vector<std::string> names = gpu::device_exchange_names();
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("mpi_device") || name.starts_with("host_staged_");
  });
  return names;
}

class GroupExchange : public testing::TestWithParam<std::string> {};

TEST_P(GroupExchange, AllLayouts) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    gpu::Team team(devices(ranks));
    ASSERT_TRUE(team.all_peers());
    if (possible(team, GetParam())) conform_all(team, GetParam());
  }
}

TEST_P(GroupExchange, RanksThatShareADevice) {
  gpu::Team team({0, 1 % device::device_count(), 0});
  if (possible(team, GetParam())) conform_all(team, GetParam());
}

TEST_P(GroupExchange, SeveralHosts) {
  for (const auto& [ranks, ranks_per_host] : {std::pair{2, 1}, {3, 2}, {4, 1}, {5, 2}, {6, 3}}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(ranks_per_host) + " a host");
    gpu::Team team(devices(ranks), ranks_per_host);
    if (GetParam().starts_with("cuda_peer"))
      EXPECT_NE(refusal(team, GetParam()).find("not all GPUs"), std::string::npos);
    else if (possible(team, GetParam()))
      conform_all(team, GetParam());
  }
}

TEST_P(GroupExchange, TwoAlive) {
  gpu::Team team(devices(3), GetParam() == "mixed" ? 2 : 0);
  if (!possible(team, GetParam())) GTEST_SKIP() << "not on these GPUs";
  const std::vector<Case> all = cases(3);
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    SCOPED_TRACE(all[i].name + " with " + all[i + 1].name);
    DeviceReshape first(team, GetParam(), all[i]), second(team, GetParam(), all[i + 1]);
    for (std::uint64_t run = 0; run < DeviceReshape::runs; ++run) {
      first.run();
      second.run();
    }
    second.check();
    first.check();
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, GroupExchange, testing::ValuesIn(strategies()),
                         [](const auto& strategy) { return strategy.param; });

TEST(GroupExchangeChoice, PeersWriteDirectly) {
  EXPECT_EQ(gpu::choose_device_exchange(gpu::Team({0, 0})).chosen, "cuda_peer");
}

TEST(GroupExchangeChoice, PeersOfSomeHostsAreMixed) {
  EXPECT_EQ(gpu::choose_device_exchange(gpu::Team({0, 0, 0}, 2)).chosen, "mixed");
  EXPECT_EQ(gpu::choose_device_exchange(gpu::Team({0, 0, 0}, 3)).chosen, "cuda_peer");
  EXPECT_EQ(gpu::choose_device_exchange(gpu::Team({0, 0, 0}, 1)).chosen,
            "host_staged");  // nobody sends itself messages
}

TEST(GroupExchangeChoice, EachMessageGoesOneWay) {
  gpu::Team team({0, 0, 0}, 2);
  const Case c{"slabs", Layout::slab({9, 9, 4}, 3, 0), Layout::slab({9, 9, 4}, 3, 1), 8};
  const auto operations = gpu::make_device_reshape("mixed", {&team, c.from, c.to, c.element_bytes});
  const std::string on_first_host = "mixed: cuda_peer, 1 peers, 0 copies by engines, 1 by kernels; host_staged, 1";
  EXPECT_EQ(operations[0]->describe().substr(0, on_first_host.size()), on_first_host);
  const std::string alone = "mixed: cuda_peer, 0 peers, 0 copies by engines, 0 by kernels; host_staged, 2";
  EXPECT_EQ(operations[2]->describe().substr(0, alone.size()), alone);
  for (const auto& operation : operations) EXPECT_EQ(operation->bytes_sent(), 2 * 3 * 3 * 4 * 8);
}

Status refused(const std::string& name, std::string& why) {
  gpu::Team team({0, 0});
  try {
    gpu::make_device_reshape(name, {&team, Layout::slab({4, 4}, 2, 0), Layout::slab({4, 4}, 2, 1), 8});
  } catch (const Error& e) {
    why = e.what();
    return e.code();
  }
  return Status::ok;
}

TEST(GroupExchangeChoice, MessagesNeedProcesses) {
  for (const char* name : {"mpi_device", "mpi_device_ring", "host_staged_ring"}) {
    std::string why;
    EXPECT_EQ(refused(name, why), Status::unsupported);
    EXPECT_NE(why.find("one process"), std::string::npos) << why;
  }
}

TEST(GroupExchangeChoice, UnknownNamesAreRefused) {
  std::string why;
  EXPECT_EQ(refused("pigeon", why), Status::invalid_argument);
  for (const std::string& name : gpu::device_exchange_names()) EXPECT_NE(why.find(name), std::string::npos) << why;
}

TEST(GroupExchangeChoice, LayoutsOfOtherRankCountsAreRefused) {
  gpu::Team team({0, 0});
  EXPECT_THROW(
      gpu::make_device_reshape("cuda_peer", {&team, Layout::slab({4, 4}, 3, 0), Layout::slab({4, 4}, 3, 1), 8}), Error);
}

TEST(GroupExchangeChoice, LongRowsGoByEnginesShortOnesByKernels) {
  gpu::Team team({0, 0});
  const Case wide = long_rows(2).front();
  const auto described = [&](const char* name, const Case& c) {
    return gpu::make_device_reshape(name, {&team, c.from, c.to, c.element_bytes}).front()->describe();
  };
  const Case narrow{"narrow", Layout::slab({8, 8, 4}, 2, 0), Layout::slab({8, 8, 4}, 2, 1), 8};
  EXPECT_EQ(described("cuda_peer", wide), "cuda_peer, 1 peers, 1 copies by engines, 0 by kernels");
  EXPECT_EQ(described("cuda_peer_store", wide), "cuda_peer_store, 1 peers, 0 copies by engines, 1 by kernels");
  EXPECT_EQ(described("cuda_peer", narrow), "cuda_peer, 1 peers, 0 copies by engines, 1 by kernels");
  EXPECT_EQ(described("cuda_peer_copy", narrow), "cuda_peer_copy, 1 peers, 1 copies by engines, 0 by kernels");
}

}  // namespace
}  // namespace shardfft::kit
