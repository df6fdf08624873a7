#include "parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "error.hpp"

namespace relyon {
namespace {

std::optional<double> as_number(const Parameter& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

bool is_none(const Parameter& value) { return std::holds_alternative<std::monostate>(value); }

}  // namespace

std::string short_text(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return error == std::errc() ? std::string(buffer, end) : std::to_string(value);
}

Parameter Parameters::take(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end()) return {};
  Parameter value = std::move(found->second);
  values_.erase(found);
  return value;
}

bool Parameters::has(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !is_none(found->second);
}

void Parameters::refuse(const std::string& name, const Sentence& wanted) const {
  throw InputError(Sentence("native.parameter-name-of-kernel",
                            {{"name", name}, {"kernel", kernel_}, {"wanted", wanted}}));
}

std::uint32_t Parameters::take_cutoff() {
  const Parameter value = take("k");
  if (is_none(value)) return 0;
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr || *whole < 1) refuse("k", "a whole number of 1 or more");
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(*whole, std::numeric_limits<std::uint32_t>::max()));
}

double Parameters::take_rel() { return std::max(take_number("rel", 1.0), 0.0); }

double Parameters::take_number(const std::string& name, double otherwise) {
  const Parameter value = take(name);
  if (is_none(value)) return otherwise;
  const std::optional<double> number = as_number(value);
  if (!number || !std::isfinite(*number)) refuse(name, "a finite number");
  return *number;
}

bool Parameters::take_flag(const std::string& name, bool otherwise) {
  const Parameter value = take(name);
  if (is_none(value)) return otherwise;
  const auto* flag = std::get_if<bool>(&value);
  if (flag == nullptr) refuse(name, "true or false");
  return *flag;
}

std::size_t Parameters::take_choice(const std::string& name,
                                    std::initializer_list<std::string_view> choices) {
  const Parameter value = take(name);
  if (is_none(value)) return 0;
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto found = std::find(choices.begin(), choices.end(), *text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  }
  std::string names;
  for (const std::string_view choice : choices) {
    names += (names.empty() ? "`" : " `") + std::string(choice) + "`";
  }
  refuse(name, Sentence("native.one-of-names", {{"names", names}}));
}

void Parameters::finish() const {
  if (values_.empty()) return;
  throw InputError(
      Sentence("native.has-no-parameter", {{"kernel", kernel_}, {"name", values_.begin()->first}}));
}

}  // namespace relyon
