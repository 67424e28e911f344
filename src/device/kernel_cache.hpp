#pragma once
// Compiled kernels on disk: one file a kernel, named by a hash of its key.
#include <functional>
#include <string>

namespace shardfft::device::lines {

/// A hash of 64 bits, in hexadecimal.
std::string hash_of(const std::string& text);

/// The content kept under `key` in `directory`. If there is none, or the file is damaged or has another key, the result
/// of make(), which is kept there. A directory that cannot be written is no error, nor is one that other users share
/// (base/own_folder); then nothing is kept. While one process of a host makes a file, the others wait for it, for a
/// limited time; after that they make it themselves.
std::string cached(const std::string& directory, const std::string& key, const std::function<std::string()>& make);

}  // namespace shardfft::device::lines
