// Measures for incomplete judgments, and counts.
#include "families.hpp"
#include "groups.hpp"

namespace relkit {

namespace {

double at_least(std::span<const double> grades, double rel) {
  const auto end = std::partition_point(grades.begin(), grades.end(), [rel](double grade) { return grade >= rel; });
  return static_cast<double>(end - grades.begin());
}

void refuse_expected(const std::string& name, const Rules& rules) {
  if (rules.ties == Ties::expected) {
    throw InputError("`" + name + "` has no closed form under ties=expected", "", 0,
                     "choose another tie rule, such as ties=doc-desc");
  }
}

class BprefKernel final : public Kernel {
 public:
  BprefKernel(Reader& reader, const Rules& rules) : rel_(reader.number("rel", 1.0)) { refuse_expected("bpref", rules); }
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    const double relevant = at_least(query.judged, rel_);
    if (relevant == 0.0) return {};
    const double bound = std::min(relevant, static_cast<double>(query.judged.size()) - relevant);
    double above = 0.0, sum = 0.0;
    for (const Ranked& document : query.ranked) {
      if (document.grade < rel_) {
        above += 1.0;
      } else {
        sum += above > 0.0 ? 1.0 - std::min(above, relevant) / bound : 1.0;
      }
    }
    return {sum / relevant, sum / relevant, 1.0};
  }

 private:
  const double rel_;
};

class InfApKernel final : public Kernel {
 public:
  InfApKernel(Reader& reader, const Rules& rules) : rel_(reader.number("rel", 1.0)) { refuse_expected("infap", rules); }
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    const double relevant = at_least(query.judged, rel_);
    if (relevant == 0.0) return {};
    constexpr double epsilon = 0.00001;
    double found = 0.0, nonrelevant = 0.0, sum = 0.0;
    std::size_t pooled = 0;
    for (const Ranked& document : query.ranked) {
      while (pooled < query.pooled.size() && query.pooled[pooled] < document.rank) ++pooled;
      if (document.grade < rel_) {
        nonrelevant += 1.0;
        continue;
      }
      const double rank = document.rank, above = rank - 1.0;
      double precision = 1.0 / rank;
      if (above > 0.0) {
        precision += (above / rank) * ((found + nonrelevant + static_cast<double>(pooled)) / above) *
                     ((found + epsilon) / (found + nonrelevant + 2.0 * epsilon));
      }
      sum += precision;
      found += 1.0;
    }
    return {sum / relevant, sum / relevant, 1.0};
  }

 private:
  const double rel_;
};

class JudgedKernel final : public Kernel {
 public:
  JudgedKernel(Reader& reader, const Rules& rules) : k_(reader.cutoff()), expected_(rules.ties == Ties::expected) {}
  std::uint32_t cutoff() const override { return k_; }
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    if (query.retrieved == 0) return {};
    const std::uint32_t depth = depth_of(k_, query);
    const double of = std::min(static_cast<double>(depth), static_cast<double>(query.retrieved));
    double found = 0.0;
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth) return;
      const auto here = static_cast<double>(members.size());
      found += last <= depth ? here : here * (depth - first + 1) / (last - first + 1);
    });
    return {found / of, found, of};
  }

 private:
  const std::uint32_t k_;
  const bool expected_;
};

class NumRetKernel final : public Kernel {
 public:
  Partial score(const QueryView& query, Scratch&) const override {
    const auto count = static_cast<double>(query.retrieved);
    return {count, count, 1.0};
  }
};

class NumRelKernel final : public Kernel {
 public:
  explicit NumRelKernel(Reader& reader) : rel_(reader.number("rel", 1.0)) {}
  Partial score(const QueryView& query, Scratch&) const override {
    const double count = at_least(query.judged, rel_);
    return {count, count, 1.0};
  }

 private:
  const double rel_;
};

class NumRelRetKernel final : public Kernel {
 public:
  NumRelRetKernel(Reader& reader, const Rules& rules)
      : k_(reader.cutoff()), rel_(reader.number("rel", 1.0)), expected_(rules.ties == Ties::expected) {}
  std::uint32_t cutoff() const override { return k_; }
  bool needs_all_ranks() const override { return rel_ <= 0; }

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint32_t depth = depth_of(k_, query);
    double found = 0.0;
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth) return;
      double here = 0.0;
      for (const Ranked& document : members) here += document.grade >= rel_;
      found += last <= depth ? here : here * (depth - first + 1) / (last - first + 1);
    });
    return {found, found, 1.0};
  }

 private:
  const std::uint32_t k_;
  const double rel_;
  const bool expected_;
};

}  // namespace

std::unique_ptr<Kernel> make_incomplete_kernel(const std::string& name, Reader& reader, const Rules& rules) {
  if (name == "bpref") return std::make_unique<BprefKernel>(reader, rules);
  if (name == "infap") return std::make_unique<InfApKernel>(reader, rules);
  if (name == "judged") return std::make_unique<JudgedKernel>(reader, rules);
  if (name == "num_ret") return std::make_unique<NumRetKernel>();
  if (name == "num_rel") return std::make_unique<NumRelKernel>(reader);
  if (name == "num_rel_ret") return std::make_unique<NumRelRetKernel>(reader, rules);
  return nullptr;
}

}  // namespace relkit
