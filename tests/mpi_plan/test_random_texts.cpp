// Texts from outside, damaged at random: each is read, or refused with an error that says why.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/environment.hpp"
#include "choose/way.hpp"
#include "choose/wisdom.hpp"
#include "local/lanes.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/option_table.hpp"
#include "shardfft/wisdom.hpp"
#include "support/damaged.hpp"
#include "support/random_layouts.hpp"
#include "support/transform_check.hpp"

namespace shardfft::test {
namespace {

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

/// A plan's own line, changed: the plan is refused, or right.
void way_of_a_plan(Random& random) {
  TransformCase c{{4, 6, 5}, "pencil", "left", random.coin() ? Kind::r2c : Kind::c2c, Precision::f64, quick()};
  c.options.way = damaged_way(random, make_plan(MPI_COMM_WORLD, c).way());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_plan(plan, c);
}

std::string wisdom_text(Random& random) {
  Wisdom some;
  for (std::int64_t i = random.integer(0, 3); i > 0; --i)
    some.add({"4 x a \"processor\"\n", "c2c " + std::to_string(i), "shardfft 1", Way{"slab", "p2p"}.text(),
              random.coin() ? Effort::measure : Effort::patient, 0.1 * static_cast<double>(i), "2026-01-01T00:00:00Z"});
  return damaged(random, some.text());
}

void wisdom(Random& random) {
  const Wisdom read = Wisdom::parse(wisdom_text(random));
  const Wisdom again = Wisdom::parse(read.text());
  EXPECT_EQ(again.text(), read.text());
  EXPECT_EQ(again.damaged(), 0U);
}

/// One that another job damaged: it stays as it is, or has the new entry afterwards.
void wisdom_file(Random& random) {
  namespace fs = std::filesystem;
  const fs::path path = fs::temp_directory_path() / ("shardfft-texts-" + std::to_string(getpid()));
  const std::string text = wisdom_text(random);
  std::ofstream(path, std::ios::binary) << text;
  const WisdomFile file{path.string(), true};
  Wisdom more;
  more.add({"machine", "problem", "shardfft 1", "way", Effort::measure, 0, "2026-01-02T00:00:00Z"});
  const Failure failure = failure_of([&] { file.add(more); });
  std::ifstream in(path, std::ios::binary);
  const std::string now{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  fs::remove(path);
  if (failure.failed()) {
    EXPECT_EQ(now, text);
    throw Error(failure.code, failure.text);
  }
  EXPECT_NE(Wisdom::parse(now).find("machine", "problem"), nullptr);
}

TEST(RandomTexts, AreReadOrRefused) {
  const auto read = {way, option, variable, wisdom, wisdom_file, name_in_a_plan, way_of_a_plan};
  // Few of them wait for other ranks.
  check_readers([&](Random& random) {
    const auto which = random.integer(0, 40) == 0 ? random.integer(5, 6) : random.integer(0, 4);
    SCOPED_TRACE("text of sort " + std::to_string(which));
    read.begin()[which](random);
  });
}

}  // namespace
}  // namespace shardfft::test
