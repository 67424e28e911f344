// Includes go one way, from a folder to those below it: base <- tune <- {geometry, mpi} <- {pack, local} <- {device,
// exchange} <- {algorithm, reshape} <- {cannon, lower} <- schedule <- verify <- choose <- run <- {exec, gpu} <- api <-
// c; within gpu and device from sub-folders to those below them: gpu <- gpu/check <- {gpu/pass, gpu/move} <- gpu/plan
// <- gpu/run, device <- {device/standin, device/cuda <- device/cuda/lines <- device/cuda/operators}.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Height of every folder of src/, and of sub-folders among those of their folder; a new one is entered here. Folders
/// of one height do not know each other.
const std::map<std::string, int>& heights() {
  static const std::map<std::string, int> table = {
      {"base", 0},
      {"tune", 1},
      {"geometry", 2},
      {"mpi", 2},
      {"pack", 3},
      {"local", 3},
      {"device", 4},
      {"device/standin", 5},
      {"device/cuda", 5},
      {"device/cuda/lines", 6},
      {"device/cuda/compiler", 7},
      {"device/cuda/operators", 7},
      {"exchange", 4},
      {"reshape", 5},
      {"algorithm", 5},
      {"cannon", 6},
      {"lower", 6},
      {"schedule", 7},
      {"verify", 8},
      {"choose", 9},
      {"run", 10},
      {"exec", 11},
      {"gpu", 11},
      {"gpu/check", 12},
      {"gpu/pass", 13},
      {"gpu/move", 13},
      {"gpu/plan", 14},
      {"gpu/run", 15},
      {"api", 15},
      {"c", 16},
  };
  return table;
}

/// These must not know MPI at all.
const std::set<std::string>& pure() {
  static const std::set<std::string> folders = {"base", "tune", "geometry", "pack", "local", "device", "algorithm"};
  return folders;
}

struct Include {
  std::string name;
  int line;
};

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::ifstream text(file);
  std::vector<Include> result;
  std::string line;
  std::smatch match;
  for (int number = 1; std::getline(text, line); ++number)
    if (std::regex_search(line, match, pattern)) result.push_back({match[1].str(), number});
  return result;
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> endings = {".hpp", ".cpp", ".h", ".cu", ".cuh"};
  return endings.contains(path.extension().string());
}

std::string top(const std::string& folder) { return folder.substr(0, folder.find('/')); }

/// Sub-folders know of other folders those that the whole one may know. Nobody else knows what implements the devices.
bool allowed(const std::string& from, const std::string& to) {
  if (top(from) == top(to)) return from == to || heights().at(to) < heights().at(from);
  return heights().at(top(to)) < heights().at(top(from)) && !to.starts_with("device/");
}

/// The entry of the table that `path` lies in; empty when there is none.
std::string folder_of(const std::string& path) {
  std::string folder = fs::path(path).parent_path().string();
  while (!folder.empty() && !heights().contains(folder)) folder = fs::path(folder).parent_path().string();
  return folder;
}

fs::path root() { return SHARDFFT_ROOT; }

TEST(Includes, GoOneWay) {
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root() / "src")) {
    if (!is_source(entry.path())) continue;
    const std::string file = fs::relative(entry.path(), root() / "src").string();
    const std::string folder = folder_of(file);
    ASSERT_FALSE(folder.empty()) << "the folder of src/" << file << " has no place in the table of this test";
    for (const Include& include : includes_of(entry.path())) {
      const std::string target = folder_of(include.name);
      if (target.empty()) continue;
      EXPECT_TRUE(allowed(folder, target)) << "src/" << file << ":" << include.line << " includes " << include.name;
      ++seen;
    }
  }
  EXPECT_GT(seen, 0) << "no include found: is " << root() << " the source tree?";
}

TEST(Includes, PureFoldersDoNotKnowMpi) {
  for (const std::string& folder : pure()) {
    if (!fs::exists(root() / "src" / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root() / "src" / folder)) {
      if (!is_source(entry.path())) continue;
      for (const Include& include : includes_of(entry.path()))
        EXPECT_TRUE(include.name != "mpi.h" && folder_of(include.name) != "mpi")
            << entry.path() << ":" << include.line << " includes " << include.name;
    }
  }
}

TEST(Includes, PublicHeadersKnowOnlyEachOther) {
  for (const auto& entry : fs::recursive_directory_iterator(root() / "include")) {
    if (!is_source(entry.path())) continue;
    for (const Include& include : includes_of(entry.path()))
      EXPECT_TRUE(folder_of(include.name).empty())
          << entry.path() << ":" << include.line << " includes " << include.name;
  }
}

/// Numbers of options, keys, files and programs for compilers: base/text.hpp says why. What C++ reads and writes by C's
/// locale counts too.
TEST(Includes, NumbersGoThroughNoGlobalLocale) {
  static const std::regex pattern(
      R"(\bstd::(basic_)?[io]?(string|f)stream\b|\b(std::)?(sto[dfl]d?|strto[dfl]d?|ato[fl]|v?s?n?printf|s?scanf)\()");
  int seen = 0;
  for (const char* const folder : {"src", "include", "compat", "bindings/python/src"})
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
      if (!is_source(entry.path()) && entry.path().extension() != ".inc") continue;
      std::ifstream text(entry.path());
      std::string line;
      for (int number = 1; std::getline(text, line); ++number, ++seen)
        EXPECT_TRUE(entry.path().filename() == "text.hpp" || !std::regex_search(line, pattern))
            << entry.path().string() << ":" << number << " takes a stream or a function that heeds a global locale";
    }
  EXPECT_GT(seen, 0);
}

}  // namespace
