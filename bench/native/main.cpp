// bench-<library> --describe
// bench-<library> CASE [RECORD]: runs the JSON case under mpirun and writes one JSON line to the file RECORD or,
// without it, to standard output. Exit code: 0 done or unsupported, 2 bad usage, 3 the library failed, 4 wrong numbers.
#include <mpi.h>

#include <fstream>
#include <iostream>

#include "runner.hpp"

namespace {

using namespace shardfft::bench;

enum ExitCode { done = 0, usage = 2, failed = 3, wrong_numbers = 4 };

std::string joined(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text.append(i ? " " : "").append(argv[i]);
  return text;
}

// False when the record could not be written.
bool write(const Json& record, const char* path) {
  if (!path) {
    std::cout << record.dump() << std::endl;
    return bool(std::cout);
  }
  std::ofstream file(path, std::ios::app);
  file << record.dump() << std::endl;
  return bool(file);
}

int run(int argc, char** argv, const Case& wanted, Adapter& adapter) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Json record = run_case(wanted, adapter, MPI_COMM_WORLD);
  if (rank != 0) return done;
  record["command"] = joined(argc, argv);
  if (!write(record, argc > 2 ? argv[2] : nullptr)) {
    std::cerr << "bench-error: cannot write " << argv[2] << std::endl;
    return usage;
  }
  return record["status"] == "wrong" ? wrong_numbers : done;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  auto adapter = make_adapter();
  if (argc == 2 && first == "--describe") {
    std::cout << to_json(adapter->describe()).dump() << std::endl;
    return done;
  }
  if (argc < 2 || argc > 3 || first[0] != '{') {
    std::cerr << "usage: " << argv[0] << " --describe | CASE [RECORD]\n";
    return usage;
  }
  Case wanted;
  try {
    wanted = parse_case(first);
  } catch (const CaseError& error) {
    std::cerr << "bench-error: " << error.what() << std::endl;
    return usage;
  }
  adapter->before_mpi(wanted);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int code = failed;
  try {
    code = run(argc, argv, wanted, *adapter);
  } catch (const std::exception& error) {
    // One rank alone cannot know whether the others wait for it: end them all.
    std::cerr << "bench-error: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, dynamic_cast<const CaseError*>(&error) ? usage : failed);
  }
  adapter.reset();
  MPI_Finalize();
  return code;
}
