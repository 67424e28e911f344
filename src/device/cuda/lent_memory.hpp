#pragma once
// Memory for Sharing::descriptors by CUDA: the driver's functions for virtual memory make it.
#include <optional>

#include "device/runtime.hpp"

namespace shardfft::device::lent {

/// On the current device; throws unsupported if that cannot give out descriptors.
void* allocate(std::size_t bytes);
/// Releases memory from allocate() after the work of its device, or closes memory from import(), after its user has
/// waited. Returns false for all other memory.
bool release(void* memory);
/// The allocation around a pointer, if it comes from here.
std::optional<Allocation> find(const void* pointer);
IpcHandle export_memory(void* memory);
/// Null if the handle is none of these.
void* import(const IpcHandle& handle);

}  // namespace shardfft::device::lent
