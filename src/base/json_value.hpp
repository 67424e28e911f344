#pragma once
// Reads JSON, for the few small files that this library keeps.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardfft {

/// A value of a JSON text. Names of an object's members are in the order of the text.
struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool is_true = false;
  double number = 0;
  std::string string{};
  std::vector<JsonValue> items{};    ///< of an array; of an object the values of its members
  std::vector<std::string> names{};  ///< of an object's members

  /// Throws Error(invalid_argument), which names the line, for a text that is not one value of JSON in UTF-8.
  static JsonValue parse(std::string_view text);
  /// A member of an object; null if there is none, or this is no object.
  const JsonValue* find(std::string_view name) const;
  /// The text of a member that is a string; empty if there is none.
  std::string text(std::string_view name) const;
};

}  // namespace shardfft
