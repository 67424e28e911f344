#include "api/poisson_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "api/open_kernel.hpp"
#include "base/aligned.hpp"
#include "base/team.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

std::unique_ptr<LocalFft> lines_fft(std::int64_t n, std::int64_t lines, Direction direction, Effort effort) {
  FftSpec spec;
  spec.direction = direction;
  spec.transform = {{n, 1, 1}};
  spec.batch = {{lines, n, n}};
  spec.in_place = true;
  spec.effort = effort;
  return make_local_fft("auto", spec);
}

/// The operator of std::complex asks each product whether it is a number.
Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

OpenLines::OpenLines(OpenKernel kind, std::int64_t n, double step, std::vector<double> kernel, Effort effort)
    : kind_(kind),
      n_(n),
      step_(step),
      kernel_(std::move(kernel)),
      forward_(lines_fft(n, together, Direction::forward, effort)),
      backward_(lines_fft(n, together, Direction::backward, effort)) {
  for (std::int64_t j = 0; j < n; ++j)
    turn_.push_back(std::polar(1.0, -std::numbers::pi * static_cast<double>(j) / static_cast<double>(n)));
}

std::size_t OpenLines::fft_bytes() const { return std::max(forward_->scratch_bytes(), backward_->scratch_bytes()); }

std::size_t OpenLines::scratch_bytes() const {
  return fft_bytes() + static_cast<std::size_t>(together * n_) * sizeof(Complex) +
         static_cast<std::size_t>(n_ + 1) * sizeof(double);
}

/// The even or the odd modes of a line times their factors; `own` has room for these.
void OpenLines::multiply(const LineFacts& facts, bool slopes, bool is_odd, Complex* modes, double* own) const {
  const double* factors = kernel_.data() + facts.number * (n_ + 1);
  if (kernel_.empty()) {
    if (!is_odd) line_kernel(kind_, n_, step_, facts.square, own);
    factors = own;
  }
  const double scale = 1 / static_cast<double>(2 * n_), turn = std::numbers::pi / (static_cast<double>(n_) * step_);
  for (std::int64_t i = 0; i < n_; ++i) {
    const std::int64_t m = 2 * i + (is_odd ? 1 : 0);
    const double factor = factors[std::min(m, 2 * n_ - m)] * scale;
    if (!slopes) {
      modes[i] *= factor;
      continue;
    }
    const double k = m == n_ ? 0 : turn * static_cast<double>(m < n_ ? m : m - 2 * n_);
    modes[i] = Complex(-modes[i].imag(), modes[i].real()) * (k * factor);
  }
}

void OpenLines::solve(std::span<const LineFacts> facts, bool slopes, Complex* lines, std::byte* scratch) const {
  auto* const odd = reinterpret_cast<Complex*>(scratch + fft_bytes());
  auto* const own = reinterpret_cast<double*>(odd + together * n_);
  std::fill(lines + static_cast<std::int64_t>(facts.size()) * n_, lines + together * n_, 0);
  for (std::int64_t l = 0; l < together; ++l)
    for (std::int64_t j = 0; j < n_; ++j)
      odd[l * n_ + j] = product(lines[l * n_ + j], turn_[static_cast<std::size_t>(j)]);
  forward_->execute(lines, lines, scratch);
  forward_->execute(odd, odd, scratch);
  for (std::size_t l = 0; l < facts.size(); ++l)
    for (const bool is_odd : {false, true})
      multiply(facts[l], slopes, is_odd, (is_odd ? odd : lines) + static_cast<std::int64_t>(l) * n_, own);
  backward_->execute(lines, lines, scratch);
  backward_->execute(odd, odd, scratch);
  for (std::int64_t l = 0; l < together; ++l)
    for (std::int64_t j = 0; j < n_; ++j)
      lines[l * n_ + j] += product(odd[l * n_ + j], std::conj(turn_[static_cast<std::size_t>(j)]));
}

StretchedLines::StretchedLines(std::vector<double> cells, AxisBoundary walls)
    : cells_(std::move(cells)),
      boundary_(walls),
      singular_(walls.lower == Boundary::neumann && walls.upper == Boundary::neumann) {
  const std::size_t n = cells_.size();
  below_.resize(n);
  above_.resize(n);
  walls_.resize(n);
  for (std::size_t j = 0; j + 1 < n; ++j) {
    const double distance = (cells_[j] + cells_[j + 1]) / 2;
    above_[j] = 1 / (cells_[j] * distance);
    below_[j + 1] = 1 / (cells_[j + 1] * distance);
  }
  if (walls.lower == Boundary::dirichlet) walls_.front() += 2 / (cells_.front() * cells_.front());
  if (walls.upper == Boundary::dirichlet) walls_.back() += 2 / (cells_.back() * cells_.back());
}

void StretchedLines::solve(std::span<const LineFacts> facts, bool slopes, Complex* lines, std::byte* scratch) const {
  const Block all{0, size()};
  for (std::size_t l = 0; l < facts.size(); ++l)
    if (is_singular(facts[l])) take_mean_off(lines + l * size());
  solve_block(all, facts, lines, scratch);
  for (const LineFacts& one : facts) {
    if (is_singular(one)) take_mean_off(lines);
    if (slopes) differentiate(all, 0, 0, lines);
    lines += size();
  }
}

