#pragma once
// Writes JSON.
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace shardfft {

struct JsonMember;

/// The text of one value, without blanks. It is valid JSON for all input: a number that is not finite becomes null, and
/// each sequence of bytes that is no UTF-8 becomes U+FFFD. Every double is read back exactly.
class Json {
 public:
  Json() : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  template <std::integral Integer>
  Json(Integer value) : text_(std::to_string(value)) {}
  Json(double value);
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  template <class Value>
  Json(const std::optional<Value>& value) : Json(value ? Json(*value) : Json()) {}

  static Json object(std::initializer_list<JsonMember> members = {});
  /// make(element) is a Json.
  template <class Range, class Make>
  static Json array(const Range& range, const Make& make) {
    Json all;
    all.text_ = "[]";
    for (const auto& element : range) all.append(make(element).text());
    return all;
  }
  /// Adds a member to an object.
  void add(const JsonMember& member);

  const std::string& text() const { return text_; }

 private:
  void append(const std::string& text);

  std::string text_;
};

struct JsonMember {
  std::string_view name;
  Json value;
};

}  // namespace shardfft
