#pragma once
// What can be chosen about the stand-in: by the environment when it is first used, by tests at any time.
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/facts.hpp"

namespace shardfft::device::standin {

/// Fake devices: SHARDFFT_STANDIN_DEVICES, else 4.
int devices();
/// Memory of each of them: SHARDFFT_STANDIN_MEMORY in MiB, else 4096 MiB.
std::size_t device_bytes();
/// What plans are told about each fake device from now on; an H200 until it is called. No plan may be in the making.
void give_facts(const DeviceFacts& facts);
/// Whether transforms of the vendor's library take memory for their work areas from now on; they do not until it is
/// called, so that plans of any size can be made.
void take_work_areas(bool taken);
bool takes_work_areas();
/// Where the random order of work begins: SHARDFFT_STANDIN_SEED, else 1.
std::uint64_t first_seed();
/// For messages: how to repeat what went wrong.
std::string how_to_repeat();
/// The work enqueued after `more` further pieces is refused, once, as by a device that has failed; negative: none is.
void fail_after(int more);
/// All kernels are as if none had been launched. No work may be under way.
void unload_kernels();
/// How many pieces are still to come before that; negative: it has happened, or none was wanted.
int pieces_before_failure();
/// Counts one piece of work; true for the one to refuse.
bool fails_now();
/// Begins the random order anew from `seed`; no work may be under way.
void reseed(std::uint64_t seed);

}  // namespace shardfft::device::standin
