// Texts and files of GPU plans, damaged at random: each is read, or refused with an error that says why.
#include <filesystem>
#include <fstream>

#include "device/kernel_cache.hpp"
#include "support/damaged.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

/// A plan's own line, changed: the plan is refused, or right.
void gpu_way(Random& random) {
  Options options = on_gpu();
  options.effort = Effort::estimate;
  TransformCase c{{4, 6, 5}, "slab", "left", random.coin() ? Kind::r2c : Kind::c2c, Precision::f64, options};
  c.options.way = damaged_way(random, make_plan(MPI_COMM_WORLD, c).way());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c);
}

/// A kernel comes as it was made, whatever its file holds.
void kernel_file(Random& random) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("shardfft-kernels-" + std::to_string(getpid()));
  const std::string key = "sm_90\tlines 6", kernel = damaged(random, std::string("\x7f"
                                                                                 "ELF\0\1\n12\nabc",
                                                                                 14));
  const auto get = [&](bool& made) {
    return device::lines::cached(folder.string(), key, [&] {
      made = true;
      return kernel;
    });
  };
  bool made = false;
  get(made);
  const fs::path file = fs::directory_iterator(folder)->path();
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string other = damaged(random, text);
  std::ofstream(file, std::ios::binary) << other;
  made = false;
  EXPECT_EQ(get(made), kernel);
  EXPECT_EQ(made, other != text) << "exactly what was written is taken";
  fs::remove_all(folder);
}

TEST(RandomTexts, AreReadOrRefused) {
  check_readers([](Random& random) {
    const bool of_plan = random.integer(0, 40) == 0;
    SCOPED_TRACE(of_plan ? "the way of a plan" : "the file of a kernel");
    of_plan ? gpu_way(random) : kernel_file(random);
  });
}

}  // namespace
}  // namespace shardfft::test
