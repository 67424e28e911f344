// The option table: every row works, and what is made from the table says what it says.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "api/plan_wisdom.hpp"
#include "base/check.hpp"
#include "shardfft/plan.hpp"
#include "support/foreign_locale.hpp"
#include "support/option_walk.hpp"

namespace shardfft::test {
namespace {

TEST(OptionTable, EveryOptionOnCpus) { walk_options(Place::cpu); }

/// Of enums every value has its word, and no other has one.
TEST(OptionTable, Words) {
  for (const OptionRow& row : option_table()) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.choices.empty(), row.type != OptionType::choice && row.type != OptionType::words);
    for (const std::string& word : row.choices) {
      Options options;
      set_option(options, row.name, word);
      EXPECT_EQ(option_text(row, options), word);
    }
  }
  EXPECT_EQ(to_text(Norm::none), "none");
  EXPECT_EQ(to_text(Effort::patient), "patient");
  EXPECT_EQ(to_text(Processor::gpu), "gpu");
  EXPECT_EQ(to_text(MemoryModel::device), "device");
  EXPECT_THROW(to_text(static_cast<Norm>(4)), Error);
  EXPECT_THROW(to_text(static_cast<Effort>(-1)), Error);
}

TEST(OptionTable, Texts) {
  Options o;
  set_option(o, "grid", "2,40000000000");
  EXPECT_EQ(o.grid, (Shape{2, 40000000000}));
  set_option(o, "grid", "");
  EXPECT_EQ(o.grid, Shape{});
  set_option(o, "check_calls", "false");
  EXPECT_FALSE(o.check_calls);
  set_option(o, "norm", "forward");
  EXPECT_EQ(o.norm, Norm::forward);
  EXPECT_THROW(set_option(o, "threads", "3000000000"), Error) << "more than an int";
  EXPECT_THROW(set_option(o, "thread", "3"), Error) << "no such option";
}

TEST(OptionTable, TextsHeedNoGlobalLocale) {
  const ForeignLocale foreign;
  Options o;
  set_option(o, "tolerance", "0.001");
  set_option(o, "batch", "1200");
  set_option(o, "modes", "1100,1000");
  EXPECT_EQ(option_text(option_row("tolerance"), o), "0.001");
  EXPECT_EQ(option_text(option_row("batch"), o), "1200");
  EXPECT_EQ(option_text(option_row("modes"), o), "1100,1000");
  const Layout rows = Layout::slab({1200, 8}, world().size());
  EXPECT_EQ(rows.describe(), "1200x8 cut in " + std::to_string(world().size()) + "x1");
  Options quick;
  quick.effort = Effort::estimate;
  const Plan plan(MPI_COMM_WORLD, c2c<double>, rows, default_output, quick);
  const std::string text = plan.report().to_text();
  EXPECT_NE(text.find("1200x8"), std::string::npos) << text;
  expect_error(Status::invalid_argument, "not 1200", [] { fail(Status::invalid_argument, "not ", 1200); });
}

/// The same question has the same key on every rank; another one has another.
TEST(OptionTable, ProblemKey) {
  const ProblemSpec spec = walked_problem(Place::cpu, world().size());
  const std::string key = problem_key(spec);
  EXPECT_EQ(key.find("c2r double 4x6x5 ranks=" + std::to_string(world().size())), 0u) << key;
  EXPECT_FALSE(world().differ({std::hash<std::string>()(key)})[0]);
  std::set<std::string> keys{key};
  std::size_t different = 1;
  for (const OptionRow& row : option_table()) {
    if (row.name == "processor") continue;
    ProblemSpec other = spec;
    set_option(other.options, row.name, example_of(row, Place::cpu));
    EXPECT_EQ(problem_key(other) != key, row.in_key) << row.name;
    different += row.in_key ? 1 : 0;
    keys.insert(problem_key(other));
  }
  EXPECT_EQ(keys.size(), different);
  ProblemSpec other = spec;
  other.output_kind = natural_output;
  EXPECT_NE(problem_key(other), key);
  other = spec;
  other.input = Layout::slab({4, 6, 5}, world().size(), 1);
  EXPECT_EQ(problem_key(other) == key, world().size() == 1) << "one rank has all in either";
}

/// The comment on each field of Options is the table's sentence.
TEST(OptionTable, HeaderSaysTheSame) {
  const std::filesystem::path root = SHARDFFT_ROOT;
  std::ifstream file(root / "include/shardfft/options.hpp");
  ASSERT_TRUE(file.good());
  const std::regex comment(R"(^\s*///\s*(.*\S)\s*$)"), field(R"(^\s*[\w:<>*]+ (\w+)(\{\}| = .*);$)");
  std::string line, text;
  std::smatch match;
  std::set<std::string> fields;
  while (std::getline(file, line))
    if (std::regex_match(line, match, comment)) {
      text += (text.empty() ? "" : " ") + match[1].str();
    } else if (std::regex_match(line, match, field)) {
      EXPECT_EQ(option_row(match[1]).sentence, text) << match[1];
      fields.insert(match[1]);
      text.clear();
    } else {
      text.clear();
    }
  EXPECT_EQ(fields.size(), option_table().size());
}

}  // namespace
}  // namespace shardfft::test