void StretchedLines::couple(Block block, Complex before, Complex behind, Complex* line) const {
  line[0] -= below_[block.first] * before;
  line[block.count - 1] -= above_[block.first + block.count - 1] * behind;
}

/// Gauss's elimination of several lines at once, since each waits for its own pivots; the last pivot of a singular
/// system vanishes, and the last value may be any.
void StretchedLines::solve_block(Block block, std::span<const LineFacts> facts, Complex* lines,
                                 std::byte* scratch) const {
  const std::size_t n = block.count, count = facts.size();
  auto* const upper = reinterpret_cast<double*>(scratch);
  std::array<double, together> ratio{};
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t cell = block.first + j;
    const double below = below_[cell], all = below + above_[cell] + walls_[cell];
    for (std::size_t l = 0; l < count; ++l) {
      const bool free = cell + 1 == size() && is_singular(facts[l]);
      const double pivot = free ? 0 : -1 / (all + facts[l].square + below * ratio[l]);
      upper[j * together + l] = ratio[l] = above_[cell] * pivot;
      Complex* const at = lines + l * n + j;
      if (j > 0) at[0] -= below * at[-1];
      at[0] *= pivot;
    }
  }
  for (std::size_t j = n - 1; j-- > 0;)
    for (std::size_t l = 0; l < count; ++l) lines[l * n + j] -= upper[j * together + l] * lines[l * n + j + 1];
}

void StretchedLines::take_mean_off(Complex* line) const {
  Complex sum = 0;
  double length = 0;
  for (std::size_t j = 0; j < cells_.size(); ++j) {
    sum += line[j] * cells_[j];
    length += cells_[j];
  }
  for (std::size_t j = 0; j < cells_.size(); ++j) line[j] -= sum / length;
}

/// The mean of the slopes at the two faces of each cell.
void StretchedLines::differentiate(Block block, Complex before, Complex behind, Complex* line) const {
  // At the face behind a cell; 0: that of the lower wall.
  const auto slope = [&](std::size_t face, Complex value, Complex next) -> Complex {
    if (face == 0) return boundary_.lower == Boundary::dirichlet ? 2.0 * next / cells_[0] : 0;
    if (face == size()) return boundary_.upper == Boundary::dirichlet ? -2.0 * value / cells_[face - 1] : 0;
    return 2.0 * (next - value) / (cells_[face - 1] + cells_[face]);
  };
  Complex lower = slope(block.first, before, line[0]);
  for (std::size_t j = 0; j < block.count; ++j) {
    const Complex upper = slope(block.first + j + 1, line[j], j + 1 < block.count ? line[j + 1] : behind);
    line[j] = (lower + upper) / 2.0;
    lower = upper;
  }
}

WallSlopes::WallSlopes(std::int64_t n, double step, double first, AxisBoundary walls,
                       const std::function<double(double)>& slope)
    : n_(n) {
  const bool odd_below = walls.lower == Boundary::dirichlet, odd_above = walls.upper == Boundary::dirichlet;
  const auto count = static_cast<double>(n);
  const double extent = first == 0.5 ? count : count - 1 + first + (odd_above ? 1 : 0);  // from wall to wall, in steps
  const std::array<double, 4> signs{1, odd_above ? -1.0 : 1.0, odd_above != odd_below ? -1.0 : 1.0,
                                    odd_below ? -1.0 : 1.0};
  const auto period = std::llround((odd_above == odd_below ? 2 : 4) * extent);
  for (std::int64_t j = 0; j < period; ++j) {
    const double place = first + static_cast<double>(j), turn = std::floor(place / extent);
    const double inside = place - turn * extent;
    const auto segment = static_cast<std::size_t>(turn) % 4;
    const auto point = std::llround((segment % 2 == 0 ? inside : extent - inside) - first);
    const bool exists = point >= 0 && point < n;
    mirrored_.push_back({exists ? point : 0, exists ? signs[segment] / static_cast<double>(period) : 0});
    const std::int64_t m = 2 * j > period ? j - period : j;
    const double k = 2 * std::numbers::pi * static_cast<double>(m) / (static_cast<double>(period) * step);
    slopes_.push_back(2 * j == period ? 0 : slope(k));
  }
  forward_ = lines_fft(period, 1, Direction::forward, Effort::estimate);
  backward_ = lines_fft(period, 1, Direction::backward, Effort::estimate);
}

std::size_t WallSlopes::scratch_bytes() const {
  return std::max(forward_->scratch_bytes(), backward_->scratch_bytes()) + mirrored_.size() * sizeof(Complex);
}

