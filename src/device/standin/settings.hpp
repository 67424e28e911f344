#pragma once
// Settings of the stand-in: from the environment when it is first used, by tests at any time.
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/facts.hpp"

namespace shardfft::device::standin {

/// The number of fake devices: SHARDFFT_STANDIN_DEVICES, else 4.
int devices();
/// Memory of each of them: SHARDFFT_STANDIN_MEMORY in MiB, else 4096 MiB.
std::size_t device_bytes();
/// Sets the facts of each fake device that plans see from now on; the default is an H200. No plan may be in the making.
void give_facts(const DeviceFacts& facts);
/// Whether transforms of the vendor's library allocate their work areas from now on. By default they do not, so that
/// plans of any size can be made.
void take_work_areas(bool taken);
bool takes_work_areas();
/// The seed of the random order of work: SHARDFFT_STANDIN_SEED, else 1.
std::uint64_t first_seed();
/// For messages: how to repeat a failed run.
std::string how_to_repeat();
/// After `more` further pieces of work, the next one is refused, once, as by a failed device; negative: none is.
void fail_after(int more);
/// Makes all kernels as if none had been launched. No work may be under way.
void unload_kernels();
/// The number of pieces before that failure; negative: it has happened, or none was requested.
int pieces_before_failure();
/// Counts one piece of work; returns true for the one to refuse.
bool fails_now();
/// Restarts the random order from `seed`; no work may be under way.
void reseed(std::uint64_t seed);

}  // namespace shardfft::device::standin
