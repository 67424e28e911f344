// Turbulence that is stirred at its longest waves, in a periodic box, with a restart on any number of ranks: the file
// holds steps, points and the velocity in C order.
//   mpirun -n 2 ./example_08_forced_turbulence flow.bin 20    (steps 0 to 20)
//   mpirun -n 4 ./example_08_forced_turbulence flow.bin 20    (steps 20 to 40)
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <vector>

constexpr std::int64_t points = 24;
constexpr double viscosity = 0.05, power = 0.1, step_length = 0.01;
using Modes = std::vector<std::complex<double>>;

struct Flow {
  shardfft::Plan plan;
  std::vector<double> u;  // velocity at the points
  Modes modes;

  explicit Flow(const shardfft::Options& options, int ranks)
      : plan(MPI_COMM_WORLD, shardfft::r2c<double>, shardfft::Layout::slab({points, points, points}, ranks),
             shardfft::default_output, options),
        u(plan.input().size()),
        modes(plan.output().size()) {}

  // No component depends on its own axis: there is no divergence.
  void start() {
    shardfft::for_each(plan.input(), u, [](std::int64_t field, const shardfft::Index& at, double& value) {
      const auto x = [&](std::int64_t axis) {
        return 2 * std::numbers::pi * double(at[std::size_t(axis % 3)]) / points;
      };
      value = std::sin(x(field + 1)) + std::cos(2 * x(field + 2)) / 2;
    });
    plan.forward(u, modes);
  }

  // Velocity x vorticity without its gradient part, friction, and a force along the waves with k < 2.5.
  Modes slope(const Modes& now, double force) {
    Modes result(now.size());
    std::vector<double> w(u.size());
    shardfft::curl(plan.output(), now.data(), result.data());
    plan.backward(now, u);
    plan.backward(result, w);
    for (std::size_t i = 0, n = u.size() / 3; i < n; ++i) {
      const std::array<double, 3> v{u[i], u[n + i], u[2 * n + i]}, r{w[i], w[n + i], w[2 * n + i]};
      for (std::size_t a = 0, b = 1, c = 2; a < 3; ++a, b = (b + 1) % 3, c = (c + 1) % 3)
        u[a * n + i] = v[b] * r[c] - v[c] * r[b];
    }
    plan.forward(u, result);
    shardfft::project(plan.output(), result.data(), result.data());
    const auto k = [&](int axis) { return plan.output().wavenumbers(axis, 2 * std::numbers::pi); };
    shardfft::for_each(plan.output(), result,
                       [&, x = k(0), y = k(1), z = k(2)](const shardfft::Index& at, std::complex<double>& change) {
                         const double square = std::pow(x[at[0]], 2) + std::pow(y[at[1]], 2) + std::pow(z[at[2]], 2);
                         const double factor = (square < 6.25 ? force : 0) - viscosity * square;
                         change += factor * now[std::size_t(&change - result.data())];
                       });
    return result;
  }

  std::vector<double> spectrum() const {
    return shardfft::energy_spectrum(MPI_COMM_WORLD, plan.output(), modes.data()).sums;
  }
  // Runge-Kutta of second order.
  void step() {
    const std::vector<double> energy = spectrum();
    const double force = power / (2 * (energy[1] + energy[2]));
    Modes change = slope(modes, force);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = modes[i] + step_length / 2 * change[i];
    change = slope(change, force);
    for (std::size_t i = 0; i < change.size(); ++i) modes[i] += step_length * change[i];
  }

  // Each rank has a run of planes of each component. Gives false for a file that is not there.
  bool transfer(const char* name, std::array<std::int64_t, 2>& head, bool write) {
    MPI_File file = MPI_FILE_NULL;
    const int mode = write ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    if (MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS && !write) return false;
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    const auto pass = [&](MPI_Offset at, void* data, std::size_t count, MPI_Datatype type) {
      if (write) MPI_File_write_at_all(file, at, data, int(count), type, MPI_STATUS_IGNORE);
      if (!write) MPI_File_read_at_all(file, at, data, int(count), type, MPI_STATUS_IGNORE);
    };
    pass(0, head.data(), head.size(), MPI_INT64_T);
    if (head[1] != points) throw shardfft::Error(shardfft::Status::invalid_argument, "a flow of other points");
    if (write) plan.backward(modes, u);
    const std::int64_t plane = plan.input().layout.local(plan.input().rank).axis[0].first;
    for (std::int64_t a = 0; a < 3; ++a)
      pass(16 + 8 * points * points * (a * points + plane), u.data() + a * std::ssize(u) / 3, u.size() / 3, MPI_DOUBLE);
    if (!write) plan.forward(u, modes);
    return MPI_File_close(&file) == MPI_SUCCESS;
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    shardfft::Options options;
    options.batch = 3;
    options.norm = shardfft::Norm::forward;
    options.modes = {15, 15, 15};  // two thirds: products have no aliases
    Flow flow(options, ranks);
    const char* const name = argc > 1 ? argv[1] : "flow.bin";
    std::array<std::int64_t, 2> head{0, points};  // steps, points
    if (!flow.transfer(name, head, false)) flow.start();
    for (const std::int64_t end = head[0] + (argc > 2 ? std::atoll(argv[2]) : 20); head[0] < end; ++head[0])
      flow.step();
    flow.transfer(name, head, true);
    double energy = 0;
    for (const double shell : flow.spectrum()) energy += shell;
    if (flow.plan.input().rank == 0) std::printf("step %lld: energy %.12f\n", static_cast<long long>(head[0]), energy);
  }
  MPI_Finalize();
}
