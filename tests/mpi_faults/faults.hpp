#pragma once
// Faults on purpose: functions of MPI, FFTW and NCCL, replaced by ones that can fail, be slow or flip a bit. To be
// included by one file of a program, because it defines these functions.
#include <dlfcn.h>
#include <fftw3.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

namespace shardfft::test {

/// Where a fault can be.
enum class Spot { send, receive, collective, wait, transform, nccl };
inline constexpr std::array<Spot, 6> all_spots{Spot::send, Spot::receive,   Spot::collective,
                                               Spot::wait, Spot::transform, Spot::nccl};
inline const char* name_of(Spot spot) {
  constexpr std::array<const char*, all_spots.size()> names{"send", "receive",   "collective",
                                                            "wait", "transform", "nccl"};
  return names[static_cast<std::size_t>(spot)];
}

/// One fault of this rank: the call number `after` (from 0) of a spot fails, or sleeps and goes on.
struct Fault {
  Spot spot = Spot::send;
  int after = -1;  ///< negative: none, or it has happened
  double sleep = 0;
  bool messages_begun = false;  ///< only then does a wait belong to an exchange
};
inline Fault& fault() {
  static Fault one;
  return one;
}
inline void arm(const Fault& wanted) { fault() = wanted; }
/// Whether the fault has happened. Disarms.
inline bool disarm() {
  const bool happened = fault().after < 0;
  fault() = {};
  return happened;
}

/// Counts a call of `spot`: true where it is to fail.
inline bool strikes(Spot spot) {
  Fault& f = fault();
  if (f.after < 0 || f.spot != spot || f.after-- > 0) return false;
  if (f.sleep <= 0) return true;
  std::this_thread::sleep_for(std::chrono::duration<double>(f.sleep));
  return false;
}
inline bool message_strikes(Spot spot) {
  fault().messages_begun = true;
  return strikes(spot);
}
inline bool wait_strikes() { return fault().messages_begun && strikes(Spot::wait); }

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace shardfft::test

extern "C" {
int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::Spot::send)) return MPI_ERR_OTHER;
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::Spot::receive)) return MPI_ERR_OTHER;
  return PMPI_Irecv(data, n, type, peer, tag, comm, request);
}
int MPI_Ialltoall(const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype to, MPI_Comm comm,
                  MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::Spot::collective)) return MPI_ERR_OTHER;
  return PMPI_Ialltoall(out, n, type, in, m, to, comm, request);
}
int MPI_Ialltoallv(const void* out, const int n[], const int at[], MPI_Datatype type, void* in, const int m[],
                   const int to_at[], MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::Spot::collective)) return MPI_ERR_OTHER;
  return PMPI_Ialltoallv(out, n, at, type, in, m, to_at, to, comm, request);
}
int MPI_Ialltoallw(const void* out, const int n[], const int at[], const MPI_Datatype types[], void* in, const int m[],
                   const int to_at[], const MPI_Datatype to[], MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::Spot::collective)) return MPI_ERR_OTHER;
  return PMPI_Ialltoallw(out, n, at, types, in, m, to_at, to, comm, request);
}
int MPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status* statuses) {
  if (shardfft::test::wait_strikes()) return MPI_ERR_OTHER;
  return PMPI_Testall(n, requests, done, statuses);
}
int MPI_Testany(int n, MPI_Request requests[], int* which, int* done, MPI_Status* status) {
  if (shardfft::test::wait_strikes()) return MPI_ERR_OTHER;
  return PMPI_Testany(n, requests, which, done, status);
}
/// Where NCCL is not linked, nobody calls it.
int ncclGroupEnd() {
  constexpr int system_error = 2;
  if (shardfft::test::strikes(shardfft::test::Spot::nccl)) return system_error;
  static auto* const end = shardfft::test::next_of<decltype(ncclGroupEnd)>("ncclGroupEnd");
  return end();
}
void fftw_execute_dft(const fftw_plan plan, fftw_complex* in, fftw_complex* out) {
  if (shardfft::test::strikes(shardfft::test::Spot::transform)) throw std::runtime_error("the transform is on fire");
  static auto* const execute = shardfft::test::next_of<decltype(fftw_execute_dft)>("fftw_execute_dft");
  execute(plan, in, out);
}
}
