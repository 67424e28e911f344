// The C interface has what the C++ interface has, and the Fortran module calls all of the C interface.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "shardfft/c.h"
#include "shardfft/option_table.hpp"

namespace {

namespace fs = std::filesystem;

fs::path root() { return SHARDFFT_ROOT; }

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The texts of all files in a folder that end so.
/// But of files whose names end with `without`.
std::string texts_of(const fs::path& folder, const std::set<std::string>& endings, const std::string& without = ";") {
  std::string all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (endings.contains(entry.path().extension().string()) && !entry.path().string().ends_with(without))
      all += text_of(entry.path());
  return all;
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), regex); match != std::sregex_iterator(); ++match)
    found.insert((*match)[1].str());
  return found;
}

/// The functions that a C++ text declares in lines with this indentation.
std::set<std::string> declared(const std::string& text, const std::string& indent) {
  static const std::regex call(R"(\b(\w+)\()");
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(indent) || line.size() <= indent.size() || line[indent.size()] == ' ') continue;
    const std::string code = line.substr(indent.size(), line.find("//") - indent.size());
    if (code.starts_with("requires") || code.starts_with("template") || code.starts_with("using")) continue;
    std::smatch match;
    if (std::regex_search(code, match, call)) names.insert(match[1].str());
  }
  return names;
}

/// The public part of a class.
std::string class_text(const std::string& header, const std::string& name) {
  const std::size_t begin = header.find(" " + name + " {\n");
  EXPECT_NE(begin, std::string::npos) << name;
  const std::size_t end = std::min(header.find("\n private:", begin), header.find("\n};", begin));
  return header.substr(begin, end - begin);
}

std::set<std::string> c_functions() {
  return matches(texts_of(root() / "include/shardfft/c", {".h"}), R"(\b(shardfft_\w+)\()");
}

struct Class {
  std::string header;
  std::string prefix;                          ///< of its C functions
  std::map<std::string, std::string> instead;  ///< methods with another name in C; empty: C needs none
};

TEST(Interfaces, EveryPublicMethodIsInC) {
  const std::map<std::string, Class> classes = {
      {"Plan", {"plan.hpp", "plan_", {{"adjoint", ""}}}},  // of a direction, which C has not: for gradients in Python
      {"Redistribution", {"redistribution.hpp", "redistribution_", {}}},
      {"HaloExchange", {"halo.hpp", "halo_", {}}},
      {"ParticleMesh", {"particles.hpp", "particle_mesh_", {}}},
      {"Migration", {"particles.hpp", "migration_", {}}},
      {"Poisson", {"poisson.hpp", "poisson_", {}}},
      {"Layout", {"layout.hpp", "layout_", {}}},
      {"Side", {"side.hpp", "side_", {{"size", "side_count"}}}},  // the count in another type
      {"Operator", {"operator.hpp", "operator_", {{"operator", "operator_multiply"}, {"rep", ""}}}},
      {"Buffer", {"buffer.hpp", "buffer_", {{"as", "buffer_data"}}}},
      {"PlanReport", {"report.hpp", "report_", {}}},
  };
  const std::set<std::string> in_c = c_functions();
  for (const auto& [name, about] : classes) {
    const std::string text = class_text(text_of(root() / "include/shardfft" / about.header), name);
    std::set<std::string> methods = declared(text, "  ");
    methods.erase(name);  // constructors: create, or functions that give the handle
    EXPECT_GE(methods.size(), 2u) << name;
    for (const std::string& method : methods) {
      const auto other = about.instead.find(method);
      if (other != about.instead.end() && other->second.empty()) continue;
      const std::string expected = "shardfft_" + (other == about.instead.end() ? about.prefix + method : other->second);
      EXPECT_TRUE(in_c.contains(expected)) << name << "::" << method << " should be " << expected << " in C";
    }
  }
}

TEST(Interfaces, EveryPublicFunctionIsInC) {
  const std::map<std::string, std::string> instead = {
      {"option_table", "option_names"},
      {"option_row", "option_sentence"},
      {"set_option", "options_set"},
      {"option_text", "options_get"},
      {"option_hint", ""},  // errors of options_set say it
      {"box", ""},          // C gives progressions
      {"to_text", ""},      // options are words in C
      {"opposite", ""},     // C has no directions
      {"export_wisdom", "wisdom_export"},
      {"import_wisdom", "wisdom_import"},
      {"forget_wisdom", "wisdom_forget"},
      {"keep_wisdom", "wisdom_keep"},
  };
  const std::set<std::string> in_c = c_functions();
  for (const char* header : {"plan.hpp", "redistribution.hpp", "layout.hpp", "options.hpp", "option_table.hpp",
                             "gpu.hpp", "types.hpp", "spectra.hpp", "wisdom.hpp"}) {
    for (const std::string& name : declared(text_of(root() / "include/shardfft" / header), "")) {
      const auto other = instead.find(name);
      if (other != instead.end() && other->second.empty()) continue;
      const std::string expected = "shardfft_" + (other == instead.end() ? name : other->second);
      EXPECT_TRUE(in_c.contains(expected)) << name << " should be " << expected << " in C";
    }
  }
}

