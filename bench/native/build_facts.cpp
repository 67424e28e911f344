#include "build_facts.hpp"

#include "bench_revision.hpp"

namespace shardfft::bench {

Json build_facts() { return {{"revision", BENCH_REVISION}, {"compiler", BENCH_COMPILER}, {"flags", BENCH_FLAGS}}; }

}  // namespace shardfft::bench
