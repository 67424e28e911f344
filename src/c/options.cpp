// Options of the C interface, through the table of options.
#include "shardfft/c/options.h"

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

namespace {

const OptionRow& row_of(const char* name) { return option_row(given_text(name, "name")); }

shardfft_status set_value(shardfft_options options, const char* name, const OptionValue& value) {
  return guarded([&] { row_of(name).set(*get(options), value); });
}

}  // namespace

shardfft_status shardfft_options_create(shardfft_options* options) {
  return guarded([&] { give(options, Options()); });
}
shardfft_status shardfft_options_copy(shardfft_options options, shardfft_options* copy) {
  return guarded([&] { give(copy, *get(options)); });
}
shardfft_status shardfft_options_free(shardfft_options* options) { return end(options); }

shardfft_status shardfft_options_set(shardfft_options options, const char* name, const char* text) {
  return guarded([&] { set_option(*get(options), given_text(name, "name"), given_text(text, "text")); });
}

shardfft_status shardfft_options_set_integer(shardfft_options options, const char* name, int64_t value) {
  return guarded([&] {
    const OptionRow& row = row_of(name);
    if (row.type != OptionType::flag) return row.set(*get(options), value);
    require(value == 0 || value == 1, "option ", row.name, " takes 0 or 1, not ", value);
    row.set(*get(options), value == 1);
  });
}
shardfft_status shardfft_options_set_number(shardfft_options options, const char* name, double value) {
  return set_value(options, name, value);
}
shardfft_status shardfft_options_set_integers(shardfft_options options, const char* name, int count,
                                              const int64_t* values) {
  return guarded([&] {
    const auto list = given(values, count, "values");
    row_of(name).set(*get(options), std::vector<std::int64_t>(list.begin(), list.end()));
  });
}
shardfft_status shardfft_options_set_address(shardfft_options options, const char* name, void* address) {
  return guarded([&] {
    const OptionRow& row = row_of(name);
    require(row.type == OptionType::address, "option ", row.name, " does not take an address");
    row.set(*get(options), static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address)));
  });
}
shardfft_status shardfft_options_get(shardfft_options options, const char* name, char** text) {
  return guarded([&] { give_text(text, option_text(row_of(name), *get(options))); });
}

shardfft_status shardfft_option_names(char** names) {
  return guarded([&] {
    std::vector<std::string> all;
    for (const OptionRow& row : option_table()) all.push_back(row.name);
    give_names(names, all);
  });
}
shardfft_status shardfft_option_sentence(const char* name, char** sentence) {
  return guarded([&] { give_text(sentence, row_of(name).sentence); });
}
shardfft_status shardfft_algorithm_names(char** names) {
  return guarded([&] { give_names(names, algorithm_names()); });
}
shardfft_status shardfft_exchange_names(char** names) {
  return guarded([&] { give_names(names, exchange_names()); });
}
shardfft_status shardfft_device_exchange_names(char** names) {
  return guarded([&] { give_names(names, device_exchange_names()); });
}
shardfft_status shardfft_local_fft_names(char** names) {
  return guarded([&] { give_names(names, local_fft_names()); });
}
