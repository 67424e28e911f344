#pragma once
// Files that this library keeps on disk for its user, and that nobody else may have written.
#include <optional>
#include <string>

namespace shardfft {

/// SHARDFFT_CACHE, else shardfft in XDG_CACHE_HOME or in ~/.cache; empty if none of them is set, or if SHARDFFT_CACHE
/// is empty: nothing is kept then.
std::string cache_directory();

/// A folder of this user's. It is neither read nor written if another user owns it or others may write it, and the same
/// holds for each file in it; a sentence on standard error says so once. They are checked after they were opened, so
/// that no other file can take their place meanwhile. Links in place of files are not followed.
class OwnFolder {
 public:
  /// Makes the folder, for this user only, and those above it, if it does not exist. `anybodys`: the user named it.
  /// Then it is not made, and the owner of the folder and its files does not matter; they must be plain files all the
  /// same.
  explicit OwnFolder(const std::string& path, bool anybodys = false);
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  /// Whether files can be kept here.
  bool usable() const { return descriptor_ >= 0; }
  /// The content of a file; nothing if it does not exist.
  std::optional<std::string> read(const std::string& name) const;
  /// Writes a file, under another name first: readers see a whole file or none. Failures only mean that nothing is
  /// kept. `before`: write only if the file has this content; nothing: only if it does not exist. Returns whether it
  /// was written.
  using Content = std::optional<std::string>;
  bool write(const std::string& name, const std::string& content, const Content* before = nullptr) const;
  /// Whether a file of this name is absent, or a plain one that may be replaced.
  bool replaces(const std::string& name) const;
  /// Whether a file can be made here; tries it.
  bool takes_files() const;
  /// Opens a file to lock it, and makes it if it does not exist; -1 if that fails. The caller closes it.
  int open_lock(const std::string& name) const;
  void remove(const std::string& name) const;

 private:
  int open_own(const std::string& name, int flags) const;
  int judged(int descriptor, const std::string& path, bool folder) const;

  std::string path_;
  bool anybodys_;
  int descriptor_;
};

}  // namespace shardfft
