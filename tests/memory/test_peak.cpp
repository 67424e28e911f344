// The memory that a run takes at its peak, as the kernel counts it, against what the plan says. Peaks are those of a
// process, so that each case runs in processes of its own: this program under mpirun, with the case as arguments.
#include <gtest/gtest.h>
#include <malloc.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "shardfft/option_table.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::test {
namespace {

/// Options by name, and `ranks`, `shape`, `kind`, `precision`, `arrays`.
using Words = std::vector<std::string>;

/// Of /proc/self/status, in bytes.
double own_memory(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::strtod(line.c_str() + name.size() + 1, nullptr);
  return 0;
}

/// From now on the peak is that of what comes.
bool forget_peak() {
  malloc_trim(0);
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

struct Case {
  Shape shape{144, 76, 144};
  Transform transform{};
  Options options{};
  bool in_place = false;
  double arrays = 0;  ///< that making and running take at most, of the larger side's size; 0: what the plan says

  explicit Case(const Words& words) {
    options.effort = Effort::estimate;
    for (const std::string& word : words) {
      const std::string name = word.substr(0, word.find('='));
      const std::string value = word.substr(name.size() + 1);
      if (name == "shape") {
        shape.clear();
        std::istringstream list(value);
        for (std::string extent; std::getline(list, extent, ',');) shape.push_back(std::stoll(extent));
      } else if (name == "kind") {
        transform.kind = value == "r2c" ? Kind::r2c : value == "c2r" ? Kind::c2r : Kind::c2c;
      } else if (name == "precision") {
        transform.precision = value == "single" ? Precision::f32 : Precision::f64;
      } else if (name == "arrays") {
        arrays = std::stod(value);
      } else if (name != "ranks") {
        set_option(options, name, value);
      }
    }
    in_place = options.in_place || options.workspace == Workspace::least;
  }

  Plan plan(const Shape& extents, int ranks) const {
    const Options* o = &options;
    Layout input = Layout::slab(extents, ranks);
    if (transform.kind == Kind::c2r)
      input = input.with_axis_extent(static_cast<int>(extents.size()) - 1, extents.back() / 2 + 1);
    return Plan(MPI_COMM_WORLD, transform, input, natural_output, *o);
  }
};

void run(Plan& plan, void* in, void* out) {
  for (int i = 0; i < 2; ++i) {
    plan.forward(in, out);
    plan.backward(out, in);
  }
}

/// Exit status of one rank: whether the peak stays below what the plan says.
int run_case(const Words& words) {
  const Case c(words);
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {  // what libraries load and MPI connects when they are first used
    Shape little = c.shape;
    for (std::int64_t& extent : little) extent = std::min<std::int64_t>(extent, c.shape.size() == 1 ? 64 : 8);
    Plan plan = c.plan(little, ranks);
    std::vector<std::byte> in(plan.in_place_bytes()), out(in.size());
    run(plan, in.data(), c.in_place ? in.data() : out.data());
  }
  malloc_trim(0);
  const double before = own_memory("VmRSS"), files_before = own_memory("RssFile");
  Plan plan = c.plan(c.shape, ranks);
  const bool forgot = c.arrays == 0 && forget_peak();
  const std::size_t in_bytes = plan.input().bytes(), out_bytes = plan.output().bytes();
  // Plain pages: huge ones would be committed beyond the array.
  std::vector<std::byte> in(c.in_place ? plan.in_place_bytes() : in_bytes, std::byte{0});
  std::vector<std::byte> out(c.in_place ? 0 : out_bytes, std::byte{0});
  run(plan, in.data(), c.in_place ? in.data() : out.data());
  const double peak = own_memory("VmHWM") - before;
  const std::size_t workspace = plan.workspace_bytes();
  const PlanReport report = plan.report();
  // Pages of the other ranks' segments that this rank reads count as its own.
  const double shared = static_cast<double>(report.window_bytes) * ranks;
  const double told = c.arrays > 0
                          ? c.arrays * static_cast<double>(std::max(in_bytes, out_bytes)) + shared - shared / ranks
                          : static_cast<double>(in.size() + out.size() + report.workspace_bytes + report.table_bytes +
                                                report.library_bytes) +
                                shared;
  constexpr double mib = 1 << 20;
  std::printf("rank %d: peak %.1f MiB; in %.1f, out %.1f, workspace %.1f, shared %.1f, tables %.1f, library %.1f\n",
              rank, peak / mib, static_cast<double>(in.size()) / mib, static_cast<double>(out.size()) / mib,
              static_cast<double>(workspace) / mib, shared / mib, static_cast<double>(report.table_bytes) / mib,
              static_cast<double>(report.library_bytes) / mib);
  std::printf("in the peak, code of libraries that were loaded since: %.1f\n",
              (own_memory("RssFile") - files_before) / mib);
  if (!forgot) std::printf("the peak of planning is in it\n");
  // At most half of a rank's array. Code and buffers of all libraries that a trial calls stay with the process.
  const double besides = (c.options.effort == Effort::measure ? 12 : 6) * mib;
  return peak <= 1.05 * told + besides ? 0 : 1;
}

/// A process for each rank of the case.
void expect_below(const std::string& words) {
  const char* const launcher = std::getenv("SHARDFFT_TEST_LAUNCHER");
  if (launcher == nullptr) GTEST_SKIP() << "no SHARDFFT_TEST_LAUNCHER, such as \"mpirun -n\"";
  const auto at = words.find("ranks=");
  const std::string ranks = at == std::string::npos ? "2" : words.substr(at + 6, 1);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = std::string(launcher) + " " + ranks + " " + self + " --case " + words + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  for (char line[512]; std::fgets(line, sizeof line, pipe) != nullptr;) said += line;
  EXPECT_EQ(pclose(pipe), 0) << words << "\n" << said;
}

class Peak : public ::testing::TestWithParam<const char*> {};

TEST_P(Peak, IsWhatThePlanSays) { expect_below(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Exchanges, Peak,
                         ::testing::Values("exchange=alltoall", "exchange=alltoallv", "exchange=alltoallw",
                                           "exchange=hierarchical", "exchange=p2p", "exchange=p2p_alltoall",
                                           "exchange=p2p_pipelined", "exchange=pairwise_xor", "exchange=ring",
                                           "exchange=shared_window"));
INSTANTIATE_TEST_SUITE_P(Algorithms, Peak,
                         ::testing::Values("exchange=p2p algorithm=pencil ranks=4 grid=2,2 shape=144,74,142",
                                           "exchange=p2p algorithm=brick ranks=4 shape=144,74,142",
                                           "exchange=p2p algorithm=cyclic shape=2097152",
                                           "exchange=p2p algorithm=six_step shape=2097152 kind=r2c",
                                           "algorithm=cannon_hybrid shape=96,96,192", "exchange=p2p chunks=4",
                                           "exchange=p2p chunks=3 threads=2 kind=r2c"));
INSTANTIATE_TEST_SUITE_P(Kinds, Peak,
                         ::testing::Values("kind=r2c exchange=alltoallv", "kind=c2r exchange=shared_window",
                                           "kind=r2c precision=single exchange=p2p threads=2", "kind=r2c ranks=1",
                                           "kind=c2r ranks=1 threads=2", "in_place=yes exchange=p2p",
                                           "in_place=yes ranks=1 kind=r2c",
                                           "in_place=yes exchange=shared_window kind=r2c"));
/// Planning included, with memory of other processes counted once: input, output, and one array that ranks share. Rows
/// are too short to be read through the kernel.
INSTANTIATE_TEST_SUITE_P(Making, Peak,
                         ::testing::Values("effort=measure arrays=3 shape=264,250,48",
                                           "effort=measure arrays=3 kind=r2c shape=250,264,94"));
/// At most 5 % of the array and 2 MiB, which the plan says and the process keeps to.
INSTANTIATE_TEST_SUITE_P(LeastWorkspace, Peak,
                         ::testing::Values("workspace=least local_fft=fftw", "workspace=least kind=r2c local_fft=fftw",
                                           "workspace=least exchange=pairwise_xor local_fft=fftw",
                                           "workspace=least shape=127,181,211 kind=c2r precision=single ranks=3"));
/// Lengths that libraries transform by convolutions, and what they need for them.
INSTANTIATE_TEST_SUITE_P(Lengths, Peak,
                         ::testing::Values("shape=113,83,181 exchange=p2p local_fft=fftw",
                                           "shape=205,81,225 exchange=p2p kind=r2c local_fft=fftw",
                                           "shape=400207 ranks=1 local_fft=fftw", "shape=4,400207 local_fft=fftw",
                                           "shape=399983 ranks=1 local_fft=fftw kind=r2c",
                                           "shape=4194304 ranks=1 local_fft=fftw in_place=yes"));
INSTANTIATE_TEST_SUITE_P(Libraries, Peak,
                         ::testing::Values("local_fft=reference shape=28,28,28,28 exchange=p2p",
                                           "local_fft=auto effort=measure exchange=p2p shape=144,152,144",
                                           "effort=measure exchange=p2p fake_ranks_per_host=1 shape=144,152,144"));

TEST(PeakOfOneMkl, IsWhatThePlanSays) {
  if (local_fft_names().front() != "mkl") GTEST_SKIP() << "no oneMKL";
  for (const char* words : {"local_fft=mkl shape=113,83,181 exchange=p2p", "local_fft=mkl shape=400207 ranks=1",
                            "local_fft=mkl kind=r2c ranks=1"})
    expect_below(words);
}

}  // namespace
}  // namespace shardfft::test

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--case") == 0) {
    MPI_Init(&argc, &argv);
    int status = 2;
    try {
      status = shardfft::test::run_case({argv + 2, argv + argc});
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
    }
    MPI_Finalize();
    return status;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
