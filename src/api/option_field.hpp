#pragma once
// How the values of each C++ type of an option are read, written and named.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/check.hpp"
#include "base/words.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft::detail {

using Names = std::vector<std::string>;

template <class Enum>
struct Words;
template <>
struct Words<Norm> {
  static Names all() { return {"backward", "ortho", "forward", "none"}; }
};
template <>
struct Words<Effort> {
  static Names all() { return {"estimate", "measure", "patient"}; }
};

template <>
struct Words<LoneMode> {
  static Names all() { return {"split", "keep", "zero"}; }
};
template <>
struct Words<AxisTransform> {
  static Names all() {
    Names all;
    for (int i = 0; i <= static_cast<int>(AxisTransform::dst4); ++i)
      all.emplace_back(to_text(static_cast<AxisTransform>(i)));
    return all;
  }
};
template <>
struct Words<Datatypes> {
  static Names all() { return {"derived", "basic"}; }
};
template <>
struct Words<Workspace> {
  static Names all() { return {"fast", "least"}; }
};
template <>
struct Words<Processor> {
  static Names all() { return {"cpu", "gpu"}; }
};
template <>
struct Words<MemoryModel> {
  static Names all() { return {"auto", "host", "registered", "managed", "device"}; }
};

template <class T>
const T& value_as(const OptionValue& value, const char* option, const char* expected) {
  const T* found = std::get_if<T>(&value);
  require(found != nullptr, "option ", option, " takes ", expected);
  return *found;
}

template <class Int>
Int narrowed(std::int64_t value, const char* option) {
  require(value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max(), "option ", option,
          " is ", value, "; it must fit ", 8 * sizeof(Int), " bits");
  return static_cast<Int>(value);
}

/// How the values of a C++ type are read and written.
template <class T>
struct Field;

template <>
struct Field<bool> {
  static constexpr OptionType type = OptionType::flag;
  static OptionValue get(bool value, const char*) { return value; }
  static bool set(const OptionValue& value, const char* option) { return value_as<bool>(value, option, "yes or no"); }
};

template <class Int>
struct IntegerField {
  static constexpr OptionType type = OptionType::integer;
  static OptionValue get(Int value, const char*) { return std::int64_t{value}; }
  static Int set(const OptionValue& value, const char* option) {
    return narrowed<Int>(value_as<std::int64_t>(value, option, "an integer"), option);
  }
};
template <>
struct Field<int> : IntegerField<int> {};
template <>
struct Field<std::int64_t> : IntegerField<std::int64_t> {};

template <>
struct Field<double> {
  static constexpr OptionType type = OptionType::number;
  static OptionValue get(double value, const char*) { return value; }
  static double set(const OptionValue& value, const char* option) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return value_as<double>(value, option, "a number");
  }
};

template <class Int>
requires std::is_integral_v<Int>
struct Field<std::vector<Int>> {
  using List = std::vector<std::int64_t>;
  static constexpr OptionType type = OptionType::integers;
  static OptionValue get(const std::vector<Int>& value, const char*) { return List(value.begin(), value.end()); }
  static std::vector<Int> set(const OptionValue& value, const char* option) {
    std::vector<Int> list;
    for (const std::int64_t v : value_as<List>(value, option, "a list of integers"))
      list.push_back(narrowed<Int>(v, option));
    return list;
  }
};

template <>
struct Field<std::string> {
  static constexpr OptionType type = OptionType::name;
  static OptionValue get(const std::string& value, const char*) { return value; }
  static std::string set(const OptionValue& value, const char* option) {
    return value_as<std::string>(value, option, "text");
  }
};

template <>
struct Field<void*> {
  static constexpr OptionType type = OptionType::address;
  static OptionValue get(void* value, const char*) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value));
  }
  static void* set(const OptionValue& value, const char* option) {
    return reinterpret_cast<void*>(
        static_cast<std::uintptr_t>(value_as<std::int64_t>(value, option, "the number of a handle")));
  }
};

inline std::string joined(const Names& names) {
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  return list;
}

/// Enums: their words in order.
template <class Enum>
struct Field {
  static constexpr OptionType type = OptionType::choice;
  static Names words() { return Words<Enum>::all(); }
  static OptionValue get(Enum value, const char* option) { return word(value, option); }
  static std::string word(Enum value, const char* option) {
    const Names words = Words<Enum>::all();
    const auto number = static_cast<std::int64_t>(value);
    require(number >= 0 && number < static_cast<std::int64_t>(words.size()), "option ", option, " has the value ",
            number, ", which stands for none of: ", joined(words));
    return words[static_cast<std::size_t>(number)];
  }
  static Enum set(const OptionValue& value, const char* option) {
    return of_word(value_as<std::string>(value, option, "a word"), option);
  }
  static Enum of_word(const std::string& word, const char* option) {
    const Names words = Words<Enum>::all();
    const auto found = std::find(words.begin(), words.end(), word);
    require(found != words.end(), "unknown ", option, " '", word, "'; known: ", joined(words));
    return static_cast<Enum>(found - words.begin());
  }
};

/// Lists of them.
template <class Enum>
requires std::is_enum_v<Enum>
struct Field<std::vector<Enum>> {
  static constexpr OptionType type = OptionType::words;
  static Names words() { return Words<Enum>::all(); }
  static OptionValue get(const std::vector<Enum>& value, const char* option) {
    Names list;
    for (const Enum v : value) list.push_back(Field<Enum>::word(v, option));
    return list;
  }
  static std::vector<Enum> set(const OptionValue& value, const char* option) {
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
    if (numbers != nullptr && numbers->empty()) return {};  // an empty list has no type of its own in Python
    std::vector<Enum> list;
    for (const std::string& word : value_as<Names>(value, option, "a list of words"))
      list.push_back(Field<Enum>::of_word(word, option));
    return list;
  }
};

}  // namespace shardfft::detail
