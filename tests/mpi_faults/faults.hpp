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
#include <vector>

namespace shardfft::test {

/// Where a fault can be.
enum class FaultSite { send, receive, collective, wait, transform, nccl };
inline constexpr std::array<FaultSite, 6> all_sites{FaultSite::send, FaultSite::receive,   FaultSite::collective,
                                                    FaultSite::wait, FaultSite::transform, FaultSite::nccl};
inline const char* name_of(FaultSite site) {
  constexpr std::array<const char*, all_sites.size()> names{"send", "receive",   "collective",
                                                            "wait", "transform", "nccl"};
  return names[static_cast<std::size_t>(site)];
}

/// One fault of this rank: the call number `after` (from 0) of a site fails, or sleeps and goes on.
struct Fault {
  FaultSite site = FaultSite::send;
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

/// Counts a call of `site`: true where it is to fail.
inline bool strikes(FaultSite site) {
  Fault& f = fault();
  if (f.after < 0 || f.site != site || f.after-- > 0) return false;
  if (f.sleep <= 0) return true;
  std::this_thread::sleep_for(std::chrono::duration<double>(f.sleep));
  return false;
}
inline bool message_strikes(FaultSite site) {
  fault().messages_begun = true;
  return strikes(site);
}
inline bool wait_strikes() { return fault().messages_begun && strikes(FaultSite::wait); }

/// Where the messages of this rank begin that it sent or is to receive; noted as long as it is wanted.
struct MessagePlaces {
  bool wanted = false;
  std::vector<const void*> all;
};
inline MessagePlaces& message_places() {
  static MessagePlaces ones;
  return ones;
}
inline void note_message(const void* data) {
  if (message_places().wanted) message_places().all.push_back(data);
}

/// One bit that flips: in the first number that the call number `after` of a transform reads or writes, or of the
/// message number `after`, once it has come.
struct Flip {
  enum class Place { transform_in, transform_out, message };
  Place place = Place::message;
  int after = -1;                          ///< negative: none, or it has happened
  int bit = 0;                             ///< of the number, 0 the lowest
  MPI_Request request = MPI_REQUEST_NULL;  ///< of the message
  void* data = nullptr;
};
inline Flip& flip() {
  static Flip one;
  return one;
}
inline void flip_bit(void* number, int bit) { static_cast<unsigned char*>(number)[bit / 8] ^= 1U << (bit % 8); }
inline void flips(Flip::Place place, void* number) {
  Flip& f = flip();
  if (f.after >= 0 && f.place == place && f.after-- == 0) flip_bit(number, f.bit);
}
/// A message that will come to `data`.
inline void flips_later(void* data, const MPI_Request* request) {
  Flip& f = flip();
  if (f.after < 0 || f.place != Flip::Place::message || f.after-- > 0) return;
  f.data = data;
  f.request = *request;
}
/// Whether the message that is to be changed is among those that are waited for; -1: no.
inline int flip_among(int n, const MPI_Request requests[]) {
  for (int i = 0; i < n; ++i)
    if (flip().data != nullptr && requests[i] == flip().request) return i;
  return -1;
}
inline void flip_message_if(bool come) {
  if (!come) return;
  flip_bit(flip().data, flip().bit);
  flip().data = nullptr;
}

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace shardfft::test

extern "C" {
int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::FaultSite::send)) return MPI_ERR_OTHER;
  shardfft::test::note_message(data);
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::FaultSite::receive)) return MPI_ERR_OTHER;
  shardfft::test::note_message(data);
  const int code = PMPI_Irecv(data, n, type, peer, tag, comm, request);
  shardfft::test::flips_later(data, request);
  return code;
}
int MPI_Ialltoall(const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype to, MPI_Comm comm,
                  MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::FaultSite::collective)) return MPI_ERR_OTHER;
  const int code = PMPI_Ialltoall(out, n, type, in, m, to, comm, request);
  int rank = 0, size = 1, bytes = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Type_size(to, &bytes);
  const auto begin = static_cast<std::ptrdiff_t>((rank + 1) % size) * m * bytes;
  shardfft::test::flips_later(static_cast<char*>(in) + begin, request);
  return code;
}
int MPI_Ialltoallv(const void* out, const int n[], const int at[], MPI_Datatype type, void* in, const int m[],
                   const int to_at[], MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::FaultSite::collective)) return MPI_ERR_OTHER;
  const int code = PMPI_Ialltoallv(out, n, at, type, in, m, to_at, to, comm, request);
  int size = 1, bytes = 0;
  MPI_Comm_size(comm, &size);
  MPI_Type_size(to, &bytes);
  for (int peer = 0; peer < size; ++peer) {
    if (m[peer] == 0) continue;
    shardfft::test::flips_later(static_cast<char*>(in) + static_cast<std::ptrdiff_t>(to_at[peer]) * bytes, request);
    break;
  }
  return code;
}
int MPI_Ialltoallw(const void* out, const int n[], const int at[], const MPI_Datatype types[], void* in, const int m[],
                   const int to_at[], const MPI_Datatype to[], MPI_Comm comm, MPI_Request* request) {
  if (shardfft::test::message_strikes(shardfft::test::FaultSite::collective)) return MPI_ERR_OTHER;
  const int code = PMPI_Ialltoallw(out, n, at, types, in, m, to_at, to, comm, request);
  int size = 1;
  MPI_Comm_size(comm, &size);
  for (int peer = 0; peer < size; ++peer) {
    if (m[peer] == 0) continue;
    MPI_Aint begin = 0, extent = 0;
    MPI_Type_get_true_extent(to[peer], &begin, &extent);
    shardfft::test::flips_later(static_cast<char*>(in) + to_at[peer] + begin, request);
    break;
  }
  return code;
}
int MPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status* statuses) {
  if (shardfft::test::wait_strikes()) return MPI_ERR_OTHER;
  const int changed = shardfft::test::flip_among(n, requests);
  const int code = PMPI_Testall(n, requests, done, statuses);
  shardfft::test::flip_message_if(changed >= 0 && *done != 0);
  return code;
}
int MPI_Testany(int n, MPI_Request requests[], int* which, int* done, MPI_Status* status) {
  if (shardfft::test::wait_strikes()) return MPI_ERR_OTHER;
  const int changed = shardfft::test::flip_among(n, requests);
  const int code = PMPI_Testany(n, requests, which, done, status);
  shardfft::test::flip_message_if(changed >= 0 && *done != 0 && *which == changed);
  return code;
}
/// Where NCCL is not linked, nobody calls it.
int ncclGroupEnd() {
  constexpr int system_error = 2;
  if (shardfft::test::strikes(shardfft::test::FaultSite::nccl)) return system_error;
  static auto* const end = shardfft::test::next_of<decltype(ncclGroupEnd)>("ncclGroupEnd");
  return end();
}
void fftw_execute_dft(const fftw_plan plan, fftw_complex* in, fftw_complex* out) {
  if (shardfft::test::strikes(shardfft::test::FaultSite::transform))
    throw std::runtime_error("the transform is on fire");
  shardfft::test::flips(shardfft::test::Flip::Place::transform_in, in);
  static auto* const execute = shardfft::test::next_of<decltype(fftw_execute_dft)>("fftw_execute_dft");
  execute(plan, in, out);
  shardfft::test::flips(shardfft::test::Flip::Place::transform_out, out);
}
#define SHARDFFT_FLIPPING_EXECUTE(name, plan_type, in_type, out_type)            \
  void name(const plan_type plan, in_type* in, out_type* out) {                  \
    shardfft::test::flips(shardfft::test::Flip::Place::transform_in, in);        \
    static auto* const execute = shardfft::test::next_of<decltype(name)>(#name); \
    execute(plan, in, out);                                                      \
    shardfft::test::flips(shardfft::test::Flip::Place::transform_out, out);      \
  }
SHARDFFT_FLIPPING_EXECUTE(fftw_execute_dft_r2c, fftw_plan, double, fftw_complex)
SHARDFFT_FLIPPING_EXECUTE(fftw_execute_dft_c2r, fftw_plan, fftw_complex, double)
SHARDFFT_FLIPPING_EXECUTE(fftw_execute_r2r, fftw_plan, double, double)
SHARDFFT_FLIPPING_EXECUTE(fftwf_execute_dft, fftwf_plan, fftwf_complex, fftwf_complex)
SHARDFFT_FLIPPING_EXECUTE(fftwf_execute_dft_r2c, fftwf_plan, float, fftwf_complex)
SHARDFFT_FLIPPING_EXECUTE(fftwf_execute_dft_c2r, fftwf_plan, fftwf_complex, float)
SHARDFFT_FLIPPING_EXECUTE(fftwf_execute_r2r, fftwf_plan, float, float)
#undef SHARDFFT_FLIPPING_EXECUTE
}
