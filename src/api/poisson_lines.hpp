#pragma once
// Solvers line by line between the transforms of the other axes: along an open axis, or a stretched one.
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "local/local_fft.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/operator.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/poisson.hpp"

namespace shardfft {

/// A line of a spectrum: minus the eigenvalue of its modes along the other axes together, the shift included, its
/// number in the row-major order of this rank's lines, and a factor of its result.
struct LineFacts {
  double square = 0;
  std::int64_t number = 0;
  std::complex<double> factor = 1;
};

/// The facts for all lines of a part of a spectrum.
struct LinesSetup {
  int line = 0;
  std::vector<std::vector<double>> squares;  ///< of each index of each other axis
  double shift = 0;
  int slope_axis = -1;         ///< the axis of wanted derivatives: `line`, or the axis of `slopes`
  std::vector<double> slopes;  ///< wavenumbers of each index of another axis
  int threads = 1;
};

/// Solves an equation along one axis.
class AxisSolver {
 public:
  virtual ~AxisSolver() = default;
  /// Memory that it needs, on the processor that it runs on.
  virtual std::size_t scratch_bytes() const = 0;
  /// Solves all lines of a part.
  virtual void run(const SpectrumPart& part, const LinesSetup& setup) = 0;
};

/// Solves a few lines at a time on a CPU.
class LineSolver : public AxisSolver {
 public:
  /// Lines that are solved at once; there is always room for so many.
  static constexpr std::int64_t together = 8;
  /// Lines lie one behind the other in memory; so do the solutions, or their derivatives if `slopes` is set. `scratch`
  /// begins on a cache line.
  virtual void solve(std::span<const LineFacts> facts, bool slopes, std::complex<double>* lines,
                     std::byte* scratch) const = 0;
  void run(const SpectrumPart& part, const LinesSetup& setup) override;
};
void solve_lines(const SpectrumPart& part, const LinesSetup& setup, const LineSolver& solver);

/// Convolution with Green's function as if the axis were padded to 2 n points, by transforms of n: of its modes the
/// even ones are those of the line, the odd ones those of the line times half a turn.
class OpenLines : public LineSolver {
 public:
  /// `kernel`: n + 1 factors of each line; none if the axis is the only open one.
  OpenLines(OpenKernel kind, std::int64_t n, double step, std::vector<double> kernel, Effort effort);
  std::size_t scratch_bytes() const override;
  void solve(std::span<const LineFacts> facts, bool slopes, std::complex<double>* lines,
             std::byte* scratch) const override;

 private:
  std::size_t fft_bytes() const;
  void multiply(const LineFacts& facts, bool slopes, bool is_odd, std::complex<double>* modes, double* own) const;

  OpenKernel kind_;
  std::int64_t n_;
  double step_;
  std::vector<double> kernel_;
  std::vector<std::complex<double>> turn_;
  std::unique_ptr<LocalFft> forward_, backward_;
};

/// A tridiagonal system a line, of finite volumes.
class StretchedLines : public LineSolver {
 public:
  /// Cells of a line that follow each other.
  struct Block {
    std::size_t first, count;
  };
  StretchedLines(std::vector<double> cells, AxisBoundary walls);
  std::size_t size() const { return cells_.size(); }
  bool is_singular(const LineFacts& line) const { return singular_ && line.square == 0; }
  std::size_t scratch_bytes() const override { return together * cells_.size() * sizeof(double); }
  void solve(std::span<const LineFacts> facts, bool slopes, std::complex<double>* lines,
             std::byte* scratch) const override;

  /// Takes the parts of two neighbours of a block off its right-hand side.
  void couple(Block block, std::complex<double> before, std::complex<double> behind, std::complex<double>* line) const;
  /// Solves a block of each line without neighbours.
  void solve_block(Block block, std::span<const LineFacts> facts, std::complex<double>* lines,
                   std::byte* scratch) const;
  void differentiate(Block block, std::complex<double> before, std::complex<double> behind,
                     std::complex<double>* line) const;

 private:
  void take_mean_off(std::complex<double>* line) const;

  std::vector<double> cells_, below_, above_, walls_;  ///< widths; couplings to the neighbours and to walls
  AxisBoundary boundary_;
  bool singular_;
};

/// Derivatives of lines between walls, which continue behind them like cosines and sines.
class WallSlopes : public LineSolver {
 public:
  /// The first point is `first` steps behind the lower wall; `slope` of each wavenumber.
  WallSlopes(std::int64_t n, double step, double first, AxisBoundary walls, const std::function<double(double)>& slope);
  std::size_t scratch_bytes() const override;
  void solve(std::span<const LineFacts> facts, bool slopes, std::complex<double>* lines,
             std::byte* scratch) const override;

 private:
  struct Mirrored {
    std::int64_t point;
    double sign;
  };
  std::int64_t n_;
  std::vector<Mirrored> mirrored_;  ///< of each point of the period
  std::vector<double> slopes_;      ///< of each mode
  std::unique_ptr<LocalFft> forward_, backward_;
};

/// Lines of an open axis in memory of a GPU, `kernel` as that of OpenLines; null without elements. Keeps its factors.
struct OpenLinesSetup {
  OpenKernel kind;
  int line;
  std::int64_t n;
  double step;
  std::vector<double> kernel;
  Effort effort;
};
std::unique_ptr<AxisSolver> open_lines_on_gpu(const Plan& plan, const OpenLinesSetup& setup);

/// Solves lines of which every rank has a block, in the order of ranks. Its run() is collective.
std::unique_ptr<LineSolver> cut_lines(StretchedLines whole, const Communicator& comm);

}  // namespace shardfft
