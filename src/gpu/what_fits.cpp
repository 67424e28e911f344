#include "gpu/what_fits.hpp"

#include "base/text.hpp"

namespace shardfft::gpu {

std::string what_would_fit(const Wanted& wanted) {
  // A run in place must leave a sixteenth of the memory to pages, tables and the runtime itself.
  constexpr std::size_t beside = 16;
  const auto there = static_cast<double>(wanted.there);
  const auto fields =
      static_cast<std::int64_t>(static_cast<double>(wanted.batch) * there / static_cast<double>(wanted.needed));
  const bool in_place = wanted.one_array > 0 && wanted.one_array <= wanted.there - wanted.there / beside;
  Text text;
  if (in_place)
    text << "; in place with workspace = least it needs " << wanted.one_array << " bytes and a little beside them";
  if (fields > 0 && fields < wanted.batch)
    text << "; a batch of " << fields << " of the " << wanted.batch << " fields at a time may fit";
  if (text.str().empty()) text << "; it needs more GPUs, or larger ones";
  return text.str();
}

}  // namespace shardfft::gpu
