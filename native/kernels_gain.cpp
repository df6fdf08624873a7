// CG, DCG, IDCG, NDCG.
#include <functional>

#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {

const std::array<double, 4096>& Discount::logarithms() {
  static const std::array<double, 4096> table = [] {
    std::array<double, 4096> values{};
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      values[rank] = std::log2(static_cast<double>(rank) + 1.0);
    }
    return values;
  }();
  return table;
}

Gain Gain::take(Parameters& parameters) {
  Gain gain;
  gain.table_.fill(-1.0);
  gain.table_[0] = 0.0;
  const Parameter value = parameters.take("gain");
  if (const auto* map = std::get_if<GainMap>(&value)) {
    gain.kind_ = Kind::map;
    gain.table_[0] = -1.0;
    gain.map_ = *map;
    std::sort(gain.map_.begin(), gain.map_.end());
    if (!gain.map_.empty() && std::isinf(gain.map_.back().first)) {
      gain.others_ = true;
      gain.ascending_ = false;
      gain.map_.pop_back();
      for (std::size_t grade = 0; grade < table_size; ++grade) {
        gain.table_[grade] = static_cast<double>(grade);
      }
    }
    double highest = 0.0;
    for (const auto& [grade, worth] : gain.map_) {
      if (!(worth >= 0) || !std::isfinite(worth) || !std::isfinite(grade)) {
        parameters.refuse("gain", "a map of grades to gains of 0 or more");
      }
      if (grade < 0) continue;
      gain.ascending_ &= worth >= highest;
      highest = worth;
      if (grade < table_size && grade == std::floor(grade)) {
        gain.table_[static_cast<std::size_t>(grade)] = worth;
      }
    }
    return gain;
  }
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && *text == "exp") {
    gain.kind_ = Kind::exponential;
    for (std::size_t grade = 0; grade < table_size; ++grade) {
      gain.table_[grade] = std::pow(2.0, static_cast<double>(grade)) - 1.0;
    }
  } else if (!std::holds_alternative<std::monostate>(value) &&
             (text == nullptr || *text != "linear")) {
    parameters.refuse("gain", "`linear`, `exp` or a map of grades to gains");
  }
  return gain;
}

double Gain::look_up(double grade) const {
  if (kind_ == Kind::exponential) return std::pow(2.0, grade) - 1.0;
  const auto found = std::lower_bound(
      map_.begin(), map_.end(), grade,
      [](const std::pair<double, double>& entry, double wanted) { return entry.first < wanted; });
  if (found != map_.end() && found->first == grade) return found->second;
  if (others_) return grade;
  throw InputError(Sentence("native.gain-map-has-no", {{"grade", short_text(grade)}}), {}, 0,
                   "native.add-grade-to-map");
}

namespace {

enum class Ideal { judged, retrieved, hits, uncut };
enum class Value { actual, ideal, share };

class DiscountedGain final : public CutKernel {
 public:
  // `unjudged`: the grade of documents that nobody judged, NaN where they have none.
  DiscountedGain(std::uint32_t k, Gain gain, Discount discount, Value value, Ideal ideal,
                 double unjudged, bool expected)
      : CutKernel(k),
        gain_(std::move(gain)),
        discount_(discount),
        value_(value),
        ideal_(ideal),
        unjudged_(std::isnan(unjudged) ? 0.0 : gain_(unjudged)),
        expected_(expected) {
    // Shares of whole grades at the first ranks are looked up instead of divided. A map may lack
    // a grade: such grades are left to the gain itself.
    table_.assign(table_grades * table_ranks, -1.0);
    std::size_t known = 0;
    for (std::size_t grade = 0; grade < table_grades; ++grade) {
      if (!gain_.knows(static_cast<double>(grade))) continue;
      const double worth = gain_(static_cast<double>(grade));
      for (std::size_t rank = 1; rank < table_ranks; ++rank) {
        table_[grade * table_ranks + rank] = worth / discount_(rank);
      }
      ++known;
    }
    table_full_ = known == table_grades;
  }

  // The best order of a list does not depend on its ties.
  std::uint32_t cutoff() const override { return value_ == Value::ideal ? 0 : k_; }
  std::uint32_t reach() const override {
    return ideal_ == Ideal::retrieved || unjudged_ > 0 ? 0 : k_;
  }
  bool needs_all_ranks() const override { return gain_.counts_zero() || unjudged_ > 0; }
  bool sees_ties() const override { return value_ != Value::ideal; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    if (value_ == Value::actual) return mean_of(actual(query) + of_unjudged(query));
    const double best = ideal(query, scratch);
    if (value_ == Value::ideal) return mean_of(best);
    return mean_of(best > 0 ? (actual(query) + of_unjudged(query)) / best : undefined);
  }

 private:
  double actual(const QueryView& query) const {
    if (expected_) return mean(query);
    if (in_table(query)) {
      return add_ranked(query, [this](const Ranked& document) {
        return table_share(document.grade, document.rank);
      });
    }
    return add_ranked(
        query, [this](const Ranked& document) { return share(document.grade, document.rank); });
  }

  template <typename Share>
  double add_ranked(const QueryView& query, const Share& share_of) const {
    double sum = 0.0;
    if (limit_ >= query.retrieved) {
      for (const Ranked& document : query.ranked) sum += share_of(document);
      return sum;
    }
    for (const Ranked& document : query.ranked) {
      if (document.rank > limit_) break;
      sum += share_of(document);
    }
    return sum;
  }