void WallSlopes::solve(std::span<const LineFacts> facts, bool /*slopes*/, Complex* lines, std::byte* scratch) const {
  auto* const whole = reinterpret_cast<Complex*>(scratch + scratch_bytes() - mirrored_.size() * sizeof(Complex));
  for (std::size_t l = 0; l < facts.size(); ++l, lines += n_) {
    for (std::size_t j = 0; j < mirrored_.size(); ++j) whole[j] = lines[mirrored_[j].point] * mirrored_[j].sign;
    forward_->execute(whole, whole, scratch);
    for (std::size_t j = 0; j < slopes_.size(); ++j) whole[j] = product(whole[j], Complex(0, slopes_[j]));
    backward_->execute(whole, whole, scratch);
    std::copy_n(whole, n_, lines);
  }
}

namespace {

/// The lines of a rank's piece.
class PieceLines {
 public:
  PieceLines(const SpectrumPart& part, const LinesSetup& setup)
      : part_(part), setup_(setup), piece_(part.side.layout.pieces(part.side.rank).front()) {
    for (int a = 0; a < piece_.set.axes; ++a)
      if (a != setup.line) axes_.push_back(a);
    // Neighbours in memory are taken together.
    std::stable_sort(axes_.begin(), axes_.end(), [this](int a, int b) { return stride(a) > stride(b); });
  }

  std::int64_t count() const { return length() == 0 ? 0 : piece_.set.count() / length(); }
  std::int64_t length() const { return piece_.set.axis[at(setup_.line)].count; }
  std::int64_t stride(int axis) const { return piece_.stride[at(axis)]; }

  /// The facts of the line with this number in the order of memory, and its beginning.
  LineFacts facts(std::int64_t line, std::int64_t& place) const {
    LineFacts result;
    result.square = setup_.shift;
    place = piece_.offset;
    std::array<std::int64_t, max_axes> position{};
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      const Progression& all = piece_.set.axis[at(*axis)];
      const std::int64_t i = line % all.count;
      line /= all.count;
      position[at(*axis)] = i;
      place += i * stride(*axis);
      const auto index = static_cast<std::size_t>(all.at(i));
      if (!setup_.squares[at(*axis)].empty()) result.square += setup_.squares[at(*axis)][index];
      if (*axis == setup_.slope_axis) result.factor = Complex(0, setup_.slopes[index]);
    }
    for (int a = 0; a < piece_.set.axes; ++a)
      if (a != setup_.line) result.number = result.number * piece_.set.axis[at(a)].count + position[at(a)];
    return result;
  }

  template <class T>
  void run(const LineSolver& solver, Share share) const {
    auto* const data = static_cast<T*>(part_.data);
    constexpr std::int64_t most = LineSolver::together;
    const std::int64_t n = length(), step = stride(setup_.line);
    std::vector<Complex> lines(static_cast<std::size_t>(most * n));
    const AlignedMemory scratch = allocate_aligned(solver.scratch_bytes());
    std::vector<LineFacts> facts(static_cast<std::size_t>(most));
    std::vector<std::int64_t> places(facts.size());
    for (std::int64_t first = share.first; first < share.last; first += most) {
      const auto count = static_cast<std::size_t>(std::min(most, share.last - first));
      for (std::size_t l = 0; l < count; ++l) facts[l] = this->facts(first + static_cast<std::int64_t>(l), places[l]);
      const auto for_all = [&](const auto& visit) {
        const std::int64_t along = step == 1 ? n : 1;  // whole lines, or neighbours
        for (std::int64_t j = 0; j < n; j += along)
          for (std::size_t l = 0; l < count; ++l)
            for (std::int64_t i = j; i < j + along; ++i)
              visit(data[places[l] + i * step], l * static_cast<std::size_t>(n) + static_cast<std::size_t>(i), l);
      };
      for_all([&](const T& number, std::size_t to, std::size_t) { lines[to] = Complex(number); });
      solver.solve({facts.data(), count}, setup_.slope_axis == setup_.line, lines.data(), scratch.get());
      for_all([&](T& number, std::size_t from, std::size_t l) {
        const Complex value = lines[from] * facts[l].factor;
        if constexpr (std::is_floating_point_v<T>)
          number = static_cast<T>(value.real());
        else
          number = T(value);
      });
    }
  }

 private:
  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

  const SpectrumPart& part_;
  const LinesSetup& setup_;
  Piece piece_;
  std::vector<int> axes_;  ///< all except that of the lines, the slowest first
};

}  // namespace

void LineSolver::run(const SpectrumPart& part, const LinesSetup& setup) { solve_lines(part, setup, *this); }

void solve_lines(const SpectrumPart& part, const LinesSetup& setup, const LineSolver& solver) {
  if (part.side.count() == 0) return;
  const PieceLines lines(part, setup);
  const bool is_double = part.side.element.precision == Precision::f64, is_complex = part.side.element.is_complex;
  run_team(setup.threads, [&](int thread) {
    const Share share = share_of(lines.count(), setup.threads, thread);
    if (is_double)
      is_complex ? lines.run<Complex>(solver, share) : lines.run<double>(solver, share);
    else
      is_complex ? lines.run<std::complex<float>>(solver, share) : lines.run<float>(solver, share);
  });
}

}  // namespace shardfft
