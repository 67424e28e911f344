#pragma once
// Short numbers on GPUs: the same bytes as pack/shorten.hpp writes. Pointers are device memory.
#include "pack/short_numbers.hpp"

namespace shardfft::device {

/// Enqueues on `stream`: `count` contiguous numbers become a run of short ones. Adds the loss of accuracy to `loss`.
void shorten(const std::byte* numbers, std::int64_t count, const ShortNumbers& format, std::byte* run, Loss* loss,
             void* stream);
/// The way back.
void restore(const std::byte* run, std::int64_t count, const ShortNumbers& format, std::byte* numbers, void* stream);

}  // namespace shardfft::device
