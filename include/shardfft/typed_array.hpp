#pragma once
// Facts of a call's arrays by the types of its arguments.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "shardfft/types.hpp"

namespace shardfft::detail {

/// An array of a call, as far as the types of the arguments say; of a `void*` neither is known.
struct ArrayFacts {
  std::optional<ElementType> element{};
  std::optional<std::int64_t> count{};
};

/// Types that a pointer may point to: elements, or memory without a type.
template <class T>
concept Pointee = Element<T> || std::same_as<T, void> || std::same_as<T, std::byte>;

template <class Range>
using SpanOf = decltype(std::span(std::declval<Range&>()));

/// std::vector, std::span, std::array and their like, of elements.
template <class Range>
concept ElementRange = !std::is_array_v<std::remove_reference_t<Range>> && requires {
  typename SpanOf<Range>::value_type;
}
&&Element<typename SpanOf<Range>::value_type>;

/// The same, to write to.
template <class Range>
concept WritableElementRange = ElementRange<Range> && !std::is_const_v<typename SpanOf<Range>::element_type>;

template <Pointee T>
constexpr ArrayFacts facts_of_pointer() {
  if constexpr (Element<T>)
    return {element_type<T>, {}};
  else
    return {};
}

template <class T>
constexpr ArrayFacts facts_of_span(std::span<T> span) {
  return {element_type<std::remove_const_t<T>>, static_cast<std::int64_t>(span.size())};
}

}  // namespace shardfft::detail
