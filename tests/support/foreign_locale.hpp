#pragma once
// A global C++ locale as an application may set it: numbers look like "1.024,5".
#include <locale>
#include <string>

namespace shardfft::test {

class ForeignLocale {
 public:
  ForeignLocale() : before_(std::locale::global(std::locale(std::locale::classic(), new Numbers))) {}
  ~ForeignLocale() { std::locale::global(before_); }
  ForeignLocale(const ForeignLocale&) = delete;
  ForeignLocale& operator=(const ForeignLocale&) = delete;

 private:
  struct Numbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
};

}  // namespace shardfft::test
