#include "facts.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>

extern char** environ;

namespace shardfft::bench {
namespace {

// What the system says of its first core under this name.
std::string cpu_fact(const char* name) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line))
    if (line.rfind(name, 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string clock_fact() {
  std::ostringstream text;
  text << "MPI_Wtime, tick " << MPI_Wtick() << " s";
  return text.str();
}

std::string cores_of_process() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "unknown";
  std::string cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.append(cores.empty() ? "" : ",").append(std::to_string(core));
  return cores;
}

// One line of text from every rank, on rank 0.
std::vector<std::string> gather_text(const std::string& text, MPI_Comm comm) {
  constexpr std::size_t width = 256;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  char mine[width] = {};
  std::strncpy(mine, text.c_str(), width - 1);
  std::vector<char> all(rank == 0 ? width * ranks : 0);
  MPI_Gather(mine, width, MPI_CHAR, all.data(), width, MPI_CHAR, 0, comm);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += width) texts.emplace_back(&all[at]);
  return texts;
}

std::string first_line(const char* text) {
  return std::string(text).substr(0, std::string(text).find_first_of("\r\n"));
}

}  // namespace

Json machine_facts(MPI_Comm comm) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_library_version(version, &length);
  MPI_Get_processor_name(host, &length);
  const auto hosts = gather_text(host, comm);
  const auto cores = gather_text(cores_of_process(), comm);
  utsname system{};
  uname(&system);
  return {{"cpu", cpu_fact("model name")},
          {"cpu_mhz", cpu_fact("cpu MHz")},
          {"clock", clock_fact()},
          {"cores_online", sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory_bytes", std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE)},
          {"kernel", std::string(system.sysname) + " " + system.release + " " + system.machine},
          {"mpi", first_line(version)},
          {"hosts", std::set<std::string>(hosts.begin(), hosts.end()).size()},
          {"binding", cores}};
}

Json environment_facts() {
  const char* prefixes[] = {"OMP_",
                            "MKL_",
                            "OMPI_MCA_",
                            "MPICH_",
                            "MPIR_CVAR_",
                            "UCX_",
                            "NCCL_",
                            "NVSHMEM_",
                            "CUDA_VISIBLE_DEVICES",
                            "FFTW_",
                            "SHARDFFT_",
                            "KMP_",
                            "GOMP_",
                            "SLURM_JOB_NUM_NODES"};
  // Open MPI's launcher exports its own wiring under the same prefix; that says nothing about the setup, nor do the
  // harness's own variables.
  const char* wiring[] = {"OMPI_MCA_orte",  "OMPI_MCA_ess",     "OMPI_MCA_pmix",         "OMPI_MCA_initial_wdir",
                          "OMPI_MCA_shmem", "OMPI_MCA_plm_rsh", "SHARDFFT_BENCH_DRIVERS"};
  Json facts = Json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const auto starts = [&](const char* prefix) { return text.rfind(prefix, 0) == 0; };
    if (std::none_of(std::begin(prefixes), std::end(prefixes), starts)) continue;
    if (std::any_of(std::begin(wiring), std::end(wiring), starts)) continue;
    facts[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  return facts;
}

std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

std::int64_t largest(std::int64_t mine, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, comm);
  return mine;
}

std::string memory_refusal(double bytes, MPI_Comm comm) {
  MPI_Comm host;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int ranks_here = 1;
  MPI_Comm_size(host, &ranks_here);
  MPI_Comm_free(&host);
  const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  // Needed and there, of the host that is worst off.
  double excess = bytes * ranks_here - memory, worst = excess;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (worst <= 0) return {};
  double sizes[2] = {excess == worst ? bytes * ranks_here : 0, excess == worst ? memory : 0};
  MPI_Allreduce(MPI_IN_PLACE, sizes, 2, MPI_DOUBLE, MPI_MAX, comm);
  const auto gib = [](double size) { return std::to_string(std::int64_t(std::ceil(size / (1 << 30)))) + " GiB"; };
  return "the case needs " + gib(sizes[0]) + " for data alone on a host of " + gib(sizes[1]);
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

bool first_of_host(MPI_Comm comm) {
  MPI_Comm host;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int place = 0;
  MPI_Comm_rank(host, &place);
  MPI_Comm_free(&host);
  return place == 0;
}

Json energy_found(double joules, double seconds, std::int64_t repeats, const char* source) {
  // Nothing runs without energy: a zero says that the counter's step is longer than the measurement.
  if (!(joules > 0)) return {{"unavailable", "the counter did not move in " + std::to_string(seconds) + " s"}};
  return {{"joules", joules}, {"seconds", seconds}, {"repeats", repeats}, {"source", source}};
}

EnergyMeter::EnergyMeter(MPI_Comm comm) : comm_(comm) {
  const bool reads = first_of_host(comm);
  for (int package = 0; reads && package < 64; ++package) {
    Zone zone{"/sys/class/powercap/intel-rapl:" + std::to_string(package)};
    std::ifstream energy(zone.path + "/energy_uj"), range(zone.path + "/max_energy_range_uj");
    if (!(energy >> zone.before)) break;
    range >> zone.range;
    zones_.push_back(zone);
  }
  int blind = reads && zones_.empty();
  MPI_Allreduce(MPI_IN_PLACE, &blind, 1, MPI_INT, MPI_SUM, comm);
  counts_ = blind == 0;
  start_ = MPI_Wtime();
}

Json EnergyMeter::stop(std::int64_t repeats) {
  if (!counts_) return {{"unavailable", "no readable RAPL counter under /sys/class/powercap"}};
  const double seconds = MPI_Wtime() - start_;
  double joules = 0;
  for (const auto& zone : zones_) {
    double after = 0;
    std::ifstream(zone.path + "/energy_uj") >> after;
    joules += (after < zone.before ? after + zone.range - zone.before : after - zone.before) * 1e-6;
  }
  MPI_Allreduce(MPI_IN_PLACE, &joules, 1, MPI_DOUBLE, MPI_SUM, comm_);
  return energy_found(joules, seconds, repeats, "RAPL packages through powercap");
}

}  // namespace shardfft::bench
