// CG, DCG, NDCG, RBP, ERR: measures of graded gain.
#include <algorithm>
#include <array>
#include <functional>

#include "families.hpp"
#include "groups.hpp"

namespace relkit {

namespace {

enum class Discount { log2, inverse, none };

// log2(rank + 1) of the first ranks, as the loop over ranks would compute it.
const std::array<double, 4096> logarithms = [] {
  std::array<double, 4096> table{};
  for (std::size_t rank = 0; rank < table.size(); ++rank) table[rank] = std::log2(static_cast<double>(rank) + 1.0);
  return table;
}();

inline double divisor(Discount discount, std::uint64_t rank) {
  if (discount == Discount::log2) {
    return rank < logarithms.size() ? logarithms[rank] : std::log2(static_cast<double>(rank) + 1.0);
  }
  return discount == Discount::inverse ? static_cast<double>(rank) : 1.0;
}

Discount read_discount(Reader& reader) {
  const std::string name = reader.text("discount", "log2", {"log2", "inverse", "none"});
  return name == "log2" ? Discount::log2 : name == "inverse" ? Discount::inverse : Discount::none;
}

class Gains : public Kernel {
 public:
  Gains(Reader& reader, const Rules& rules, bool discounted)
      : k_(reader.cutoff()),
        gain_(reader.find("gain")),
        discount_(discounted ? read_discount(reader) : Discount::none),
        expected_(rules.ties == Ties::expected) {}

  std::uint32_t cutoff() const override { return k_; }
  bool needs_all_ranks() const override { return gain_.rewards_zero(); }

  Partial score(const QueryView& query, Scratch&) const override {
    const double value = discounted(query);
    return {value, value, 1.0};
  }

 protected:
  double discounted(const QueryView& query) const {
    const std::uint32_t depth = depth_of(k_, query);
    double sum = 0.0;
    if (!expected_) {
      for (const Ranked& document : query.ranked) {
        if (document.rank > depth) break;
        sum += gain_(document.grade) / divisor(discount_, document.rank);
      }
      return sum;
    }
    each_group(query, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth) return;
      double total = 0.0;
      for (const Ranked& document : members) total += gain_(document.grade);
      const double mean = total / static_cast<double>(last - first + 1);
      for (std::uint32_t rank = first; rank <= std::min(last, depth); ++rank) sum += mean / divisor(discount_, rank);
    });
    return sum;
  }

  const std::uint32_t k_;
  const Gain gain_;
  const Discount discount_;
  const bool expected_;
};

class Ndcg final : public Gains {
 public:
  Ndcg(Reader& reader, const Rules& rules)
      : Gains(reader, rules, true),
        retrieved_(reader.text("ideal", "judged", {"judged", "retrieved"}) == "retrieved"),
        ascending_(gain_.ascending()) {}

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const double best = ideal(query, scratch);
    if (!(best > 0.0)) return {};
    const double value = discounted(query) / best;
    return {value, value, 1.0};
  }

 private:
  double ideal(const QueryView& query, Scratch& scratch) const {
    std::span<const double> grades = query.judged;
    if (retrieved_) {
      scratch.doubles.clear();
      for (const Ranked& document : query.ranked) scratch.doubles.push_back(document.grade);
      std::sort(scratch.doubles.begin(), scratch.doubles.end(), std::greater<>());
      grades = scratch.doubles;
    }
    const std::size_t depth = k_ == 0 ? grades.size() : std::min<std::size_t>(k_, grades.size());
    double sum = 0.0;
    if (ascending_) {
      for (std::size_t place = 0; place < depth; ++place) {
        const double gain = gain_(grades[place]);
        if (gain == 0.0) break;
        sum += gain / divisor(discount_, place + 1);
      }
      return sum;
    }
    scratch.more_doubles.clear();
    for (const double grade : grades) scratch.more_doubles.push_back(gain_(grade));
    std::sort(scratch.more_doubles.begin(), scratch.more_doubles.end(), std::greater<>());
    for (std::size_t place = 0; place < depth; ++place) {
      sum += scratch.more_doubles[place] / divisor(discount_, place + 1);
    }
    return sum;
  }

  const bool retrieved_;
  const bool ascending_;
};

