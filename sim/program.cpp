// Runs one plan on simulated ranks, forward and backward. In check mode, on real data, compared with a transform of the
// whole array; in model mode, with times from a machine's figures. Rank 0 prints one line of JSON.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>

#include "ranks.hpp"
#include "shardfft/shardfft.hpp"
#include "words.hpp"

namespace {

using shardfft::Layout;
using shardfft::Shape;
using Value = std::complex<double>;

/// The settings of a run, from the words of its command.
struct Task {
  shardfft::Transform transform = shardfft::c2c<double>;
  Shape shape, grid;
  std::string input;
  shardfft::OutputLayout output;
  shardfft::Options options;
  bool model;
};

Shape shape_of(const std::vector<long>& numbers) { return {numbers.begin(), numbers.end()}; }

shardfft::Transform transform_of(const std::string& kind, const std::string& precision) {
  const bool real = kind == "r2c";
  if (precision == "single") return real ? shardfft::r2c<float> : shardfft::c2c<float>;
  return real ? shardfft::r2c<double> : shardfft::c2c<double>;
}

Task task_of(const shardfft::sim::Words& words) {
  Task task;
  task.transform = transform_of(words.text("kind", "c2c"), words.text("precision", "double"));
  task.shape = shape_of(words.list("shape"));
  task.grid = shape_of(words.list("grid"));
  task.input = words.text("input", "pencil");
  task.output = words.text("output", "default") == "natural" ? shardfft::natural_output : shardfft::default_output;
  task.options.algorithm = words.text("algorithm", "auto");
  task.options.exchange = words.text("exchange", "auto");
  task.options.local_fft = words.text("local_fft", "auto");
  task.options.chunks = static_cast<int>(words.number("chunks", 1));
  task.options.tolerance = words.number("tolerance", 0);
  task.options.effort = shardfft::Effort::estimate;
  if (const char* const way = std::getenv("SHARDFFT_SIM_WAY")) task.options.way = way;  // smpirun splits words
  task.model = words.text("mode", "model") == "model";
  return task;
}

shardfft::sim::Figures figures_of(const shardfft::sim::Words& words) {
  shardfft::sim::Figures f;
  f.model = words.text("mode", "model") == "model";
  f.memory = words.number("memory", f.memory);
  f.cache = words.number("cache", f.cache);
  f.cache_bytes = words.number("cache_bytes", f.cache_bytes);
  f.flops = words.number("flops", f.flops);
  f.products = words.number("products", f.products);
  f.overhead = words.number("overhead", f.overhead);
  f.ranks_per_node = static_cast<int>(words.number("ranks_per_node", 1));
  return f;
}

Layout layout_of(const Task& task, int ranks) {
  const bool free = task.grid.empty();
  if (task.input == "slab") return Layout::slab(task.shape, ranks);
  if (task.input == "pencil") return free ? Layout::pencil(task.shape, ranks) : Layout::pencil(task.shape, task.grid);
  if (task.input == "brick") return free ? Layout::brick(task.shape, ranks) : Layout::brick(task.shape, task.grid);
  throw std::invalid_argument("input=" + task.input + " is none of slab, pencil, brick");
}

/// The number at an index of the whole array, the same on all ranks.
Value number_at(std::int64_t index) {
  const auto i = static_cast<double>(index);
  return {std::sin(1 + 0.7 * i), std::cos(2 + 1.3 * i * i)};
}

/// Calls visit(index in the whole array, place in the rank's array).
template <class Visit>
void for_own(const Layout& layout, int rank, const Visit& visit) {
  for (const shardfft::Piece& piece : layout.pieces(rank)) {
    std::array<std::int64_t, shardfft::max_axes> at{};
    for (std::int64_t left = piece.set.count(); left > 0; --left) {
      std::int64_t index = 0, place = piece.offset;
      for (int a = 0; a < layout.axes(); ++a) {
        const auto i = static_cast<std::size_t>(a);
        index = index * layout.shape()[i] + piece.set.axis[i].at(at[i]);
        place += at[i] * piece.stride[i];
      }
      visit(index, place);
      for (int a = layout.axes(); a-- > 0;) {
        const auto i = static_cast<std::size_t>(a);
        if (++at[i] < piece.set.axis[i].count) break;
        at[i] = 0;
      }
    }
  }
}

/// Transforms along one axis, by the definition.
void transform(std::vector<Value>& data, const Shape& shape, std::size_t axis) {
  const std::int64_t n = shape[axis];
  std::int64_t stride = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) stride *= shape[a];
  const std::vector<Value> from = data;
  for (std::int64_t i = 0; i < std::ssize(data); ++i) {
    const std::int64_t k = i / stride % n;
    Value sum = 0;
    for (std::int64_t j = 0; j < n; ++j)
      sum += from[static_cast<std::size_t>(i + (j - k) * stride)] *
             std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
    data[static_cast<std::size_t>(i)] = sum;
  }
}

