// Stretched lines of which each rank has a block: it solves its own between two neighbours, whose values follow from
// the ends of all blocks.
#include <algorithm>
#include <optional>
#include <utility>

#include "api/poisson_lines.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;
using Block = StretchedLines::Block;

/// Numbers of a line's block that all ranks are told: its first and its last value without neighbours, and both without
/// a right-hand side for a neighbour of 1 below (real parts) and above (imaginary parts). Behind those of all lines
/// there is room for one whole block, that of the singular line.
constexpr std::size_t told = 4;

class CutLines : public LineSolver {
 public:
  CutLines(const StretchedLines& whole, const Communicator& comm, std::size_t lines)
      : whole_(whole), ranks_(comm.size()), rank_(comm.rank()), own_(block(rank_)), lines_(lines) {
    mine_.resize(told * lines + block(0).count);
    all_.resize(mine_.size() * static_cast<std::size_t>(ranks_));
  }
  std::size_t scratch_bytes() const override { return whole_.size() * sizeof(Complex) + whole_.scratch_bytes(); }

  void gather(const Communicator& comm) {
    comm.gather(mine_.data(), all_.data(), mine_.size() * sizeof(Complex));
    gathered_ = true;
  }
  /// Before gather() the ends are found, and lines stay as they are.
  void solve(std::span<const LineFacts> facts, bool slopes, Complex* lines, std::byte* scratch) const override {
    auto* const line = reinterpret_cast<Complex*>(scratch);
    auto* const upper = reinterpret_cast<double*>(line + whole_.size());
    for (const LineFacts& one : facts) {
      if (!gathered_) {
        find_ends(one, lines, line, upper);
      } else if (whole_.is_singular(one)) {
        solve_whole(one, slopes, line, upper);
        std::copy_n(line + own_.first, own_.count, lines);
      } else {
        const auto [before, behind] = neighbours(static_cast<std::size_t>(one.number));
        whole_.couple(own_, before, behind, lines);
        whole_.solve_block(own_, one, lines, upper);
        if (slopes) whole_.differentiate(own_, before, behind, lines);
      }
      lines += own_.count;
    }
  }

 private:
  Block block(int rank) const {
    const Progression part = block_part(static_cast<std::int64_t>(whole_.size()), ranks_, rank);
    return {static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count)};
  }
  const Complex* of(int rank) const { return all_.data() + mine_.size() * static_cast<std::size_t>(rank); }

  void find_ends(const LineFacts& facts, const Complex* block, Complex* line, double* upper) const {
    Complex* ends = mine_.data() + told * static_cast<std::size_t>(facts.number);
    if (whole_.is_singular(facts)) std::copy_n(block, own_.count, mine_.data() + told * lines_);
    std::copy_n(block, own_.count, line);
    for (const bool by_neighbours : {false, true}) {
      if (by_neighbours) {
        std::fill_n(line, own_.count, 0);
        whole_.couple(own_, 1, Complex(0, 1), line);
      }
      whole_.solve_block(own_, facts, line, upper);
      *ends++ = line[0];
      *ends++ = line[own_.count - 1];
    }
  }

  void solve_whole(const LineFacts& facts, bool slopes, Complex* line, double* upper) const {
    for (int rank = 0; rank < ranks_; ++rank)
      std::copy_n(of(rank) + told * lines_, block(rank).count, line + block(rank).first);
    whole_.solve({&facts, 1}, slopes, line, reinterpret_cast<std::byte*>(upper));
  }

  /// A value that is `sum` and `factor` times the next one, which a block lies behind.
  struct Known {
    Complex sum = 0;
    double factor = 0;
    /// Of the block's other end. Its near end is `near` and `near_near` times the known value and `near_far` times the
    /// one behind it; its far end likewise.
    Known across(Complex near, double near_near, double near_far, Complex far, double far_near, double far_far) const {
      const double inverse = 1 / (1 - near_near * factor);
      return {far + far_near * (sum + factor * inverse * (near + near_near * sum)),
              far_far + far_near * factor * inverse * near_far};
    }
  };
  std::pair<Complex, Complex> neighbours(std::size_t number) const {
    Known before, behind;
    for (int rank = 0; rank < rank_; ++rank) {
      const Complex* const e = of(rank) + told * number;
      before = before.across(e[0], e[2].real(), e[2].imag(), e[1], e[3].real(), e[3].imag());
    }
    for (int rank = ranks_ - 1; rank > rank_; --rank) {
      const Complex* const e = of(rank) + told * number;
      behind = behind.across(e[1], e[3].imag(), e[3].real(), e[0], e[2].imag(), e[2].real());
    }
    // Two equations for the first and the last value of this block.
    const Complex* const e = of(rank_) + told * number;
    const Complex first = e[0] + e[2].real() * before.sum + e[2].imag() * behind.sum;
    const Complex last = e[1] + e[3].real() * before.sum + e[3].imag() * behind.sum;
    const double a = 1 - e[2].real() * before.factor, b = e[2].imag() * behind.factor;
    const double c = e[3].real() * before.factor, d = 1 - e[3].imag() * behind.factor, scale = 1 / (a * d - b * c);
    return {before.sum + before.factor * scale * (d * first + b * last),
            behind.sum + behind.factor * scale * (c * first + a * last)};
  }

  const StretchedLines& whole_;
  int ranks_, rank_;
  Block own_;
  std::size_t lines_;
  bool gathered_ = false;
  mutable std::vector<Complex> mine_;  ///< each line its own entries
  std::vector<Complex> all_;           ///< of all ranks
};

}  // namespace

void solve_cut_lines(const SpectrumPart& part, const LinesSetup& setup, const StretchedLines& whole,
                     const Communicator& comm) {
  const std::int64_t own = block_part(static_cast<std::int64_t>(whole.size()), comm.size(), comm.rank()).count;
  std::optional<CutLines> lines;
  LinesSetup ends = setup;
  ends.slope_axis = -1;
  agree(comm, [&] {
    lines.emplace(whole, comm, static_cast<std::size_t>(part.side.count() / own));
    solve_lines(part, ends, *lines);
  });
  lines->gather(comm);
  solve_lines(part, setup, *lines);
}

}  // namespace shardfft
