// The option table for plans on GPUs.
#include "support/option_walk.hpp"

namespace shardfft::test {
namespace {

TEST(OptionTable, EveryOptionOnGpus) { walk_options(Place::gpu); }

TEST(OptionTable, EveryOptionOverDevicesOfOneProcess) { walk_options(Place::devices); }

}  // namespace
}  // namespace shardfft::test
