#include "base/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace shardfft {

namespace {

struct Character {
  std::size_t bytes;
  bool valid;
};

/// The first character of a text; if it is not valid, the bytes that could have begun a valid one.
Character first_character(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const int first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xc2 || first > 0xf4) return {1, false};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // The second byte excludes longer forms than needed, surrogates, and numbers above U+10FFFF.
  int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  std::size_t bytes = 1;
  for (; bytes < length && byte(bytes) >= least && byte(bytes) <= most; ++bytes) {
    least = 0x80;
    most = 0xbf;
  }
  return {bytes, bytes == length};
}

void append_escaped(std::string& to, char c) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t", names = "\"\\bfnrt", digits = "0123456789abcdef";
  if (const std::size_t found = special.find(c); found != std::string_view::npos)
    (to += '\\') += names[found];
  else if (const auto code = static_cast<unsigned char>(c); code < 0x20)
    ((to += "\\u00") += digits[code / 16]) += digits[code % 16];
  else
    to += c;
}

}  // namespace

Json::Json(double value) : Json() {
  if (!std::isfinite(value)) return;
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text_.assign(digits.data(), end);
  // Readers such as Python's make an integer of 3.
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";
}

Json::Json(std::string_view value) : text_("\"") {
  while (!value.empty()) {
    const Character next = first_character(value);
    if (!next.valid)
      text_ += "\xef\xbf\xbd";
    else if (next.bytes == 1)
      append_escaped(text_, value.front());
    else
      text_ += value.substr(0, next.bytes);
    value.remove_prefix(next.bytes);
  }
  text_ += '"';
}

Json Json::object(std::initializer_list<JsonMember> members) {
  Json all;
  all.text_ = "{}";
  for (const JsonMember& member : members) all.add(member);
  return all;
}

void Json::add(const JsonMember& member) { append(Json(member.name).text() + ':' + member.value.text()); }

void Json::append(const std::string& text) {
  const char end = text_.back();
  text_.back() = ',';
  if (text_.size() == 2) text_.pop_back();
  (text_ += text) += end;
}

}  // namespace shardfft
