// Steps in time with a checkpoint by MPI-IO, which any number of ranks can take up: the file holds the whole array in C
// order, whatever the layout.
//   mpirun -n 2 ./example_07_checkpoint state.bin 5    (steps 0 to 5)
//   mpirun -n 4 ./example_07_checkpoint state.bin 5    (steps 5 to 10)
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const shardfft::Shape shape{24, 20, 18};
constexpr double viscosity = 0.01, step_length = 0.05;
constexpr std::array<double, 3> wind{1, 0.5, 0.25};

void check(int status, const std::string& what) {
  if (status == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, words, &length);
  throw std::runtime_error(what + ": " + std::string(words, static_cast<std::size_t>(length)));
}

/// A file with a head, the number of steps and the shape, and then the array. Open on all ranks of the world.
class Checkpoint {
 public:
  Checkpoint(const std::string& name, int mode, const shardfft::Side& side) : name_(name) {
    check(MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file_), name);
    // Rows along the last axis are the elements of what follows: MPI counts elements in an int.
    const shardfft::IndexSet mine = side.layout.local(side.rank);
    std::array<int, 3> extents{}, counts{}, firsts{};
    for (std::size_t a = 0; a < 3; ++a) {
      extents[a] = static_cast<int>(shape[a]);
      counts[a] = static_cast<int>(mine.axis[a].count);
      firsts[a] = static_cast<int>(mine.axis[a].first);
    }
    MPI_Type_contiguous(std::max(counts[2], 1), MPI_DOUBLE, &row_);
    MPI_Type_commit(&row_);
    if (!mine.empty()) {  // MPI knows no empty parts of arrays
      rows_ = counts[0] * counts[1];
      MPI_Type_create_subarray(3, extents.data(), counts.data(), firsts.data(), MPI_ORDER_C, MPI_DOUBLE, &part_);
      MPI_Type_commit(&part_);
    }
  }
  ~Checkpoint() {
    if (part_ != MPI_DOUBLE) MPI_Type_free(&part_);
    MPI_Type_free(&row_);
    MPI_File_close(&file_);
  }

  void save(std::int64_t step, const std::vector<double>& field, int rank) {
    const Head head{step, shape[0], shape[1], shape[2]};
    const int entries = rank == 0 ? static_cast<int>(head.size()) : 0;
    check(MPI_File_write_at_all(file_, 0, head.data(), entries, MPI_INT64_T, MPI_STATUS_IGNORE), name_);
    view_array();
    check(MPI_File_write_all(file_, field.data(), rows_, row_, MPI_STATUS_IGNORE), name_);
    check(MPI_File_sync(file_), name_);
  }
  std::int64_t load(std::vector<double>& field) {
    Head head{};
    check(MPI_File_read_at_all(file_, 0, head.data(), static_cast<int>(head.size()), MPI_INT64_T, MPI_STATUS_IGNORE),
          name_);
    if (head != Head{head[0], shape[0], shape[1], shape[2]})
      throw std::runtime_error(name_ + " is a checkpoint of an array of another shape");
    view_array();
    check(MPI_File_read_all(file_, field.data(), rows_, row_, MPI_STATUS_IGNORE), name_);
    return head[0];
  }

 private:
  using Head = std::array<std::int64_t, 4>;

  void view_array() {
    check(MPI_File_set_view(file_, sizeof(Head), MPI_DOUBLE, part_, "native", MPI_INFO_NULL), name_);
  }

  std::string name_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype part_ = MPI_DOUBLE, row_ = MPI_DOUBLE;
  int rows_ = 0;
};

bool exists(const std::string& name, int rank) {
  int found = 0;
  if (rank == 0)
    if (std::FILE* file = std::fopen(name.c_str(), "rb")) found = std::fclose(file) == 0;
  MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return found != 0;
}

/// Two waves, carried by the wind and damped, as they are after a time: the solution that the steps are compared with.
double exact(const shardfft::Index& index, double time) {
  std::array<double, 3> x{};
  for (std::size_t a = 0; a < 3; ++a)
    x[a] = 2 * std::numbers::pi * static_cast<double>(index[a]) / static_cast<double>(shape[a]) - wind[a] * time;
  return std::exp(-5 * viscosity * time) * std::sin(x[0]) * std::cos(2 * x[1]) +
         std::exp(-10 * viscosity * time) * std::cos(x[1] + 3 * x[2]);
}

int run(const std::string& file, std::int64_t steps) {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  shardfft::Plan plan(MPI_COMM_WORLD, shardfft::r2c<double>, shardfft::Layout::pencil(shape, ranks));
  std::vector<double> field(plan.input().size()), next(field.size());
  std::int64_t step = 0;
  if (exists(file, rank))
    step = Checkpoint(file, MPI_MODE_RDONLY, plan.input()).load(field);
  else
    shardfft::for_each(plan.input(), field, [](const shardfft::Index& at, double& value) { value = exact(at, 0); });

  // du/dt + wind . grad u = viscosity laplacian u, one step of which is a factor for each mode.
  const std::int64_t first = step;
  const auto one_step = shardfft::Operator::of_wavenumbers([](std::span<const double> k) {
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const double turn = k[0] * wind[0] + k[1] * wind[1] + k[2] * wind[2];
    return std::exp(step_length * std::complex<double>(-viscosity * square, -turn));
  });
  for (; step < first + steps; ++step) {
    plan.apply(one_step, field, next);
    field.swap(next);
  }

  // Under another name first: a job that ends while it writes leaves the last checkpoint whole.
  const std::string unfinished = file + ".new";
  Checkpoint(unfinished, MPI_MODE_CREATE | MPI_MODE_WRONLY, plan.input()).save(step, field, rank);
  if (rank == 0 && std::rename(unfinished.c_str(), file.c_str()) != 0)
    throw std::runtime_error(unfinished + " cannot be renamed");

  double worst = 0;
  shardfft::for_each(plan.input(), field, [&](const shardfft::Index& at, double value) {
    const double error = std::abs(value - exact(at, static_cast<double>(step) * step_length));
    worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
  });
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("steps %lld to %lld on %d ranks: %s, largest error %.1e\n", static_cast<long long>(first),
                static_cast<long long>(step), ranks, worst < 1e-12 ? "right" : "wrong", worst);
  return worst < 1e-12 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = run(argc > 1 ? argv[1] : "state.bin", argc > 2 ? std::atoll(argv[2]) : 5);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may be waiting for this one
  }
  MPI_Finalize();
  return status;
}