double largest(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// The largest difference, over sqrt(N), of the spectrum from the definition, and of the input from the way back.
double error_of(shardfft::Plan& plan, const Layout& in, const Layout& out, int rank) {
  std::vector<Value> field(static_cast<std::size_t>(in.count(rank))), back(field.size());
  std::vector<Value> spectrum(static_cast<std::size_t>(out.count(rank)));
  std::int64_t points = 1;
  for (const std::int64_t n : in.shape()) points *= n;
  std::vector<Value> whole;
  for (std::int64_t i = 0; i < points; ++i) whole.push_back(number_at(i));
  for (std::size_t a = 0; a < in.shape().size(); ++a) transform(whole, in.shape(), a);
  for_own(in, rank, [&](std::int64_t i, std::int64_t place) { field[static_cast<std::size_t>(place)] = number_at(i); });
  plan.forward(field.data(), spectrum.data());
  plan.backward(spectrum.data(), back.data());
  double error = 0;
  for_own(out, rank, [&](std::int64_t i, std::int64_t place) {
    error = std::max(error, std::abs(spectrum[static_cast<std::size_t>(place)] - whole[static_cast<std::size_t>(i)]));
  });
  for (std::size_t i = 0; i < field.size(); ++i) error = std::max(error, std::abs(field[i] - back[i]));
  return largest(error) / std::sqrt(static_cast<double>(points));
}

/// Seconds of one run, on the slowest rank.
template <class Run>
double seconds_of(const Run& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  run();
  return largest(MPI_Wtime() - begin);
}

std::string simulate(const Task& task) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  shardfft::Options options = task.options;
  if (options.algorithm != "auto") options.grid = task.grid;
  const Layout in = layout_of(task, ranks);
  shardfft::Plan plan(MPI_COMM_WORLD, task.transform, in, task.output, options);
  std::ostringstream text;
  text.precision(9);
  text << "{\"ranks\": " << ranks;
  if (task.model) {
    const shardfft::Buffer field = plan.allocate_input(), spectrum = plan.allocate_output();
    text << ", \"forward\": " << seconds_of([&] { plan.forward(field.data(), spectrum.data()); });
    text << ", \"backward\": " << seconds_of([&] { plan.backward(spectrum.data(), field.data()); });
  } else {
    text << ", \"error\": " << error_of(plan, in, plan.output().layout, rank);
  }
  const shardfft::PlanReport report = plan.report();
  text << ", \"report\": " << report.to_json() << "}";
  return rank == 0 ? text.str() : "";
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 0;
  try {
    shardfft::sim::Words words;
    for (int i = 1; i < argc; ++i) words.add(argv[i]);
    shardfft::sim::install(figures_of(words));
    const std::string line = simulate(task_of(words));
    if (!line.empty()) std::cout << line << std::endl;
  } catch (const std::exception& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cerr << "error: " << error.what() << std::endl;
    failed = 1;
  }
  MPI_Finalize();
  return failed;
}
