// Options under the names of other libraries.
#include <map>

#include "shardfft/option_table.hpp"

namespace shardfft {

std::string option_hint(const std::string& name) {
  const char* const padding =
      "pads and crops in NumPy, as shardfft.fft.fftn of a DistArray does; a plan does so in the spectrum by option "
      "modes";
  const char* const dealiasing = "is called modes here: how many modes of each axis the spectrum keeps";
  const std::map<std::string, std::string> hints{
      {"padding", dealiasing},
      {"dealias", dealiasing},
      {"workers", "is called threads here"},
      {"s", padding},
      {"n", padding},
      {"axis", "is called axes here"},
      {"overwrite_x", "is called overwrite_input; an array may also be input and output of a call"},
      {"planner_effort", "is called effort here"},
      {"flags", "are called effort here"},
  };
  const auto found = hints.find(name);
  return found == hints.end() ? "" : "'" + name + "' " + found->second;
}

}  // namespace shardfft
