// JSON that is written, read back by another library.
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "base/json.hpp"

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

}  // namespace
}  // namespace shardfft::test
