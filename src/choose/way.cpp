#include "choose/way.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/check.hpp"
#include "shardfft/version.h"

namespace shardfft {

namespace {

const std::string head = "shardfft ", separator = "; ";
const std::array<std::string, 3> rooms{"fast", "few", "one_array"};
const std::string of_library = "library ", of_passes = "passes ", of_exchange = "exchange ";

using Entries = std::map<std::string, std::string>;

std::string joined(const Shape& shape) {
  std::string text;
  for (const std::int64_t n : shape) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + between.size()) {
    end = text.find(between, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

template <class Int>
Int number(const std::string& key, const std::string& text) {
  Int value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  require(error == std::errc() && stopped == end && value >= 0, "option way says ", key, "=", text,
          "; a number of at least 0 is needed");
  return value;
}

/// In the order of printing.
std::vector<std::pair<std::string, std::string>> entries(const Way& way) {
  std::vector<std::pair<std::string, std::string>> all{
      {"algorithm", way.algorithm},
      {"exchange", way.exchange},
      {"chunks", std::to_string(way.chunks)},
      {"grid", joined(way.grid)},
      {"active", std::to_string(way.active)},
      {"room", rooms[static_cast<std::size_t>(way.room)]},
      {"past_cache", std::to_string(way.past_cache)},
  };
  for (const auto& [change, name] : way.exchanges) all.emplace_back(of_exchange + change, name);
  for (const auto& [step, name] : way.libraries) all.emplace_back(of_library + step, name);
  for (const auto& [step, names] : way.passes) all.emplace_back(of_passes + step, names);
  return all;
}

}  // namespace

void Way::add_passes(const std::string& transform, const std::string& plans) {
  const std::string between = " | ";
  std::string& all = passes[transform];
  for (const std::string& plan : split(plans, between))
    if ((between + all + between).find(between + plan + between) == std::string::npos)
      all.append(all.empty() ? "" : between).append(plan);
}

std::string Way::algorithm_name() const {
  std::string name = algorithm;
  for (const std::int64_t n : grid) name += (&n == grid.data() ? " " : "x") + std::to_string(n);
  return active == 0 ? name : name + " on " + std::to_string(active) + (active == 1 ? " rank" : " ranks");
}

std::string Way::text() const {
  std::string text = head + SHARDFFT_VERSION;
  for (const auto& [key, value] : entries(*this)) text.append(separator).append(key).append("=").append(value);
  return text;
}

Way Way::parse(const std::string& text) {
  const std::vector<std::string> parts = split(text, separator);
  require(parts.front().starts_with(head), "option way takes the line of a plan's report that begins with ", head,
          SHARDFFT_VERSION, ", not '", text, "'");
  require(parts.front() == head + SHARDFFT_VERSION, "option way is of ", parts.front(), ", but this library is ", head,
          SHARDFFT_VERSION, ": another version may choose among other ways, so make the plan again without it");
  Way way;
  Entries known;
  for (const auto& [key, value] : entries(way)) known.emplace(key, "");
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const std::size_t equals = part->find('=');
    const std::string key = part->substr(0, equals);
    require(equals != std::string::npos, "option way says '", *part, "'; name=value is needed");
    const std::string value = part->substr(equals + 1);
    bool is_new = known.erase(key) > 0;
    if (key == "algorithm") way.algorithm = value;
    if (key == "exchange") way.exchange = value;
    if (key == "chunks") way.chunks = number<int>(key, value);
    for (const std::string& n : split(value, ","))
      if (key == "grid" && !value.empty()) way.grid.push_back(number<std::int64_t>(key, n));
    if (key == "active") way.active = number<int>(key, value);
    if (key == "past_cache") way.past_cache = number<std::size_t>(key, value);
    if (key == "room") {
      const auto found = std::find(rooms.begin(), rooms.end(), value);
      require(found != rooms.end(), "option way says room=", value, ", which is none of fast, few, one_array");
      way.room = static_cast<Spare>(found - rooms.begin());
    }
    if (key.starts_with(of_exchange)) is_new = way.exchanges.emplace(key.substr(of_exchange.size()), value).second;
    if (key.starts_with(of_library)) is_new = way.libraries.emplace(key.substr(of_library.size()), value).second;
    if (key.starts_with(of_passes)) is_new = way.passes.emplace(key.substr(of_passes.size()), value).second;
    require(is_new, "option way says '", key, "', which is unknown or stands there twice");
  }
  require(known.empty(), "option way does not say ", known.begin()->first, ": the whole line of a report is needed");
  return way;
}

std::string differences(const Way& wanted, const Way& made) {
  const auto as_map = [](const Way& way) {
    Entries all;
    for (const auto& [key, value] : entries(way)) all.emplace(key, value);
    return all;
  };
  const Entries mine = as_map(wanted), its = as_map(made);
  std::string text;
  const auto add = [&](const std::string& key, const std::string& is, const std::string& was) {
    text.append(text.empty() ? "" : ", ").append(key + " is " + is + ", not " + was);
  };
  for (const auto& [key, value] : its) {
    const auto found = mine.find(key);
    const std::string was = found == mine.end() ? "absent" : "'" + found->second + "'";
    if (found == mine.end() || found->second != value) add(key, "'" + value + "'", was);
  }
  for (const auto& [key, value] : mine)
    if (!its.contains(key)) add(key, "absent", "'" + value + "'");
  return text;
}

}  // namespace shardfft
