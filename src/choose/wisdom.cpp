#include "choose/wisdom.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/own_folder.hpp"
#include "base/proof.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft {

namespace {

namespace fs = std::filesystem;

const std::string format = "shardfft wisdom 1";
constexpr int most_tries = 50;

/// Nothing if the entry is damaged.
std::optional<Remembered> entry_of(const JsonValue& value) {
  Remembered entry{.machine = value.text("machine"),
                   .problem = value.text("problem"),
                   .versions = value.text("versions"),
                   .way = value.text("way"),
                   .date = value.text("date")};
  const JsonValue* const seconds = value.find("seconds");
  const std::string effort = value.text("effort");
  for (const std::string* text : {&entry.machine, &entry.problem, &entry.versions, &entry.way, &entry.date})
    if (text->empty()) return std::nullopt;
  if (seconds == nullptr || seconds->kind != JsonValue::Kind::number || !(seconds->number >= 0)) return std::nullopt;
  if (effort != to_text(Effort::measure) && effort != to_text(Effort::patient)) return std::nullopt;
  entry.seconds = seconds->number;
  entry.effort = effort == to_text(Effort::patient) ? Effort::patient : Effort::measure;
  return entry;
}

bool is_worth_less(const Remembered& known, const Remembered& entry) {
  if (known.versions == entry.versions && known.effort != entry.effort) return known.effort < entry.effort;
  return known.date < entry.date;
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

Wisdom read_again(const std::string& path, const std::string& text) {
  try {
    return Wisdom::parse(text);
  } catch (const Error& e) {
    fail(Status::invalid_argument, "the wisdom file ", path, " cannot be used: ", e.what());
  }
}

}  // namespace

Wisdom Wisdom::parse(const std::string& text) {
  const JsonValue all = JsonValue::parse(text);
  const std::string its = all.text("format");
  require(its.starts_with("shardfft wisdom"), "it has no member \"format\" that says \"", format, "\"");
  require(its == format, "it is of format '", its, "', but this library reads '", format, "'");
  const JsonValue* const entries = all.find("entries");
  require(entries != nullptr && entries->kind == JsonValue::Kind::array, "it has no list \"entries\"");
  Wisdom wisdom;
  for (const JsonValue& value : entries->items) {
    const std::optional<Remembered> entry = entry_of(value);
    entry ? static_cast<void>(wisdom.add(*entry)) : static_cast<void>(++wisdom.damaged_);
  }
  return wisdom;
}

std::string Wisdom::text() const {
  std::string lines;
  for (const auto& [key, e] : entries_)
    lines += (lines.empty() ? "\n" : ",\n") + Json::object({{"machine", e.machine},
                                                            {"problem", e.problem},
                                                            {"versions", e.versions},
                                                            {"way", e.way},
                                                            {"effort", to_text(e.effort)},
                                                            {"seconds", e.seconds},
                                                            {"date", e.date}})
                                                  .text();
  return "{\"format\":" + Json(format).text() + ",\"entries\":[" + lines + "\n]}\n";
}

bool Wisdom::add(const Remembered& entry) {
  const auto [known, is_new] = entries_.try_emplace({entry.machine, entry.problem}, entry);
  if (!is_new && !is_worth_less(known->second, entry)) return false;
  known->second = entry;
  return true;
}

int Wisdom::add(const Wisdom& others) {
  int taken = 0;
  for (const auto& [key, entry] : others.entries_) taken += add(entry) ? 1 : 0;
  return taken;
}

const Remembered* Wisdom::find(const std::string& machine, const std::string& problem) const {
  const auto found = entries_.find({machine, problem});
  return found == entries_.end() ? nullptr : &found->second;
}

bool Wisdom::has_machine(const std::string& machine) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first.first == machine; });
}

std::optional<Wisdom> WisdomFile::read() const {
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return std::nullopt;
  const auto text = OwnFolder(folder_of(path), is_named).read(name_of(path));
  return text ? std::optional(read_again(path, *text)) : std::nullopt;
}

void WisdomFile::require_writable() const {
  require(!path.empty(), "no wisdom can be kept: neither option wisdom nor SHARDFFT_WISDOM names a file, and there is ",
          "no cache folder (SHARDFFT_CACHE)");
  require(path.find('\0') == std::string::npos, "the name of the wisdom file has a character 0");
  std::error_code ignored;
  require(!is_named || fs::is_directory(folder_of(path), ignored), "the wisdom file ", path,
          " cannot be written: there is no folder ", folder_of(path), ", and only the cache folder is made");
  const OwnFolder folder(folder_of(path), is_named);
  require(folder.takes_files(), "the wisdom file ", path, " cannot be written: this user may not write in the folder ",
          folder_of(path));
  require(folder.replaces(name_of(path)), "the wisdom file ", path, " cannot be written: another file is in its place");
}

void WisdomFile::add(const Wisdom& more) const {
  require_writable();
  const OwnFolder folder(folder_of(path), is_named);
  // A job that read the file before this write, and wrote it afterwards, has undone it.
  for (int tries = 0; tries < most_tries; ++tries) {
    const OwnFolder::Content before = folder.read(name_of(path));
    Wisdom all = before ? read_again(path, *before) : Wisdom();
    if (all.add(more) == 0) return;
    folder.write(name_of(path), all.text(), &before);
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + random_word() % 20));
  }
  fail(Status::invalid_argument, "the wisdom file ", path,
       " could not be written: it is another user's, or there is no room");
}

}  // namespace shardfft