TEST(Interfaces, FortranCallsAllOfC) {
  const fs::path folder = root() / "bindings/fortran";
  const std::string fortran = texts_of(folder, {".f90"}) + texts_of(folder / "made", {".inc"}, "_c.inc");
  const std::set<std::string> without = {
      "shardfft_layout_for_overlaps",  // for programs that schedule messages of their own
      "shardfft_layout_from_pieces",   // split axes, which arrays of Fortran do not have
  };
  const std::set<std::string> in_c = c_functions();
  for (const std::string& name : in_c) {
    if (in_c.contains(name + "_f") || without.contains(name)) continue;
    EXPECT_TRUE(std::regex_search(fortran, std::regex("\\b" + name + "\\b"))) << name;
  }
}

TEST(Interfaces, FortranHasTheNumbersOfC) {
  const std::string base = text_of(root() / "bindings/fortran/base.f90");
  const std::string header = text_of(root() / "include/shardfft/c/base.h");
  static const std::regex constant(R"(\bSHARDFFT_(\w+) = (\d+))");
  int seen = 0;
  for (auto match = std::sregex_iterator(header.begin(), header.end(), constant); match != std::sregex_iterator();
       ++match, ++seen) {
    std::string name = (*match)[1].str();
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    if (name == "f32") name = "single";
    if (name == "f64") name = "double";
    EXPECT_NE(base.find("shardfft_" + name + " = " + (*match)[2].str()), std::string::npos) << name;
  }
  EXPECT_GT(seen, 20);
}

/// Each option can be set in C, to the value that the table gives as an example.
TEST(Interfaces, EveryOptionIsInC) {
  shardfft_options options = nullptr;
  ASSERT_EQ(shardfft_options_create(&options), SHARDFFT_OK);
  for (const shardfft::OptionRow& row : shardfft::option_table()) {
    if (row.example.empty()) continue;
    char* text = nullptr;
    EXPECT_EQ(shardfft_options_set(options, row.name.c_str(), row.example.c_str()), SHARDFFT_OK) << row.name;
    ASSERT_EQ(shardfft_options_get(options, row.name.c_str(), &text), SHARDFFT_OK) << row.name;
    EXPECT_EQ(std::string(text), row.example) << row.name;
    shardfft_text_free(text);
  }
  EXPECT_EQ(shardfft_options_free(&options), SHARDFFT_OK);
}

/// Lists have an entry an axis, and Fortran counts dimensions the other way round.
TEST(Interfaces, FortranKnowsEveryListOfOptions) {
  const std::string fortran = text_of(root() / "bindings/fortran/options.f90");
  for (const shardfft::OptionRow& row : shardfft::option_table())
    if (row.type == shardfft::OptionType::integers || row.type == shardfft::OptionType::words) {
      EXPECT_NE(fortran.find("'" + row.name + "'"), std::string::npos)
          << row.name << " is a list: options.f90 must say whether its entries are turned round";
    }
}

/// What cannot happen to a user's program: that a later version gives numbers another meaning.
TEST(Interfaces, VersionIsThatOfTheBuild) { EXPECT_STREQ(shardfft_version(), SHARDFFT_BUILD_VERSION); }

/// One version, in everything that names it.
TEST(Interfaces, VersionIsTheSameEverywhere) {
  const std::map<std::string, std::string> places = {
      {"CITATION.cff", "version: "},
      {"bindings/python/pyproject.toml", "version = \""},
      {"bindings/python/shardfft/__init__.py", "__version__ = \""},
      {"bench/harness/pyproject.toml", "version = \""},
      {"bench/harness/shardfft_bench/__init__.py", "__version__ = \""},
      {"packaging/debian/changelog", "shardfft ("},
      {"packaging/spack/package.py", "version(\""},
      {"packaging/conda/recipe.yaml", "version: \""},
  };
  for (const auto& [file, before] : places)
    EXPECT_NE(text_of(root() / file).find(before + SHARDFFT_VERSION), std::string::npos) << file;
  const std::string soname = std::to_string(SHARDFFT_VERSION_MAJOR) + "." + std::to_string(SHARDFFT_VERSION_MINOR);
  EXPECT_NE(text_of(root() / "packaging/debian/control").find("Package: libshardfft" + soname + "\n"),
            std::string::npos);
}

}  // namespace
