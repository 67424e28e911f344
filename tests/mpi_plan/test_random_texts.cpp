// Texts from outside, damaged at random: each is read, or refused with an error that says why.
#include <cstdlib>

#include "base/environment.hpp"
#include "choose/way.hpp"
#include "local/lanes.hpp"
#include "shardfft/option_table.hpp"
#include "support/random_layouts.hpp"
#include "support/random_problems.hpp"
#include "support/transform_check.hpp"

namespace shardfft::test {
namespace {

/// Some of its bytes taken away, doubled, or changed to what such texts are made of.
std::string damaged(Random& random, std::string text) {
  static const std::string bytes = std::string("=;,| -+.0189eE\"'xX\n\t\xff\xc3", 22) + '\0';
  for (std::int64_t turn = random.integer(0, 4); turn > 0; --turn) {
    const std::size_t at = to_size(random.integer(0, static_cast<std::int64_t>(text.size())));
    const std::size_t length = std::min(to_size(random.integer(0, 9)), text.size() - at);
    std::string piece = random.coin() ? text.substr(at, length) + text.substr(at, length) : std::string();
    if (random.coin())
      for (std::int64_t i = random.integer(1, random.integer(0, 9) == 0 ? 30 : 2); i > 0; --i)
        piece += bytes[to_size(random.integer(0, static_cast<std::int64_t>(bytes.size()) - 1))];
    text.replace(at, length, piece);
  }
  return text;
}

void way(Random& random) {
  Way example{random.coin() ? "slab" : "pencil", "alltoallv"};
  example.grid = {random.integer(0, 3), 2};
  example.libraries = {{"0", "fftw"}, {"2 back", "lanes"}};
  example.add_passes("1", "a | b");
  const Way read = Way::parse(damaged(random, example.text()));
  EXPECT_EQ(Way::parse(read.text()).text(), read.text());
}

void option(Random& random) {
  const std::vector<OptionRow>& table = option_table();
  const OptionRow& row = table[to_size(random.integer(0, static_cast<std::int64_t>(table.size()) - 1))];
  Options options;
  set_option(options, random.integer(0, 9) == 0 ? damaged(random, row.name) : row.name,
             damaged(random, random.coin() ? row.example : option_text(row, {})));
  const std::string text = option_text(row, options);
  Options again;
  set_option(again, row.name, text);
  EXPECT_EQ(option_text(row, again), text);
}

void name_in_a_plan(Random& random) {
  Options options = quick();
  const auto one = [&](const std::vector<std::string>& names) { return damaged(random, one_of(random, names)); };
  const auto which = random.integer(0, 3);
  if (which == 0) options.algorithm = one(algorithm_names());
  if (which == 1) options.exchange = one(exchange_names());
  if (which == 2) options.local_fft = one(local_fft_names());
  if (which == 3) options.way = damaged(random, Way{"slab", "p2p"}.text());
  TransformCase c{{4, 6}};
  c.options = options;
  make_plan(MPI_COMM_WORLD, c);
}

void variable(Random& random) {
  const std::string text = damaged(random, random.coin() ? "1" : "avx2");
  setenv("SHARDFFT_TEST_SWITCH", text.c_str(), 1);
  if (random.coin())
    switch_in_environment("SHARDFFT_TEST_SWITCH", "nothing");
  else
    lanes::no_longer_than(lanes::all_kernels(), text);
}

TEST(RandomTexts, AreReadOrRefused) {
  const auto read = {way, option, name_in_a_plan, variable};
  const RandomCounts counts = random_problems("fuzz --texts", [&](std::int64_t i) {
    Random random(static_cast<std::uint64_t>(i) * 7919);
    // Few of them wait for other ranks.
    const auto which = random.integer(0, 40) == 0 ? 2 : random.integer(0, 2) == 2 ? 3 : random.integer(0, 1);
    SCOPED_TRACE("text of sort " + std::to_string(which));
    try {
      read.begin()[which](random);
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == Status::invalid_argument || e.code() == Status::unsupported) << e.what();
      EXPECT_GT(std::string(e.what()).size(), 10U);
      return true;
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    return false;
  });
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GT(counts.checked + counts.refused, 0);
}

}  // namespace
}  // namespace shardfft::test
