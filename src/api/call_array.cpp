#include "api/call_array.hpp"

#include <functional>

#include "base/check.hpp"

namespace shardfft {

namespace {

std::string type_name(const ElementType& element) {
  const std::string real = element.precision == Precision::f64 ? "double" : "float";
  return element.is_complex ? "std::complex<" + real + ">" : real;
}

void check_array(const CallArray& array, bool any_address, const char* name) {
  const auto& [data, facts, needed] = array;
  require(!facts.count || *facts.count >= needed.count, "the ", name, " has ", facts.count.value_or(0), " elements; ",
          needed.count, " are expected");
  require(data != nullptr || needed.count == 0, "the ", name, " is a null pointer; ", needed.bytes(),
          " bytes are expected");
  if (!needed.type || any_address) return;
  const std::size_t real = needed.type->bytes() / (needed.type->is_complex ? 2 : 1);
  require(reinterpret_cast<std::uintptr_t>(data) % real == 0, "the ", name,
          " begins at an address that is no multiple of ", real, ", the bytes of one of its real numbers");
}

bool fits(const detail::ArrayFacts& facts, const NeededArray& needed) {
  if (!facts.element) return true;
  return needed.type ? *facts.element == *needed.type : facts.element->bytes() == needed.element_bytes;
}

[[noreturn]] void refuse_type(const ElementType& given, const NeededArray& needed, const char* name, const char* hint) {
  if (needed.type)
    fail(Status::invalid_argument, "the ", name, " is an array of ", type_name(given), "; ", type_name(*needed.type),
         " is expected", hint);
  fail(Status::invalid_argument, "the ", name, " has elements of ", given.bytes(), " bytes; ", needed.element_bytes,
       " are expected");
}

/// Both are one array, or do not overlap.
void check_overlap(const void* in, std::size_t read, const void* out, std::size_t written) {
  require(in == out || are_apart(in, read, out, written), "the input (", read, " bytes) and the output (", written,
          " bytes) overlap in part; they must begin at the same address or lie apart");
}

}  // namespace

bool are_apart(const void* one, std::size_t bytes, const void* another, std::size_t its_bytes) {
  const auto* const from = static_cast<const std::byte*>(one);
  const auto* const to = static_cast<const std::byte*>(another);
  const std::less<> before;
  return bytes == 0 || its_bytes == 0 || !before(from, to + its_bytes) || !before(to, from + bytes);
}

void check_arrays(const CallArray& in, const CallArray& out, bool any_address, std::span<const std::byte> workspace) {
  const bool good = fits(in.facts, in.needed) && fits(out.facts, out.needed);
  const bool turned = !good && fits(in.facts, out.needed) && fits(out.facts, in.needed);
  const char* const hint = turned ? "; were input and output swapped?" : "";
  for (const auto& [array, name] : {std::pair(in, "input"), std::pair(out, "output")})
    if (!fits(array.facts, array.needed))
      refuse_type(array.facts.element.value_or(ElementType{}), array.needed, name, hint);
  check_array(in, any_address, "input");
  check_array(out, any_address, "output");
  check_overlap(in.data, in.needed.bytes(), out.data, out.needed.bytes());
  for (const auto& [array, name] : {std::pair(in, "input"), std::pair(out, "output")})
    require(are_apart(array.data, array.needed.bytes(), workspace.data(), workspace.size()), "the ", name,
            " overlaps the workspace that set_workspace() was given");
}

}  // namespace shardfft
