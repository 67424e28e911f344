#include "api/call_array.hpp"

#include <functional>

#include "base/check.hpp"

namespace shardfft {

namespace {

std::string type_name(const ElementType& element) {
  const std::string real = element.precision == Precision::f64 ? "double" : "float";
  return element.is_complex ? "std::complex<" + real + ">" : real;
}

/// Checks an array and returns its bytes, because counting them takes a while.
std::size_t check_array(const CallArray& array, const char* name) {
  const auto& [data, facts, side] = array;
  const std::int64_t count = side.count();
  const std::size_t bytes = static_cast<std::size_t>(count) * side.element.bytes();
  require(!facts.count || *facts.count >= count, "the ", name, " has ", facts.count.value_or(0), " elements; ", count,
          " are expected");
  require(data != nullptr || count == 0, "the ", name, " is a null pointer; ", bytes, " bytes are expected");
  return bytes;
}

bool fits(const detail::ArrayFacts& facts, const Side& side) {
  return !facts.element || *facts.element == side.element;
}

}  // namespace

void check_overlap(const void* in, std::size_t read, const void* out, std::size_t written) {
  const auto* const from = static_cast<const std::byte*>(in);
  const auto* const to = static_cast<const std::byte*>(out);
  const std::less<> before;
  const bool apart = read == 0 || written == 0 || !before(from, to + written) || !before(to, from + read);
  require(apart || from == to, "the input (", read, " bytes) and the output (", written,
          " bytes) overlap in part; they must begin at the same address or lie apart");
}

void check_arrays(const CallArray& in, const CallArray& out) {
  const bool good = fits(in.facts, in.side) && fits(out.facts, out.side);
  const bool turned = !good && fits(in.facts, out.side) && fits(out.facts, in.side);
  const char* const hint = turned ? "; were input and output swapped?" : "";
  for (const auto& [array, name] : {std::pair(in, "input"), std::pair(out, "output")})
    if (!fits(array.facts, array.side))
      fail(Status::invalid_argument, "the ", name, " is an array of ",
           type_name(array.facts.element.value_or(ElementType{})), "; ", type_name(array.side.element), " is expected",
           hint);
  const std::size_t read = check_array(in, "input");
  const std::size_t written = check_array(out, "output");
  check_overlap(in.data, read, out.data, written);
}

}  // namespace shardfft
