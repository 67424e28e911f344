// Stretched lines of which each rank has a block: it solves its own between two neighbours, whose values follow from
// the ends of all blocks.
#include <algorithm>
#include <array>
#include <utility>

#include "api/poisson_lines.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

class CutLines : public LineSolver {
 public:
  CutLines(StretchedLines whole, const Communicator& comm)
      : whole_(std::move(whole)), comm_(comm), own_(block(comm.rank())) {}
  std::size_t scratch_bytes() const override {
    return together * whole_.size() * sizeof(Complex) + whole_.scratch_bytes();
  }

  void run(const SpectrumPart& part, const LinesSetup& setup) override {
    LinesSetup plain = setup;
    plain.slope_axis = -1;
    if (by_neighbours_.empty()) by_neighbours_ = ends(Pass::by_neighbours, part, plain);
    values_ = ends(Pass::values, part, plain);
    pass_ = Pass::inside;
    solve_lines(part, setup, *this);
  }

  /// In the last pass; the others leave lines as they are.
  void solve(std::span<const LineFacts> facts, bool slopes, Complex* lines, std::byte* scratch) const override {
    auto* copy = reinterpret_cast<Complex*>(scratch);
    std::byte* const rest = scratch + together * whole_.size() * sizeof(Complex);
    if (pass_ == Pass::inside) return solve_inside(facts, slopes, lines, copy, rest);
    std::copy_n(lines, facts.size() * own_.count, copy);
    if (pass_ == Pass::by_neighbours) std::fill_n(copy, facts.size() * own_.count, 0);
    for (std::size_t l = 0; l < facts.size() && pass_ == Pass::by_neighbours; ++l)
      whole_.couple(own_, 1, Complex(0, 1), copy + l * own_.count);
    whole_.solve_block(own_, facts, copy, rest);
    for (const LineFacts& one : facts) {
      Complex* const two = mine_.data() + 2 * one.number;
      two[0] = copy[0];
      two[1] = copy[own_.count - 1];
      if (whole_.is_singular(one)) std::copy_n(lines, own_.count, mine_.data() + 2 * lines_);
      copy += own_.count;
      lines += own_.count;
    }
  }

 private:
  using Block = StretchedLines::Block;
  /// The ends of blocks without a right-hand side for a neighbour of 1 below (real parts) and above (imaginary parts);
  /// those of blocks without neighbours; and the solution.
  enum class Pass { by_neighbours, values, inside };

  Block block(int rank) const {
    const Progression part = block_part(static_cast<std::int64_t>(whole_.size()), comm_.size(), rank);
    return {static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count)};
  }

  /// The first and the last number of each line's block, and behind them the whole block of the singular line; of all
  /// ranks.
  std::vector<Complex> ends(Pass pass, const SpectrumPart& part, const LinesSetup& setup) {
    std::vector<Complex> all;
    agree(comm_, [&] {
      pass_ = pass;
      lines_ = static_cast<std::size_t>(part.side.count()) / own_.count;
      mine_.assign(2 * lines_ + block(0).count, 0);
      all.resize(mine_.size() * static_cast<std::size_t>(comm_.size()));
      solve_lines(part, setup, *this);
    });
    comm_.gather(mine_.data(), all.data(), mine_.size() * sizeof(Complex));
    return all;
  }
  const Complex* of(const std::vector<Complex>& all, int rank, std::size_t number) const {
    return all.data() + mine_.size() * static_cast<std::size_t>(rank) + 2 * number;
  }

  void solve_inside(std::span<const LineFacts> facts, bool slopes, Complex* lines, Complex* whole,
                    std::byte* scratch) const {
    std::array<std::pair<Complex, Complex>, together> next;
    for (std::size_t l = 0; l < facts.size(); ++l) {
      next[l] = neighbours(static_cast<std::size_t>(facts[l].number));
      whole_.couple(own_, next[l].first, next[l].second, lines + l * own_.count);
    }
    whole_.solve_block(own_, facts, lines, scratch);
    for (std::size_t l = 0; l < facts.size(); ++l, lines += own_.count) {
      if (whole_.is_singular(facts[l])) {
        for (int rank = 0; rank < comm_.size(); ++rank)
          std::copy_n(of(values_, rank, lines_), block(rank).count, whole + block(rank).first);
        whole_.solve(facts.subspan(l, 1), slopes, whole, scratch);
        std::copy_n(whole + own_.first, own_.count, lines);
      } else if (slopes) {
        whole_.differentiate(own_, next[l].first, next[l].second, lines);
      }
    }
  }

  /// A value that is `sum` and `factor` times the next one, the near end of a block.
  struct Known {
    Complex sum = 0;
    double factor = 0;
    /// The same for the far end. The ends are `near` and `far`, and so many times their neighbours: `near_far` of the
    /// near end by the neighbour behind the far one.
    Known across(Complex near, double near_near, double near_far, Complex far, double far_near, double far_far) const {
      const double inverse = 1 / (1 - near_near * factor);
      return {far + far_near * (sum + factor * inverse * (near + near_near * sum)),
              far_far + far_near * factor * inverse * near_far};
    }
  };
  /// The values before and behind this rank's block.
  std::pair<Complex, Complex> neighbours(std::size_t number) const {
    Known before, behind;
    for (int rank = 0; rank < comm_.rank(); ++rank) {
      const Complex *const v = of(values_, rank, number), *const by = of(by_neighbours_, rank, number);
      before = before.across(v[0], by[0].real(), by[0].imag(), v[1], by[1].real(), by[1].imag());
    }
    for (int rank = comm_.size() - 1; rank > comm_.rank(); --rank) {
      const Complex *const v = of(values_, rank, number), *const by = of(by_neighbours_, rank, number);
      behind = behind.across(v[1], by[1].imag(), by[1].real(), v[0], by[0].imag(), by[0].real());
    }
    // Two equations for the first and the last value of the block.
    const Complex *const v = of(values_, comm_.rank(), number), *const by = of(by_neighbours_, comm_.rank(), number);
    const Complex first = v[0] + by[0].real() * before.sum + by[0].imag() * behind.sum;
    const Complex last = v[1] + by[1].real() * before.sum + by[1].imag() * behind.sum;
    const double a = 1 - by[0].real() * before.factor, b = by[0].imag() * behind.factor;
    const double c = by[1].real() * before.factor, d = 1 - by[1].imag() * behind.factor, scale = 1 / (a * d - b * c);
    return {before.sum + before.factor * scale * (d * first + b * last),
            behind.sum + behind.factor * scale * (c * first + a * last)};
  }

  StretchedLines whole_;
  const Communicator& comm_;
  Block own_;
  Pass pass_ = Pass::by_neighbours;
  std::size_t lines_ = 0;
  mutable std::vector<Complex> mine_;            ///< each line its own entries
  std::vector<Complex> by_neighbours_, values_;  ///< of all ranks
};

}  // namespace

std::unique_ptr<LineSolver> cut_lines(StretchedLines whole, const Communicator& comm) {
  return std::make_unique<CutLines>(std::move(whole), comm);
}

}  // namespace shardfft
