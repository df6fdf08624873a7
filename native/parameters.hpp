// Parameters of a kernel by name, checked as they are taken.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "error.hpp"

namespace relyon {

// The shortest text that reads back as `value`.
std::string short_text(double value);

using GainMap = std::vector<std::pair<double, double>>;  // grade, gain
using Parameter = std::variant<std::monostate, bool, std::int64_t, double, std::string, GainMap>;

class Parameters {
 public:
  Parameters(std::string kernel, std::map<std::string, Parameter> values)
      : kernel_(std::move(kernel)), values_(std::move(values)) {}

  const std::string& kernel() const { return kernel_; }
  // The same parameters, for a kernel that another one is made of.
  Parameters renamed(std::string kernel) const { return {std::move(kernel), values_}; }

  // Each `take` removes a parameter; an absent one or None gives the default.
  std::uint32_t take_cutoff();  // `k`; 0: the whole list
  double take_rel();            // negative grades are never relevant, so at least 0
  double take_number(const std::string& name, double otherwise);
  bool take_flag(const std::string& name, bool otherwise);
  std::size_t take_choice(const std::string& name, std::initializer_list<std::string_view> choices);
  Parameter take(const std::string& name);
  bool has(const std::string& name) const;  // given, and not None

  // Throws InputError if a parameter was not taken.
  void finish() const;

  [[noreturn]] void refuse(const std::string& name, const Sentence& wanted) const;

 private:
  std::string kernel_;
  std::map<std::string, Parameter> values_;
};

}  // namespace relyon
