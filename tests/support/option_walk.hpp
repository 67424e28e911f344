#pragma once
// Every row of the option table against plans of one place: taken, refused out of range, refused where it has no
// effect, and agreed over ranks. A new option needs no test of its own for these.
#include <gtest/gtest.h>

#include <cmath>

#include "api/option_checks.hpp"
#include "api/problem.hpp"
#include "support/world.hpp"

namespace shardfft::test {

inline bool has_effect(const OptionRow& row, Place place) {
  return std::find(row.effect.begin(), row.effect.end(), place) != row.effect.end();
}

/// A problem in which every option can have an effect: the half spectrum of 4x6x9 real numbers.
inline ProblemSpec walked_problem(Place place, int ranks) {
  ProblemSpec spec{c2r<double>, Layout::slab({4, 6, 5}, ranks), {}, default_output, {}, ranks, place};
  if (place != Place::cpu) spec.options.processor = Processor::gpu;
  return spec;
}

/// A value that is not the default and that `place` knows, as text.
inline std::string example_of(const OptionRow& row, Place place) {
  if (row.type == OptionType::address) return "64";
  return row.type == OptionType::name ? row.known(place).front() : row.example;
}

inline std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::invalid_argument) << e.what();
    return e.what();
  }
  return {};
}

inline void check_taken(const OptionRow& row, Place place) {
  ProblemSpec spec = walked_problem(place, 1);
  const std::string example = example_of(row, place);
  ASSERT_NE(option_text(row, spec.options), example) << "the example is the default";
  set_option(spec.options, row.name, example);
  EXPECT_EQ(option_text(row, spec.options), example);
  const std::string told = message_of([&] { validate(spec); });
  if (has_effect(row, place)) {
    EXPECT_EQ(told, "");
  } else {
    EXPECT_NE(told.find("option " + row.name), std::string::npos) << told;
    EXPECT_NE(told.find("has no effect with " + place_text(place)), std::string::npos) << told;
    EXPECT_NE(told.find(row.sentence), std::string::npos) << told;
  }
}

/// Texts that are no value of this type, and values out of range.
inline void check_refused_values(const OptionRow& row, Place place) {
  const auto refused = [&](const std::string& text) {
    const std::string told = message_of([&] {
      ProblemSpec spec = walked_problem(place, 1);
      set_option(spec.options, row.name, text);
      validate(spec);
    });
    EXPECT_NE(told.find(row.name), std::string::npos) << "'" << text << "' gives: '" << told << "'";
  };
  switch (row.type) {
    case OptionType::flag:
    case OptionType::choice:
    case OptionType::words:
    case OptionType::name:
    case OptionType::text:
      return refused("sideways");
    case OptionType::integer:
      refused("many");
      refused("99999999999999999999");
      return refused(std::to_string(row.least - 1));
    case OptionType::number:
      refused("many");
      refused("inf");
      refused("nan");
      if (std::isfinite(row.below)) refused(std::to_string(row.below));
      return refused(std::to_string(row.least - 1));
    case OptionType::integers:
      refused("1;2");
      return refused(std::to_string(row.least - 1));
    case OptionType::address:
      return refused("here");
    case OptionType::path:
      return;  // any text may be a file
  }
}

/// What the last rank alone is given is a mismatch that names the option, or its own affair.
inline void check_agreed(const OptionRow& row, Place place) {
  if (world().size() == 1) return;
  ProblemSpec spec = walked_problem(place, world().size());
  if (world().rank() + 1 == world().size()) set_option(spec.options, row.name, example_of(row, place));
  std::string told;
  try {
    agree_same(world(), spec);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::mismatch);
    told = e.what();
  }
  const bool named = told.find("option " + row.name + ";") != std::string::npos ||
                     told.find("option " + row.name + " (rank 0: ") != std::string::npos;
  EXPECT_EQ(named, row.agreement != Agreement::none) << told;
}

inline void walk_options(Place place) {
  EXPECT_GT(option_table().size(), 10u);
  for (const OptionRow& row : option_table()) {
    SCOPED_TRACE(row.name);
    if (row.name == "processor") continue;  // makes the other place
    check_taken(row, place);
    if (has_effect(row, place)) check_refused_values(row, place);
    check_agreed(row, place);
  }
}

}  // namespace shardfft::test
