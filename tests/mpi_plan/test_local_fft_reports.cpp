// What plans and their reports say of the libraries that make their local transforms.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "local/backend.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The report's word on the choice; empty where it was not chosen. Collective.
Choice local_fft_choice(const Plan& plan) {
  for (const Choice& choice : plan.report().choices)
    if (choice.what == "local_fft") return choice;
  return {};
}

std::vector<std::string> split(std::string text, const std::string& between) {
  std::vector<std::string> parts;
  for (std::size_t at; (at = text.find(between)) != std::string::npos; text.erase(0, at + between.size()))
    parts.push_back(text.substr(0, at));
  parts.push_back(text);
  return parts;
}

/// A plan with the name that a measured one chose.
TEST(LocalFftReports, PinnedPlansGiveTheSameBits) {
  TransformCase c{{24, 20, 18}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  for (const std::string& name : local_fft_names()) {
    c.options.local_fft = name;
    c.options.effort = name == "reference" ? Effort::estimate : Effort::measure;
    std::vector<std::vector<std::complex<double>>> results;
    for (int again = 0; again < 2; ++again) {
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      EXPECT_EQ(plan.report().local_fft, local_fft_version(name));
      EXPECT_EQ(local_fft_choice(plan).what, "") << "nothing was chosen";
      std::vector<std::complex<double>> in(static_cast<std::size_t>(plan.input().count()));
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = noise(1, i, static_cast<std::uint64_t>(world().rank()));
      results.emplace_back(static_cast<std::size_t>(plan.output().count()));
      plan.forward(in.data(), results.back().data());
    }
    EXPECT_EQ(results[0], results[1]) << name;
  }
}

TEST(LocalFftReports, TheySayHowItWasChosen) {
  TransformCase c{{32, 32, 32}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  const bool choice = candidates("auto").size() > 1;
  const Choice estimated = local_fft_choice(make_plan(MPI_COMM_WORLD, c));
  EXPECT_EQ(estimated.chosen, candidates("auto").front().name);
  EXPECT_EQ(estimated.why, choice ? "by the processor's maker" : "there is nothing else to choose from");
  c.options.effort = Effort::measure;
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_plan(plan, c);
  const Choice measured = local_fft_choice(plan);
  std::string versions;
  for (const std::string& name : split(measured.chosen, ", ")) {
    versions += (versions.empty() ? "" : " and ") + local_fft_version(name);
    EXPECT_NE(name, "reference");
  }
  EXPECT_EQ(plan.report().local_fft, versions);
  const bool told = measured.why.find("measured: ") == 0 || measured.why.find("10 runs") != std::string::npos;
  EXPECT_EQ(told, choice) << measured.why;
}

}  // namespace
}  // namespace shardfft::test
