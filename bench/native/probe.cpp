#include "probe.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>

#include "build_facts.hpp"
#include "facts.hpp"

namespace shardfft::bench {
namespace {

Json description(const Probe& probe) {
  const Json capabilities{{"kinds", Json::array()}, {"layouts", Json::array()}};
  return {{"library", probe.library},   {"version", probe.version},
          {"language", probe.language}, {"licence", probe.licence},
          {"backend", "none"},          {"gpu", false},
          {"distributed", true},        {"capabilities", capabilities},
          {"options", probe.options},   {"build", build_facts()}};
}

Json record_of(const Probe& probe, const Case& wanted) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string started = now();
  const Json machine = machine_facts(MPI_COMM_WORLD);
  Json record{{"schema", 1},
              {"library", probe.library},
              {"version", probe.version},
              {"case", to_json(wanted)},
              {"ranks", ranks},
              {"started", started},
              {"machine", machine},
              {"environment", environment_facts()},
              {"build", build_facts()}};
  record.update(probe.measure(wanted, MPI_COMM_WORLD));
  return record;
}

}  // namespace

double larger_error(double worst, double error) {
  constexpr double no_number = 1e99;
  return error < no_number ? std::max(worst, error) : no_number;
}

int probe_main(int argc, char** argv, const Probe& probe) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--describe") {
    std::cout << description(probe).dump() << std::endl;
    return 0;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, probe.threads, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const Json record = record_of(probe, parse_case(first));
    if (rank == 0 && argc > 2) std::ofstream(argv[2], std::ios::app) << record.dump() << std::endl;
    if (rank == 0 && argc <= 2) std::cout << record.dump() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "bench-error: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace shardfft::bench
