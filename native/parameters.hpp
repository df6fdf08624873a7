// Reading kernel parameters: each one is asked for once, the rest are unknown.
#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include "error.hpp"
#include "kernels.hpp"

namespace relkit {

class Reader {
 public:
  Reader(std::string name, const Parameters& parameters)
      : name_(std::move(name)), parameters_(parameters) {}

  double number(const std::string& key, double fallback) {
    const Value* value = find(key);
    if (value == nullptr) return fallback;
    if (const double* number = std::get_if<double>(value)) return *number;
    throw InputError("`" + name_ + "`: `" + key + "` must be a number");
  }

  std::uint32_t cutoff() {
    const double k = number("k", 0.0);
    if (k < 0 || k != std::floor(k)) throw InputError("`" + name_ + "`: `k` must be a whole number");
    return k > 4294967295.0 ? 0xffffffffu : static_cast<std::uint32_t>(k);
  }

  std::string text(const std::string& key, const std::string& fallback,
                   const std::set<std::string>& choices) {
    const Value* value = find(key);
    if (value == nullptr) return fallback;
    const std::string* found = std::get_if<std::string>(value);
    if (found == nullptr || !choices.contains(*found)) {
      throw InputError("`" + name_ + "`: impossible value of `" + key + "`");
    }
    return *found;
  }

  const Value* find(const std::string& key) {
    known_.insert(key);
    const auto found = parameters_.find(key);
    return found == parameters_.end() ? nullptr : &found->second;
  }

  void finish() const {
    for (const auto& [key, value] : parameters_) {
      if (!known_.contains(key)) throw InputError("`" + name_ + "` has no parameter `" + key + "`");
    }
  }

 private:
  std::string name_;
  const Parameters& parameters_;
  std::set<std::string> known_;
};

// How a grade becomes a gain. Negative grades are worth nothing.
class Gain {
 public:
  Gain() = default;
  explicit Gain(const Value* value) {
    if (value == nullptr) return;
    if (const std::string* name = std::get_if<std::string>(value)) {
      if (*name == "exp") {
        kind_ = Kind::exp;
      } else if (*name != "linear") {
        throw InputError("impossible gain: `" + *name + "`");
      }
    } else if (const GainMap* map = std::get_if<GainMap>(value)) {
      kind_ = Kind::map;
      map_ = *map;
    } else {
      throw InputError("`gain` must be a name or a map");
    }
  }

  double operator()(double grade) const {
    if (grade < 0) return 0.0;
    if (kind_ == Kind::linear) return grade;
    if (kind_ == Kind::exp) return exp2_minus_one(grade);
    const auto found = map_.find(grade);
    if (found == map_.end()) {
      char text[32];
      std::snprintf(text, sizeof text, "%g", grade);
      throw InputError(std::string("the gain map has no entry for the grade ") + text, "", 0,
                       "add it to the map");
    }
    return found->second;
  }

  // Whether a document of grade 0 or less may be worth something.
  bool rewards_zero() const { return kind_ == Kind::map && map_.contains(0.0) && map_.at(0.0) != 0.0; }
  // Whether a better grade never has a smaller gain.
  bool ascending() const {
    double last = 0.0;
    for (const auto& [grade, gain] : map_) {
      if (gain < last) return false;
      last = gain;
    }
    return true;
  }

 private:
  enum class Kind { linear, exp, map };

  static double exp2_minus_one(double grade) {
    if (grade == std::floor(grade) && grade < 62) {
      return static_cast<double>((std::uint64_t{1} << static_cast<int>(grade)) - 1);
    }
    return std::pow(2.0, grade) - 1.0;
  }

  Kind kind_ = Kind::linear;
  GainMap map_;
};

}  // namespace relkit
