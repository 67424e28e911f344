// Wisdom in the C interface.
#include "shardfft/c/wisdom.h"

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

shardfft_status shardfft_wisdom_export(char** text) {
  return guarded([&] { give_text(text, export_wisdom()); });
}
shardfft_status shardfft_wisdom_import(const char* text, int* taken) {
  return guarded([&] {
    const int count = import_wisdom(given_text(text, "text"));
    if (taken != nullptr) *taken = count;
  });
}
shardfft_status shardfft_wisdom_forget() { return guarded(forget_wisdom); }
shardfft_status shardfft_wisdom_path(char** path) {
  return guarded([&] { give_text(path, wisdom_path()); });
}
shardfft_status shardfft_wisdom_keep(const char* text, const char* path) {
  return guarded([&] { keep_wisdom(given_text(text, "text"), path == nullptr ? "" : path); });
}
