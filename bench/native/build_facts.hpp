// How this driver was built, for the record.
#pragma once

#include "case.hpp"

namespace shardfft::bench {

// {"revision": what `git describe` said of the driver's sources, "compiler": name and version, "flags": as configured}
Json build_facts();

}  // namespace shardfft::bench
