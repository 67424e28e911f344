#pragma once
// Compiled kernels on disk: one file a kernel, named by a hash of its key.
#include <functional>
#include <string>

namespace shardfft::device::lines {

/// 64 bits of it, in hexadecimal.
std::string hash_of(const std::string& text);

/// What was kept under `key` in `directory`; else what make() returns, kept there. Files that are damaged or of another
/// key are made anew; a directory that cannot be written is no error, nor is one that is not this user's alone
/// (base/own_folder). While one process of a host makes something others wait for it, but not for long: then they make
/// it themselves.
std::string cached(const std::string& directory, const std::string& key, const std::function<std::string()>& make);

}  // namespace shardfft::device::lines