  // The same over all orders of tied documents.
  double mean(const QueryView& query) const {
    double sum = 0.0;
    for_ties(query.ranked, [&](const Tie& tie) {
      if (tie.first > limit_) return false;
      double gains = 0.0;
      for (const Ranked& document : tie.members) gains += gain_(document.grade);
      if (gains > 0) {
        double weights = 0.0;
        const std::uint64_t end = std::min<std::uint64_t>(tie.last, limit_);
        for (std::uint64_t rank = tie.first; rank <= end; ++rank) weights += 1.0 / discount_(rank);
        sum += tie.size() == 1 ? gains / discount_(tie.first) : gains / tie.size() * weights;
      }
      return true;
    });
    return sum;
  }

  // What the documents that nobody judged add.
  double of_unjudged(const QueryView& query) const {
    if (unjudged_ <= 0) return 0.0;
    double weights = 0.0;
    const std::uint64_t end = depth(query);
    if (expected_) {
      // Of a tie's ranks, each holds an unjudged document with the same chance.
      std::uint64_t rank = 1;
      for_ties(query.ranked, [&](const Tie& tie) {
        for (; rank < tie.first && rank <= end; ++rank) weights += 1.0 / discount_(rank);
        const double share = (tie.size() - static_cast<double>(tie.members.size())) / tie.size();
        for (; rank <= tie.last && rank <= end; ++rank) weights += share / discount_(rank);
        return rank <= end;
      });
      for (; rank <= end; ++rank) weights += 1.0 / discount_(rank);
      return unjudged_ * weights;
    }
    auto next = query.ranked.begin();
    for (std::uint64_t rank = 1; rank <= end; ++rank) {
      if (next != query.ranked.end() && next->rank == rank) {
        ++next;
      } else {
        weights += 1.0 / discount_(rank);
      }
    }
    return unjudged_ * weights;
  }

  // Whether the table has every grade of the query and every rank of its list and its ideal one.
  bool in_table(const QueryView& query) const {
    return table_full_ && query.levels != 0 && query.levels <= table_grades &&
           query.retrieved < table_ranks && query.judged.size() < table_ranks;
  }
  double table_share(double grade, std::uint64_t rank) const {
    return table_[static_cast<std::size_t>(static_cast<int>(grade)) * table_ranks + rank];
  }

  // What a document of a grade adds at a rank.
  double share(double grade, std::uint64_t rank) const {
    if (rank < table_ranks && grade >= 0 && grade < static_cast<double>(table_grades)) {
      const int whole = static_cast<int>(grade);
      const double found = table_[static_cast<std::size_t>(whole) * table_ranks + rank];
      if (static_cast<double>(whole) == grade && found >= 0) return found;
    }
    return gain_(grade) / discount_(rank);
  }

  double ideal(const QueryView& query, Scratch& scratch) const {
    std::span<const double> grades = query.judged;
    if (ideal_ == Ideal::retrieved && !(query.complete && query.ranked.size() == grades.size())) {
      scratch.doubles.clear();
      for (const Ranked& document : query.ranked) scratch.doubles.push_back(document.grade);
      std::sort(scratch.doubles.begin(), scratch.doubles.end(), std::greater<>());
      grades = scratch.doubles;
    }
    if (!gain_.ascending() || gain_.counts_zero()) {
      scratch.more_doubles.clear();
      for (const double grade : grades) scratch.more_doubles.push_back(gain_(grade));
      std::sort(scratch.more_doubles.begin(), scratch.more_doubles.end(), std::greater<>());
      return add_up(scratch.more_doubles, ideal_end(query),
                    [&](double gain, std::uint64_t rank) { return gain / discount_(rank); });
    }
    if (in_table(query)) {
      return add_up(grades, ideal_end(query),
                    [&](double grade, std::uint64_t rank) { return table_share(grade, rank); });
    }
    return add_up(grades, ideal_end(query),
                  [&](double grade, std::uint64_t rank) { return share(grade, rank); });
  }

  // The last rank of the ideal list.
  std::uint64_t ideal_end(const QueryView& query) const {
    if (ideal_ == Ideal::uncut) return std::numeric_limits<std::uint64_t>::max();
    return ideal_ == Ideal::hits ? depth(query) : limit_;
  }

  // Adds the shares of grades or gains in the best order, down to the first that is worth nothing.
  template <typename Share>
  double add_up(std::span<const double> values, std::uint64_t last, const Share& share_of) const {
    const std::uint64_t end = std::min<std::uint64_t>(values.size(), last);
    double sum = 0.0;
    for (std::uint64_t i = 0; i < end; ++i) {
      const double added = share_of(values[i], i + 1);
      if (added <= 0) break;
      sum += added;
    }
    return sum;
  }

  static constexpr std::size_t table_grades = 8;
  static constexpr std::size_t table_ranks = 257;

  const Gain gain_;
  const Discount discount_;
  const Value value_;
  const Ideal ideal_;
  const double unjudged_;
  const bool expected_;
  std::vector<double> table_;
  bool table_full_ = false;  // for every grade
};

}  // namespace

std::unique_ptr<Kernel> make_gain_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  if (name != "cg" && name != "dcg" && name != "idcg" && name != "ndcg") return nullptr;
  const std::uint32_t k = parameters.take_cutoff();
  Gain gain = Gain::take(parameters);
  const Discount discount =
      name == "cg" ? Discount(Discount::Kind::none) : Discount::take(parameters);
  const Value value = name == "ndcg" ? Value::share : name == "idcg" ? Value::ideal : Value::actual;
  Ideal ideal = Ideal::judged;
  if (value != Value::actual) {
    ideal = static_cast<Ideal>(
        parameters.take_choice("ideal", {"judged", "retrieved", "hits", "uncut"}));
  }
  const double unjudged = parameters.take_number("unjudged", undefined);
  return std::make_unique<DiscountedGain>(k, std::move(gain), discount, value, ideal, unjudged,
                                          rules.ties == Ties::expected);
}

}  // namespace relyon
