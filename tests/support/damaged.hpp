#pragma once
// Texts from outside, damaged at random, and the loop that has them read.
#include <algorithm>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "support/elements.hpp"
#include "support/random_problems.hpp"

namespace shardfft::test {

/// Some of its bytes taken away, doubled, or changed to what such texts are made of.
inline std::string damaged(Random& random, std::string text) {
  static const std::string bytes = std::string("=;,| -+.0189eE\"'xX\n\t\xff\xc3\\{}[]:", 29) + '\0';
  for (std::int64_t turn = random.integer(0, 4); turn > 0; --turn) {
    const std::size_t at = to_size(random.integer(0, static_cast<std::int64_t>(text.size())));
    const std::size_t length = std::min(to_size(random.integer(0, 9)), text.size() - at);
    std::string piece = random.coin() ? text.substr(at, length) + text.substr(at, length) : std::string();
    if (random.coin())
      for (std::int64_t i = random.integer(1, random.integer(0, 9) == 0 ? 30 : 2); i > 0; --i)
        piece += bytes[to_size(random.integer(0, static_cast<std::int64_t>(bytes.size()) - 1))];
    text.replace(at, length, piece);
  }
  return text;
}

/// The line of a plan's way, damaged behind the version: between two entries, or in a name or a value.
inline std::string damaged_way(Random& random, const std::string& way) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 2)
    parts.push_back(way.substr(begin, (end = way.find("; ", begin)) - begin));
  const auto any = [&] { return to_size(random.integer(1, static_cast<std::int64_t>(parts.size()) - 1)); };
  const auto value = [](const std::string& part) { return part.substr(part.find('=') + 1); };
  const std::size_t which = any();
  const std::string name = parts[which].substr(0, parts[which].find('=') + 1);
  switch (random.integer(0, 5)) {
    case 0:
      parts[which] = damaged(random, parts[which]);
      break;
    case 1:
      parts[which] = name + value(parts[any()]);
      break;
    case 2:
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(which));
      break;
    case 3:
      parts.push_back(parts[which]);
      break;
    default:
      parts[which] = name + damaged(random, value(parts[which]));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// Reads texts by read(random): each is taken, or refused with an error of the caller that says why.
template <class Read>
void check_readers(const Read& read) {
  const RandomCounts counts = random_problems("fuzz --texts", [&](std::int64_t i) {
    Random random(static_cast<std::uint64_t>(i) * 7919);
    try {
      read(random);
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == Status::invalid_argument || e.code() == Status::unsupported) << e.what();
      EXPECT_GT(std::string(e.what()).size(), 10U);
      return true;
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    return false;
  });
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GT(counts.checked + counts.refused, 0);
}

}  // namespace shardfft::test
