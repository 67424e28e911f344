// Short numbers in the messages of every strategy: what stays on its rank is exact, what is sent has an error within
// the bound, and that error is told.
#include <cmath>
#include <limits>

#include "layouts.hpp"
#include "pack/shorten.hpp"
#include "support/world.hpp"

namespace shardfft::kit {
namespace {

/// A number of any magnitude that depends on all arguments.
double number_of(std::uint64_t element, std::uint64_t part, std::uint64_t salt) {
  std::uint64_t random = (element * 2 + part + 1) * 0x9E3779B97F4A7C15ULL + salt;
  for (int i = 0; i < 2; ++i) random = (random ^ (random >> 29)) * 0xBF58476D1CE4E5B9ULL;
  const double fraction = static_cast<double>(random >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
  return random % 11 == 0 ? 0 : std::ldexp(fraction, static_cast<int>(random % 60) - 30);
}

template <class Real>
ShortNumbers format(int bytes) {
  return {sizeof(Real) == 8 ? Precision::f64 : Precision::f32, bytes};
}

/// One exchange with arrays of real numbers, `parts` an element.
template <class Real>
class Runner {
 public:
  Runner(const std::string& strategy, const Case& c, ShortNumbers numbers)
      : case_(c), parts_(c.element_bytes / sizeof(Real)), schedule_(make_schedule(c.from, c.to, world().rank())) {
    CountLimit limit{c.count_limit};
    const Installed lowered(limit);
    ExchangeSetup setup;
    setup.comm = world();
    setup.schedule = schedule_;
    setup.element_bytes = c.element_bytes;
    setup.numbers = numbers;
    setup.threads = c.threads;
    setup.fake_ranks_per_host = c.fake_ranks_per_host;
    setup.basic_types = c.basic_types;
    exchange_ = make_exchange(strategy, setup);
    workspace_ = allocate_aligned(exchange_->workspace_bytes() + guard_bytes);
  }

  template <class Number>
  std::vector<Real> filled(const Layout& layout, const Number& number) const {
    std::vector<Real> array(static_cast<std::size_t>(layout.count(world().rank())) * parts_);
    for (const Piece& piece : layout.pieces(world().rank()))
      for_elements(piece, layout.shape(), [&](std::int64_t offset, std::int64_t i) {
        for (std::size_t part = 0; part < parts_; ++part)
          array[static_cast<std::size_t>(offset) * parts_ + part] =
              static_cast<Real>(number(static_cast<std::uint64_t>(i), part));
      });
    return array;
  }

  template <class Number>
  void run(const Number& number) {
    source_ = filled(case_.from, number);
    wanted_ = filled(case_.to, number);
    got_.assign(wanted_.size(), Real(-77));
    std::memset(workspace_.get(), poison, exchange_->workspace_bytes() + guard_bytes);
    const ExchangeBuffers buffers{reinterpret_cast<const std::byte*>(source_.data()),
                                  reinterpret_cast<std::byte*>(got_.data()), workspace_.get()};
    exchange_->start(buffers);
    for (const LocalCopy& c : schedule_.self)
      copy_box(buffers.source, c.from, buffers.destination, c.to, case_.element_bytes);
    exchange_->progress(buffers);
    exchange_->finish(buffers);
    const std::vector<Real> before = filled(case_.from, number);
    EXPECT_TRUE(source_.empty() || std::memcmp(source_.data(), before.data(), source_.size() * sizeof(Real)) == 0)
        << "the source was written";
    for (std::size_t i = 0; i < guard_bytes; ++i)
      ASSERT_EQ(workspace_.get()[exchange_->workspace_bytes() + i], std::byte{poison}) << "behind the workspace";
  }

  /// Sums over what came in messages; what did not must be exact.
  Loss true_loss() const {
    std::vector<Real> exact(wanted_.size());
    std::vector<Real> ones(source_.size(), Real(1));
    for (const LocalCopy& c : schedule_.self)
      copy_box(reinterpret_cast<const std::byte*>(ones.data()), c.from, reinterpret_cast<std::byte*>(exact.data()),
               c.to, case_.element_bytes);
    Loss loss;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const double x = static_cast<double>(wanted_[i]), difference = static_cast<double>(got_[i]) - x;
      if (exact[i] == Real(1)) {
        EXPECT_EQ(got_[i], wanted_[i]) << "what stays is not exact";
        continue;
      }
      loss.error += difference * difference;
      loss.sent += x * x;
    }
    return loss;
  }

  const std::vector<Real>& got() const { return got_; }
  const std::vector<Real>& wanted() const { return wanted_; }
  Loss loss() const { return exchange_->loss(); }

 private:
  Case case_;
  std::size_t parts_;
  Schedule schedule_;
  std::unique_ptr<Exchange> exchange_;
  AlignedMemory workspace_;
  std::vector<Real> source_, wanted_, got_;
};

template <class Real>
void conform(const std::string& strategy, const Case& c, int bytes) {
  SCOPED_TRACE(strategy + " on " + c.name + ", element " + std::to_string(c.element_bytes) + ", " +
               std::to_string(bytes) + " bytes a number");
  const ShortNumbers numbers = format<Real>(bytes);
  Runner<Real> runner(strategy, c, numbers);
  Loss all;
  for (std::uint64_t salt = 1; salt <= 2; ++salt) {
    runner.run([salt](std::uint64_t i, std::uint64_t part) { return number_of(i, part, salt); });
    const Loss loss = runner.true_loss();
    EXPECT_LE(std::sqrt(loss.error), numbers.most_error() * std::sqrt(loss.sent));
    all += loss;
  }
  const double error = test::sum_over_ranks(all.error), sent = test::sum_over_ranks(all.sent);
  EXPECT_NEAR(test::sum_over_ranks(runner.loss().sent), sent, 1e-9 * sent);
  EXPECT_NEAR(test::sum_over_ranks(runner.loss().error), error, 1e-6 * error + (sizeof(Real) == 4 ? 1e-14 * sent : 0));
}

class Shortened : public testing::TestWithParam<std::string> {};

TEST_P(Shortened, AllLayouts) {
  int turn = 0;
  for (Case c : cases()) {
    c.element_bytes = 16;
    conform<double>(GetParam(), c, 1 + turn % 6);
    c.element_bytes = 8;
    if (turn % 2 == 0)
      conform<double>(GetParam(), c, 6 - turn % 6);
    else
      conform<float>(GetParam(), c, 1 + turn % 3);
    ++turn;
  }
}

TEST_P(Shortened, SmallCountsHostsAndThreads) {
  int turn = 0;
  for (Case c : some_cases()) {
    c.count_limit = turn % 2 == 0 ? 2 : mpi_count_limit();
    c.fake_ranks_per_host = turn % 3;
    c.basic_types = turn % 2 == 1;
    c.element_bytes = 8;
    conform<double>(GetParam(), c, 2 + turn++ % 2);
  }
  Case large{"large slabs", Layout::slab({64, 48, 40}, world().size(), 0),
             Layout::slab({64, 48, 40}, world().size(), 1, {1, 2, 0})};
  large.threads = 2;
  large.element_bytes = 16;
  conform<double>(GetParam(), large, 3);
}

/// Numbers of few bits arrive as they were sent.
TEST_P(Shortened, FewBitsAreExact) {
  for (Case c : some_cases()) {
    SCOPED_TRACE(GetParam() + " on " + c.name);
    c.element_bytes = 8;
    Runner<float> runner(GetParam(), c, format<float>(2));
    runner.run([](std::uint64_t i, std::uint64_t part) {
      return i % 5 == 0 ? 0.25 * 16000 : 0.25 * static_cast<double>((i * 31 + part) % 32000) - 4000;
    });
    EXPECT_EQ(runner.got(), runner.wanted());
    EXPECT_EQ(runner.loss().error, 0);
  }
}

TEST_P(Shortened, InfinitiesAndNanSurvive) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double numbers[] = {infinity, -infinity, std::nan("")};
  const auto number = [&](std::uint64_t i, std::uint64_t part) {
    return i % 37 < 3 && part == 0 ? numbers[i % 37] : number_of(i, part, 1);
  };
  for (Case c : some_cases()) {
    SCOPED_TRACE(GetParam() + " on " + c.name);
    c.element_bytes = 16;
    Runner<double> runner(GetParam(), c, format<double>(3));
    runner.run(number);
    for (std::size_t i = 0; i < runner.wanted().size(); ++i) {
      const double got = runner.got()[i], wanted = runner.wanted()[i];
      if (std::isnan(wanted))
        EXPECT_TRUE(std::isnan(got)) << i;
      else if (std::isinf(wanted))
        EXPECT_EQ(got, wanted) << i;
      else
        EXPECT_TRUE(std::isfinite(got)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Shortened, testing::ValuesIn(test::plain_exchanges()),
                         [](const auto& strategy) { return strategy.param; });

}  // namespace
}  // namespace shardfft::kit
