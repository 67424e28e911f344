// JSON that is written, read back by another library.
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "shardfft/error.hpp"

namespace shardfft::test {
namespace {

using Other = nlohmann::json;

TEST(Json, WritesWhatOthersWrite) {
  const std::vector<int> none, some{1, -2};
  const auto number = [](int value) { return Json(value); };
  Json ours = Json::object({{"null", Json()},
                            {"no", std::optional<double>()},
                            {"yes", true},
                            {"integer", std::numeric_limits<std::int64_t>::min()},
                            {"size", std::numeric_limits<std::size_t>::max()},
                            {"none", Json::array(none, number)},
                            {"some", Json::array(some, number)},
                            {"object", Json::object()}});
  ours.add({"a \"name\"", "text"});
  const Other theirs = {{"null", nullptr},
                        {"no", nullptr},
                        {"yes", true},
                        {"integer", std::numeric_limits<std::int64_t>::min()},
                        {"size", std::numeric_limits<std::size_t>::max()},
                        {"none", Other::array()},
                        {"some", {1, -2}},
                        {"object", Other::object()},
                        {"a \"name\"", "text"}};
  EXPECT_EQ(Other::parse(ours.text()), theirs) << ours.text();
  EXPECT_EQ(Json::array(some, number).text(), "[1,-2]");
  EXPECT_EQ(Json::object({{"a", 1}, {"b", Json::object()}}).text(), R"({"a":1,"b":{}})");
}

/// Each double comes back with all its bits, as a number with a fraction, in any locale.
TEST(Json, KeepsDoubles) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "de_DE.utf8", "C"})
    if (std::setlocale(LC_NUMERIC, locale) != nullptr) break;
  std::mt19937_64 random(1);
  std::vector<double> values{0.0, -0.0, 3, 1e300, -1e-300, 0.1, std::numeric_limits<double>::denorm_min()};
  while (values.size() < 2000)
    if (const auto value = std::bit_cast<double>(random()); std::isfinite(value)) values.push_back(value);
  for (const double value : values) {
    const Other read = Other::parse(Json(value).text());
    ASSERT_TRUE(read.is_number_float()) << Json(value).text();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read.get<double>()), std::bit_cast<std::uint64_t>(value)) << value;
  }
  std::setlocale(LC_NUMERIC, before.c_str());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {infinity, -infinity, std::nan("")}) EXPECT_EQ(Json(value).text(), "null");
}

/// Texts of any bytes: control characters, sequences that break off, surrogates, longer forms than needed.
TEST(Json, WritesAnyBytes) {
  std::mt19937 random(1);
  const std::string bytes(
      "\0\1\b\f\n\r\t\x1f\" \\/A\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xed\xee\xf0\xf3\xf4\xf5\xff", 33);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t length = random() % 9; length > 0; --length) text += bytes[random() % bytes.size()];
    ASSERT_EQ(Json(text).text(), Other(text).dump(-1, ' ', false, Other::error_handler_t::replace));
  }
  const std::string good = "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf";
  EXPECT_EQ(Json(good).text(), '"' + good + '"');
}

/// As the other library reads it.
void expect_same(const JsonValue& mine, const Other& theirs) {
  using Kind = JsonValue::Kind;
  ASSERT_EQ(mine.kind == Kind::null, theirs.is_null());
  ASSERT_EQ(mine.kind == Kind::array || mine.kind == Kind::object, theirs.is_structured());
  if (mine.kind == Kind::boolean) {
    EXPECT_EQ(mine.is_true, theirs.get<bool>());
  }
  if (mine.kind == Kind::number) {
    EXPECT_EQ(mine.number, theirs.get<double>());
  }
  if (mine.kind == Kind::string) {
    EXPECT_EQ(mine.string, theirs.get<std::string>());
  }
  ASSERT_EQ(mine.items.size(), theirs.is_structured() ? theirs.size() : 0);
  for (std::size_t i = 0; i < mine.items.size(); ++i)
    expect_same(mine.items[i], mine.names.empty() ? theirs[i] : theirs.at(mine.names[i]));
}

TEST(Json, ReadsWhatOthersRead) {
  const std::string good =
      R"( {"a": [1, -2.5e3, 0, true, false, null, "", {}, []], "b" : {"c":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac"},
    "\u000a": 1e-30 } )";
  expect_same(JsonValue::parse(good), Other::parse(good));
  EXPECT_EQ(JsonValue::parse(good).find("b")->text("c").front(), '"');
  EXPECT_EQ(JsonValue::parse(good).find("none"), nullptr);
  EXPECT_EQ(JsonValue::parse(good).text("a"), "") << "it is no string";
  // Whatever is cut off or put in: what one refuses the other one refuses, and none reads beyond the end.
  std::mt19937 random(1);
  const std::string signs = "{}[]\",:\\u0-.e tn1\n";
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good.substr(0, random() % 3 == 0 ? random() % good.size() : good.size());
    if (!text.empty() && random() % 2 == 0) text[random() % text.size()] = signs[random() % signs.size()];
    const Other theirs = Other::parse(text, nullptr, false);
    try {
      const JsonValue mine = JsonValue::parse(text);
      if (theirs.is_discarded()) continue;  // a name that comes twice, "-0", "1." or "01": read as from_chars does
      expect_same(mine, theirs);
      ++read;
    } catch (const Error& e) {
      EXPECT_TRUE(theirs.is_discarded()) << text << ": " << e.what();
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_THROW(JsonValue::parse(std::string(100000, '[')), Error) << "the stack has an end";
}

}  // namespace
}  // namespace shardfft::test
