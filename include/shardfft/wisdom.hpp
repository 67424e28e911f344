#pragma once
// Wisdom: ways of plans that were measured once (docs/tuning.md), as text. Rank 0 of a plan's communicator has them.
#include <string>

namespace shardfft {

/// All ways that this process measured for its plans, or got by import_wisdom(): a document of JSON.
std::string export_wisdom();
/// Plans of this process look here first, before they read a file. Returns how many entries were new or worth more than
/// those it had. Throws Error(invalid_argument) for a text that export_wisdom() did not make, and for one of another
/// version of that format; entries of other versions of the library are taken and not used.
int import_wisdom(const std::string& text);
/// Forgets all ways that this process measured or imported; files stay.
void forget_wisdom();
/// The file that plans read unless the option `wisdom` says otherwise, even if that file does not exist; empty if no
/// file is read.
std::string wisdom_path();
/// Adds the entries of such a text to a file, that of wisdom_path() if `path` is empty. Other jobs may do the same at
/// the same time. The folder of a file that you name must exist; the cache folder is made. Throws
/// Error(invalid_argument) if the file cannot be written, or is no wisdom.
void keep_wisdom(const std::string& text, const std::string& path = {});

}  // namespace shardfft
