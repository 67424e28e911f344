#include "base/json_value.hpp"

#include <algorithm>
#include <charconv>

#include "base/check.hpp"

namespace shardfft {

namespace {

/// Files nest less; a hostile file must not exhaust the stack.
constexpr int most_depth = 64;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonValue whole() {
    JsonValue value = read(0);
    skip_blanks();
    if (at_ < text_.size()) wrong("something behind the end of the value");
    return value;
  }

 private:
  using Kind = JsonValue::Kind;

  [[noreturn]] void wrong(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    fail(Status::invalid_argument, "line ", line, " has ", what);
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view word) {
    const bool found = text_.substr(at_).starts_with(word);
    if (found) at_ += word.size();
    return found;
  }
  void need(char c) {
    if (next() != c) wrong(std::string("no '") + c + "' at its place");
    ++at_;
  }

  JsonValue read(int depth) {
    if (depth > most_depth) wrong("values nested too deep");
    switch (next()) {
      case '{':
        return list(Kind::object, '}', depth);
      case '[':
        return list(Kind::array, ']', depth);
      case '"':
        return {Kind::string, false, 0, string()};
      default:
        return word();
    }
  }

  JsonValue list(Kind kind, char end, int depth) {
    JsonValue value{kind};
    ++at_;
    if (next() == end) return ++at_, value;
    while (true) {
      if (kind == Kind::object) {
        if (next() != '"') wrong("no name at its place");
        value.names.push_back(string());
        need(':');
      }
      value.items.push_back(read(depth + 1));
      if (next() == end) return ++at_, value;
      need(',');
    }
  }

  JsonValue word() {
    if (take("null")) return {};
    if (take("true")) return {Kind::boolean, true};
    if (take("false")) return {Kind::boolean, false};
    JsonValue value{Kind::number};
    const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
    const auto [stopped, error] = std::from_chars(begin, end, value.number);
    const bool is_digit = begin < end && (*begin == '-' || (*begin >= '0' && *begin <= '9'));  // no inf, no nan
    if (error != std::errc() || !is_digit) wrong("no value at its place");
    at_ += static_cast<std::size_t>(stopped - begin);
    return value;
  }

  std::string string() {
    static constexpr std::string_view names = "\"\\/bfnrt", characters = "\"\\/\b\f\n\r\t";
    std::string all;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) wrong("a string with no end");
      if (c != '\\') {
        all += c;
        continue;
      }
      ++at_;
      const std::size_t name = at_ < text_.size() ? names.find(text_[at_]) : std::string_view::npos;
      if (name != std::string_view::npos)
        all += characters[name];
      else
        add_code(all);
    }
    if (at_ >= text_.size()) wrong("a string with no end");
    ++at_;
    return all;
  }

  /// Adds the character of \uXXXX, whose 'u' is read next. Halves of characters become U+FFFD.
  void add_code(std::string& to) {
    unsigned code = 0x80;
    const std::string_view digits = at_ < text_.size() && text_[at_] == 'u' ? text_.substr(at_ + 1, 4) : "";
    const auto stopped = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr;
    if (digits.size() != 4 || stopped != digits.data() + 4) wrong("a '\\' before a character that needs none");
    at_ += 4;
    if ((code & 0xf800) == 0xd800) code = 0xfffd;
    if (code < 0x80)
      to += static_cast<char>(code);
    else if (code < 0x800)
      (to += static_cast<char>(0xc0 | code >> 6)) += static_cast<char>(0x80 | (code & 0x3f));
    else
      ((to += static_cast<char>(0xe0 | code >> 12)) += static_cast<char>(0x80 | (code >> 6 & 0x3f))) +=
          static_cast<char>(0x80 | (code & 0x3f));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

JsonValue JsonValue::parse(std::string_view text) { return Reader(text).whole(); }

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

std::string JsonValue::text(std::string_view name) const {
  const JsonValue* const member = find(name);
  return member != nullptr && member->kind == Kind::string ? member->string : std::string();
}

}  // namespace shardfft
