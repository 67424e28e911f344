// Wisdom: plans take the ways that others measured, from files that jobs share.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/hooks.hpp"
#include "choose/trial.hpp"
#include "choose/wisdom.hpp"
#include "shardfft/version.h"
#include "shardfft/wisdom.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from << " is not in " << text;
  return text.replace(text.find(from), from.size(), to);
}

/// A folder that all ranks know, made and removed by rank 0; its file is the default of all plans meanwhile.
class Folder {
 public:
  Folder() {
    std::int64_t number = std::int64_t{getpid()};
    MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    path_ = fs::temp_directory_path() / ("shardfft-wisdom-" + std::to_string(number));
    if (world().rank() == 0) {
      fs::remove_all(path_);
      fs::create_directories(path_);
    }
    setenv("SHARDFFT_WISDOM", file().c_str(), 1);
    forget_wisdom();
    world().barrier();
  }
  ~Folder() {
    unsetenv("SHARDFFT_WISDOM");
    forget_wisdom();
    world().barrier();
    if (world().rank() == 0) fs::remove_all(path_);
    world().barrier();
  }
  fs::path file() const { return path_ / "wisdom.json"; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TransformCase measured(const std::string& output = "natural", int ranks_per_host = 0) {
  TransformCase c{{36, 40, 24}, "pencil", output, Kind::c2c, Precision::f64, {}};
  c.options.fake_ranks_per_host = ranks_per_host;
  return c;
}

/// A plan, how many trials began while it was made, and what rank 0 said on standard error.
struct Remade {
  TrialCount trials{};
  Installed<TrialCount> installed{trials};
  Plan plan;
  explicit Remade(const TransformCase& c) : plan(make_plan(MPI_COMM_WORLD, c)) {}
  static std::pair<std::unique_ptr<Remade>, std::string> with_words(const TransformCase& c) {
    testing::internal::CaptureStderr();
    auto made = std::make_unique<Remade>(c);
    return {std::move(made), testing::internal::GetCapturedStderr()};
  }
};

std::string way_of(const Plan& plan) {
  std::string way = plan.way();
  EXPECT_EQ(way, plan.report().way);
  return way;
}

TEST(Wisdom, APlanTakesTheWayThatAnotherOneMeasured) {
  for (const TransformCase& wanted : {measured(), measured("natural", 1), measured("left", 2)}) {
    const Folder folder;
    TransformCase c = wanted;
    c.options.wisdom = "keep";
    Remade first(c);
    EXPECT_GT(first.trials.begun, 0) << "the test is to see that there are trials";
    world().barrier();
    const Wisdom kept = Wisdom::parse(text_of(folder.file()));
    EXPECT_EQ(kept.size(), 1u);
    for (const std::string& wisdom : {std::string(), std::string("keep"), folder.file().string()}) {
      c.options.wisdom = wisdom;
      const auto [again, words] = Remade::with_words(c);
      EXPECT_EQ(again->trials.begun, 0) << wisdom;
      EXPECT_EQ(words, "");
      EXPECT_EQ(way_of(again->plan), way_of(first.plan));
      EXPECT_NE(again->plan.report().to_text().find("chose way as remembered: by " + folder.file().string()),
                std::string::npos);
      check_plan(again->plan, c);
    }
    c.options.wisdom = "none";
    EXPECT_GT(Remade(c).trials.begun, 0);
    c.options.wisdom = "";
    c.options.effort = Effort::estimate;
    EXPECT_EQ(Remade(c).trials.begun, 0);
    EXPECT_EQ(way_of(Remade(c).plan), way_of(first.plan)) << "what was measured serves an estimate too";
    c.options.norm = Norm::ortho;
    EXPECT_EQ(Remade(c).plan.report().to_text().find("as remembered"), std::string::npos) << "of another problem";
  }
}

/// Without being asked to, plans write nothing.
TEST(Wisdom, IsWrittenWhereThatIsAskedFor) {
  const Folder folder;
  TransformCase c = measured();
  Remade first(c);
  world().barrier();
  EXPECT_FALSE(fs::exists(folder.file()));
  c.options.wisdom = "keep";
  c.options.effort = Effort::estimate;
  Remade estimated(c);
  world().barrier();
  EXPECT_FALSE(fs::exists(folder.file())) << "nothing was measured";
}

/// Only rank 0's file counts, and all take the same.
TEST(Wisdom, RanksWithDifferentFilesTakeThatOfRank0) {
  const Folder folder;
  TransformCase c = measured();
  c.options.wisdom = "keep";
  const std::string way = way_of(Remade(c).plan);
  world().barrier();
  if (world().rank() > 0) setenv("SHARDFFT_WISDOM", "/proc/no/such/file", 1);
  c.options.wisdom = world().rank() == 0 ? "" : "none";
  Remade again(c);
  EXPECT_EQ(again.trials.begun, 0);
  EXPECT_EQ(way_of(again.plan), way);
  check_plan(again.plan, c);
}

/// The words of rank 0 about a file with this text, with which a plan is made anyway.
std::string words_about(const Folder& folder, const std::string& text, bool is_taken = false) {
  if (world().rank() == 0) write(folder.file(), text);
  world().barrier();
  const auto [made, words] = Remade::with_words(measured());
  EXPECT_EQ(made->trials.begun > 0, !is_taken) << text;
  EXPECT_EQ(made->plan.report().to_text().find("as remembered") != std::string::npos, is_taken);
  EXPECT_TRUE(world().rank() == 0 || words.empty()) << words;
  EXPECT_LE(std::count(words.begin(), words.end(), '\n'), 1) << words;
  check_plan(made->plan, measured());
  world().barrier();
  return words;
}

TEST(Wisdom, WhatDoesNotFitIsLeftWithALine) {
  const Folder folder;
  TransformCase c = measured();
  c.options.wisdom = "keep";
  Remade first(c);
  world().barrier();
  const std::string good = text_of(folder.file());
  world().barrier();
  const auto expect = [&](const std::string& text, const std::string& what) {
    const std::string words = words_about(folder, text);
    EXPECT_TRUE(world().rank() > 0 || words.find(what) != std::string::npos) << words;
  };
  expect(good.substr(0, good.size() / 2), "cannot be used: line 2 has a string with no end");
  expect("", "cannot be used: line 1 has no value");
  expect(replaced(good, "shardfft wisdom 1", "shardfft wisdom 2"),
         "it is of format 'shardfft wisdom 2', but this library reads 'shardfft wisdom 1'");
  expect(R"({"format": "something else"})", "no member \"format\"");
  expect(replaced(good, "\"seconds\":", "\"second\":"), "1 damaged entries of");
  expect(replaced(good, "\"machine\":\"", "\"machine\":\"12345 x "), "is of a machine like this one");
  expect(replaced(good, "\"versions\":\"shardfft ", "\"versions\":\"shardfft 0."), "is of shardfft 0.");
  expect(replaced(good, "; algorithm=", "; algorithm=diagonal"), "is not taken: unknown algorithm 'diagonal");
  expect(replaced(good, "; grid=", "; grid=7,7,7"), "is not taken: ");
  expect(replaced(good, "; active=0", "; active=99"), "is not taken: option way says active=99");
  expect(replaced(good, "; library c2c", "; library r2c"), "is not taken: the option way does not fit this plan");
  expect(replaced(good, "way\":\"shardfft ", "way\":\"shardfft 9."), "is not taken: option way is of shardfft 9.");
  EXPECT_EQ(words_about(folder, good, true), "");
}

/// One sentence on every rank, before anything is measured; the file stays as it is.
TEST(Wisdom, AFileThatCannotBeWrittenIsRefused) {
  const Folder folder;
  TransformCase c = measured();
  const auto refused = [&](const std::string& wisdom, const std::string& words) {
    c.options.wisdom = wisdom;
    TrialCount trials;
    const Installed<TrialCount> installed(trials);
    expect_error(Status::invalid_argument, words, [&] { make_plan(MPI_COMM_WORLD, c); });
    EXPECT_EQ(trials.begun, 0);
  };
  const fs::path missing = folder.path() / "typo";
  const std::string words = "cannot be written: there is no folder " + missing.string();
  refused((missing / "wisdom.json").string(), words);
  setenv("SHARDFFT_WISDOM", (missing / "wisdom.json").c_str(), 1);
  refused("keep", words);
  expect_error(Status::invalid_argument, words, [&] { keep_wisdom(export_wisdom(), (missing / "w.json").string()); });
  EXPECT_FALSE(fs::exists(missing)) << "folders of files that users name are not made";
  refused(std::string("wisdom\0json", 11), "the name of the wisdom file has a character 0");
  refused("/proc/wisdom.json", "the wisdom file /proc/wisdom.json cannot be written: this user may not write in");
  setenv("SHARDFFT_WISDOM", "", 1);
  refused("keep", "no wisdom can be kept");
  const std::string other = R"({"format":"shardfft wisdom 7","entries":[]})";
  if (world().rank() == 0) {
    write(folder.file(), other);
    fs::create_symlink(folder.file(), folder.path() / "link");
  }
  world().barrier();
  for (const fs::path& taken : {folder.path(), folder.path() / "link"})
    refused(taken, "the wisdom file " + taken.string() + " cannot be written: another file is in its place");
  refused(folder.file(), "it is of format 'shardfft wisdom 7'");
  EXPECT_EQ(text_of(folder.file()), other);
}

TEST(Wisdom, TravelsAsText) {
  const Folder folder;
  TransformCase c = measured();
  c.shape = {24, 20, 28};
  Remade first(c);
  const std::string all = export_wisdom();
  EXPECT_EQ(Wisdom::parse(all).size() > 0, world().rank() == 0) << "rank 0 has the wisdom of its plans";
  EXPECT_EQ(Wisdom::parse(all).text(), all);
  EXPECT_GT(Remade(c).trials.begun, 0) << "plans do not look at what was not imported";
  const int taken = import_wisdom(all);
  EXPECT_EQ(taken > 0, world().rank() == 0);
  EXPECT_EQ(import_wisdom(all), 0);
  EXPECT_EQ(Remade(c).trials.begun, 0);
  expect_error(Status::invalid_argument, "no member \"format\"", [] { import_wisdom("{}"); });
  expect_error(Status::invalid_argument, "line 1 has no value", [] { import_wisdom("wisdom"); });
}

Remembered entry(const std::string& problem, const std::string& date = "2026-01-01T00:00:00Z") {
  return {"machine", problem, "shardfft 1", "a way \"\\\n\xc3\xa9", Effort::measure, 0.25, date};
}

TEST(Wisdom, KeepsWhatIsWorthMore) {
  Wisdom wisdom;
  EXPECT_TRUE(wisdom.add(entry("a")));
  EXPECT_FALSE(wisdom.add(entry("a")));
  EXPECT_FALSE(wisdom.add(entry("a", "2025-01-01T00:00:00Z")));
  EXPECT_TRUE(wisdom.add(entry("a", "2026-01-02T00:00:00Z")));
  Remembered patient = entry("a", "2026-01-01T12:00:00Z");
  patient.effort = Effort::patient;
  EXPECT_TRUE(wisdom.add(patient)) << "more effort is worth more than a later date";
  EXPECT_FALSE(wisdom.add(entry("a", "2026-01-03T00:00:00Z")));
  Remembered newer = entry("a", "2026-01-04T00:00:00Z");
  newer.versions = "shardfft 2";
  EXPECT_TRUE(wisdom.add(newer)) << "a new version ages what an old one measured";
  const Wisdom again = Wisdom::parse(wisdom.text());
  EXPECT_EQ(again.text(), wisdom.text());
  ASSERT_NE(again.find("machine", "a"), nullptr);
  EXPECT_EQ(again.find("machine", "a")->way, entry("a").way);
}

/// All ranks write the same file at the same time, each its own entries: none is lost.
TEST(Wisdom, JobsThatWriteAtOnceLoseNothing) {
  const Folder folder;
  constexpr int each = 8;
  const WisdomFile file{folder.file(), true};
  world().barrier();
  for (int i = 0; i < each; ++i) {
    Wisdom mine;
    mine.add(entry(std::to_string(world().rank()) + " " + std::to_string(i)));
    file.add(mine);
  }
  world().barrier();
  EXPECT_EQ(file.read()->size(), static_cast<std::size_t>(each * world().size()));
  int files = 0;
  for ([[maybe_unused]] const auto& one : fs::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1) << "what was written aside is gone";
}

/// The cache folder is its owner's alone; a file that the user named may be anybody's.
TEST(Wisdom, ACacheFolderOfOthersIsNotUsed) {
  const Folder folder;
  if (world().rank() == 0) {
    Wisdom one;
    one.add(entry("a"));
    WisdomFile{folder.file(), true}.add(one);
    fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add);
    EXPECT_TRUE((WisdomFile{folder.file(), true}.read()));
    testing::internal::CaptureStderr();
    EXPECT_FALSE((WisdomFile{folder.file(), false}.read()));
    EXPECT_THROW((WisdomFile{folder.file(), false}.require_writable()), Error);
    const std::string words = testing::internal::GetCapturedStderr();
    EXPECT_NE(words.find("its group or others may write it"), std::string::npos) << words;
  }
  world().barrier();
}

}  // namespace
}  // namespace shardfft::test