class Rbp final : public Kernel {
 public:
  Rbp(Reader& reader, const Rules& rules)
      : k_(reader.cutoff()),
        p_(reader.number("p", 0.8)),
        rel_(reader.number("rel", 1.0)),
        graded_(reader.find("gain") != nullptr),
        gain_(reader.find("gain")),
        expected_(rules.ties == Ties::expected) {}

  std::uint32_t cutoff() const override { return k_; }
  bool needs_all_ranks() const override { return graded_ ? gain_.rewards_zero() : rel_ <= 0; }

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint32_t depth = depth_of(k_, query);
    double sum = 0.0;
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth) return;
      double total = 0.0;
      for (const Ranked& document : members) total += gain(document.grade);
      if (total == 0.0) return;
      const double mean = total / static_cast<double>(last - first + 1);
      for (std::uint32_t rank = first; rank <= std::min(last, depth); ++rank) {
        sum += mean * (1.0 - p_) * std::pow(p_, static_cast<double>(rank - 1));
      }
    });
    return {sum, sum, 1.0};
  }

 private:
  double gain(double grade) const {
    if (!graded_) return grade >= rel_ ? 1.0 : 0.0;
    const double value = gain_(grade);
    if (value > 1.0) throw InputError("`rbp` needs gains from 0 to 1", "", 0, "give a map of grades to gains");
    return value;
  }

  const std::uint32_t k_;
  const double p_;
  const double rel_;
  const bool graded_;
  const Gain gain_;
  const bool expected_;
};

class Err final : public Kernel {
 public:
  Err(Reader& reader, const Rules& rules)
      : k_(reader.cutoff()), max_(reader.number("max", 1.0)), expected_(rules.ties == Ties::expected) {}

  std::uint32_t cutoff() const override { return k_; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const std::uint32_t depth = depth_of(k_, query);
    double sum = 0.0, reached = 1.0;
    if (!expected_) {
      for (const Ranked& document : query.ranked) {
        if (document.rank > depth) break;
        const double stop = stops(document.grade);
        sum += reached * stop / static_cast<double>(document.rank);
        reached *= 1.0 - stop;
      }
      return {sum, sum, 1.0};
    }
    each_group(query, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth) return;
      // Mean over all orders of the chance to pass the first t members: the elementary symmetric
      // polynomial of degree t of their chances to be passed, divided by the number of its terms.
      const std::size_t size = last - first + 1;
      std::vector<double>& passed = scratch.doubles;
      passed.assign(size + 1, 0.0);
      passed[0] = 1.0;
      for (std::size_t member = 0; member < size; ++member) {
        const double pass = member < members.size() ? 1.0 - stops(members[member].grade) : 1.0;
        const double count = static_cast<double>(member + 1);
        for (std::size_t t = member + 1; t > 0; --t) {
          const double inside = static_cast<double>(t) / count;
          passed[t] = passed[t] * (1.0 - inside) + passed[t - 1] * pass * inside;
        }
      }
      for (std::size_t t = 1; t <= size && first + t - 1 <= depth; ++t) {
        sum += reached * (passed[t - 1] - passed[t]) / static_cast<double>(first + t - 1);
      }
      reached *= passed[size];
    });
    return {sum, sum, 1.0};
  }

 private:
  double stops(double grade) const {
    if (grade <= 0) return 0.0;
    if (grade > max_) {
      throw InputError("`err` met a grade above its highest: " + std::to_string(grade), "", 0,
                       "raise the parameter: err(max=…)");
    }
    return (std::pow(2.0, grade) - 1.0) / std::pow(2.0, max_);
  }

  const std::uint32_t k_;
  const double max_;
  const bool expected_;
};

}  // namespace

std::unique_ptr<Kernel> make_gain_kernel(const std::string& name, Reader& reader, const Rules& rules) {
  if (name == "cg") return std::make_unique<Gains>(reader, rules, false);
  if (name == "dcg") return std::make_unique<Gains>(reader, rules, true);
  if (name == "ndcg") return std::make_unique<Ndcg>(reader, rules);
  if (name == "rbp") return std::make_unique<Rbp>(reader, rules);
  if (name == "err") return std::make_unique<Err>(reader, rules);
  return nullptr;
}

}  // namespace relkit
