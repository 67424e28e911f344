// Forward + backward of n^3 complex doubles by this library and by FFTW's own MPI transform, in one MPI run, taking
// turns: a busy machine slows all of them alike.
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "contenders.hpp"
#include "shardfft/options.hpp"

namespace {

constexpr double tolerance = 1e-12;

struct Arguments {
  std::vector<std::int64_t> sizes = {256};
  int rounds = 9;
  std::string claim;  // the name that the last line begins with; empty prints tables only
  claims::OurOptions ours;
};

std::int64_t number(std::string_view text, std::string_view option) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < 1 || value > 4096)
    throw std::invalid_argument(std::string(option) + " needs whole numbers from 1 to 4096, not '" + std::string(text) +
                                "'");
  return value;
}

std::vector<std::int64_t> numbers(std::string_view text, std::string_view option) {
  std::vector<std::int64_t> values;
  while (true) {
    const std::size_t comma = text.find(',');
    values.push_back(number(text.substr(0, comma), option));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " needs a value");
    const std::string_view value = argv[i + 1];
    if (option == "--sizes")
      arguments.sizes = numbers(value, option);
    else if (option == "--rounds")
      arguments.rounds = static_cast<int>(number(value, option));
    else if (option == "--claim")
      arguments.claim = value;
    else if (option == "--algorithm")
      arguments.ours.algorithm = value;
    else if (option == "--exchange")
      arguments.ours.exchange = value;
    else
      throw std::invalid_argument("unknown option '" + std::string(option) +
                                  "'; known: --sizes --rounds --claim --algorithm --exchange");
  }
  return arguments;
}

/// Milliseconds of a pair: the slowest rank's. Collective.
double time_pair(claims::Contender& contender, std::int64_t n) {
  claims::fill(contender, n);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  contender.forward();
  contender.backward();
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return 1e3 * seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Result {
  std::string name;
  double error;
  std::vector<double> times;
};

std::vector<Result> race(std::int64_t n, const Arguments& arguments) {
  std::vector<std::unique_ptr<claims::Contender>> contenders;
  contenders.push_back(claims::make_ours(MPI_COMM_WORLD, n, arguments.ours));
  contenders.push_back(claims::make_fftw_mpi(MPI_COMM_WORLD, n, false));
  contenders.push_back(claims::make_fftw_mpi(MPI_COMM_WORLD, n, true));
  const std::vector<std::string> backends = shardfft::local_fft_names();
  if (std::find(backends.begin(), backends.end(), "mkl") != backends.end()) {
    claims::OurOptions with_mkl = arguments.ours;
    with_mkl.local_fft = "mkl";
    contenders.push_back(claims::make_ours(MPI_COMM_WORLD, n, with_mkl));
  }

  std::vector<Result> results;
  for (const auto& contender : contenders) {
    results.push_back({contender->name(), claims::worst_error(*contender, n, MPI_COMM_WORLD), {}});
    if (results.back().error > tolerance)
      throw std::runtime_error(contender->name() + " is wrong: relative error " + std::to_string(results.back().error));
  }
  for (const auto& contender : contenders) time_pair(*contender, n);  // warm
  const auto count = contenders.size();
  for (int round = 0; round < arguments.rounds; ++round)
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t who = (turn + static_cast<std::size_t>(round)) % count;
      results[who].times.push_back(time_pair(*contenders[who], n));
    }
  return results;
}

void print_table(std::int64_t n, int ranks, int rounds, const std::vector<Result>& results) {
  std::printf("\n%lld^3 complex double, forward + backward out of place, %d ranks, %d rounds\n",
              static_cast<long long>(n), ranks, rounds);
  std::printf("  %-30s %12s %12s %12s %14s\n", "", "median ms", "fastest ms", "slowest ms", "relative error");
  for (const Result& result : results) {
    const auto [low, high] = std::minmax_element(result.times.begin(), result.times.end());
    std::printf("  %-30s %12.1f %12.1f %12.1f %14.1e\n", result.name.c_str(), median(result.times), *low, *high,
                result.error);
  }
}

/// Prints the claim's line; true when it holds. Results: ours, FFTW-MPI in its two ways, further ones.
bool print_claim(const std::string& name, std::int64_t n, int ranks, const std::vector<Result>& results) {
  const double ours = median(results[0].times);
  const double theirs = std::min(median(results[1].times), median(results[2].times));
  std::printf("%s ratio=%.3f n=%lld ranks=%d ours_ms=%.1f fftw_mpi_ms=%.1f rounds=%zu\n", name.c_str(), ours / theirs,
              static_cast<long long>(n), ranks, ours, theirs, results[0].times.size());
  return ours <= theirs;
}

int run(int argc, char** argv, int rank) {
  const Arguments arguments = parse(argc, argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool holds = true;
  for (const std::int64_t n : arguments.sizes) {
    const std::vector<Result> results = race(n, arguments);
    if (rank != 0) continue;
    print_table(n, ranks, arguments.rounds, results);
    if (!arguments.claim.empty() && !print_claim(arguments.claim, n, ranks, results)) holds = false;
    std::fflush(stdout);
  }
  return holds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 2;
  try {
    status = run(argc, argv, rank);
  } catch (const std::exception& error) {
    // Every rank fails alike: the same arguments, and errors that the libraries agree on.
    if (rank == 0) std::fprintf(stderr, "cpu_vs_fftw: %s\n", error.what());
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
