#include <sys/mman.h>

#include <cstring>

#include "adapter_base.hpp"
#include "host_values.hpp"

namespace shardfft::bench {
namespace {

// Whether a capability list has the word; a list that is missing allows everything.
bool allows(const Json& capabilities, const char* list, const Json& word) {
  if (!capabilities.contains(list)) return true;
  const auto& words = capabilities.at(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string Adapter::refuse(const Case& wanted, int ranks) const {
  return refuse_by_capabilities(describe(), wanted, ranks);
}

// By the parts of breakdown() that are called so.
Adapter::FftAccount Adapter::fft_account() const {
  const Json told = breakdown();
  FftAccount account;
  if (!told.is_object() || !told.contains("seconds")) return account;
  for (const auto& [part, seconds] : told.at("seconds").items())
    if (part.rfind("fft", 0) == 0) account.ffts = std::max(account.ffts, 0.0) + seconds.get<double>();
  return account;
}

std::unique_ptr<Values> Adapter::make_values(const Case& wanted) { return std::make_unique<HostValues>(wanted, *this); }

/// Large ones in huge pages where Linux gives them: shardfft's own arrays are, and pages are no merit of a library.
HostBuffer::HostBuffer(std::size_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21;
  const std::size_t unit = bytes < huge_page ? line : huge_page;
  const std::size_t rounded = std::max(unit, (bytes + unit - 1) / unit * unit);
  memory_.reset(std::aligned_alloc(unit, rounded));
  if (!memory_) throw std::bad_alloc();
  if (unit == huge_page) madvise(memory_.get(), rounded, MADV_HUGEPAGE);  // a wish: what fails costs nothing
  std::memset(memory_.get(), 0, rounded);
}

void AdapterBase::allocate(const Case& wanted, std::int64_t field_elements, std::int64_t spectrum_elements) {
  const std::size_t one = wanted.real_bytes() * std::size_t(wanted.batch);
  const std::size_t field_bytes = std::size_t(field_elements) * (wanted.real() ? one : 2 * one);
  const std::size_t spectrum_bytes = std::size_t(spectrum_elements) * (wanted.real_spectrum() ? one : 2 * one);
  if (wanted.in_place()) {
    field_ = HostBuffer(std::max(field_bytes, spectrum_bytes));
    return;
  }
  field_ = HostBuffer(field_bytes);
  spectrum_ = HostBuffer(spectrum_bytes);
}

std::string refuse_unknown_options(const Description& description, const Case& wanted) {
  for (const auto& item : wanted.options.items()) {
    if (!description.options.contains(item.key())) return description.library + " has no option '" + item.key() + "'";
    const auto& values = description.options.at(item.key());
    if (!values.empty() && std::find(values.begin(), values.end(), item.value()) == values.end())
      return description.library + ": option '" + item.key() + "' cannot be " + item.value().dump();
  }
  return {};
}

std::string refuse_by_capabilities(const Description& description, const Case& wanted, int ranks) {
  const Json words = to_json(wanted);
  const std::pair<const char*, const char*> lists[] = {{"kinds", "kind"},
                                                       {"precisions", "precision"},
                                                       {"placements", "placement"},
                                                       {"layouts", "layout"},
                                                       {"outputs", "output"}};
  if (!description.distributed && ranks > 1) return description.library + " runs in one process only";
  for (const auto& [list, key] : lists) {
    // Nothing is spread over one rank: every layout is the same there.
    if (ranks == 1 && (list == std::string("layouts") || list == std::string("outputs"))) continue;
    if (!allows(description.capabilities, list, words.at(key)))
      return description.library + " does not offer " + key + " '" + words.at(key).get<std::string>() + "'";
  }
  for (const std::string& feature : wanted.features()) {
    const bool by_driver = feature == "apply" && !description.gpu;  // it multiplies the spectrum itself
    if (!by_driver &&
        (!description.capabilities.contains("features") || !allows(description.capabilities, "features", feature)))
      return description.library + " does not offer " + feature;
  }
  if (wanted.threads > 1 && !description.capabilities.value("threads", false))
    return description.library + " does not offer threads";
  return refuse_unknown_options(description, wanted);
}

}  // namespace shardfft::bench
