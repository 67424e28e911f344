#pragma once
// Settings of the simulator: words "name=value", as arguments of the program and in one variable of the platform.
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardfft::sim {

class Words {
 public:
  void add(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("'" + word + "' is no name=value");
    values_[word.substr(0, equals)] = word.substr(equals + 1);
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  double number(const std::string& name, double otherwise) const {
    return values_.contains(name) ? std::stod(values_.at(name)) : otherwise;
  }
  /// "4,3,2" as numbers; empty if the name is not set.
  std::vector<long> list(const std::string& name) const {
    std::vector<long> numbers;
    std::istringstream in(text(name, ""));
    for (std::string one; std::getline(in, one, ',');) numbers.push_back(std::stol(one));
    return numbers;
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace shardfft::sim
