// Measures that trec_eval introduced: NDCG averaged along the list, G, YAAP.
#include <functional>

#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

// Measures that compare with the gains of all judged documents in the best order.
class GradedKernel : public Kernel {
 public:
  explicit GradedKernel(Gain gain) : gain_(std::move(gain)) {}
  bool needs_all_ranks() const override { return gain_.counts_zero(); }

 protected:
  // Gains above 0 of all judged documents, the highest first.
  void best(const QueryView& query, std::vector<double>& gains) const {
    gains.clear();
    for (const double grade : query.judged) {
      const double gain = gain_(grade);
      if (gain > 0) gains.push_back(gain);
    }
    if (!gain_.ascending()) std::sort(gains.begin(), gains.end(), std::greater<>());
  }

  const Gain gain_;
  const Discount discount_;
};

class LevelNDCG final : public GradedKernel {
 public:
  LevelNDCG(Gain gain, double rel) : GradedKernel(std::move(gain)), rel_(rel) {}

  Partial score(const QueryView& query, Scratch& scratch) const override {
    if (relevant_of(query.judged, rel_) == 0) return {};
    std::vector<double>& gains = scratch.more_doubles;
    best(query, gains);
    if (gains.empty()) return {};
    double actual = 0.0;
    double ideal = 0.0;
    double sum = 0.0;
    double points = 0.0;
    auto next = query.ranked.begin();
    const auto advance = [&](std::uint64_t to) {
      for (; next != query.ranked.end() && next->rank <= to; ++next) {
        const double gain = gain_(next->grade);
        if (gain != 0) actual += gain / discount_(next->rank);
      }
    };
    for (std::size_t rank = 1; rank <= gains.size(); ++rank) {
      ideal += gains[rank - 1] / discount_(rank);
      if (rank < gains.size() && gains[rank] == gains[rank - 1]) continue;
      advance(rank);
      sum += actual / ideal;
      points += 1.0;
    }
    if (query.retrieved > gains.size() + 1) {
      advance(query.retrieved);
      sum += actual / ideal;
      points += 1.0;
    }
    return mean_of(sum / points);
  }

 private:
  const double rel_;
};

class RelevantNDCG final : public GradedKernel {
 public:
  using GradedKernel::GradedKernel;

  Partial score(const QueryView& query, Scratch& scratch) const override {
    std::vector<double>& gains = scratch.more_doubles;
    best(query, gains);
    if (gains.empty()) return {};
    const auto count = static_cast<double>(gains.size());
    double actual = 0.0;
    double ideal = 0.0;
    double sum = 0.0;
    double left = count;
    std::size_t added = 0;
    const auto advance = [&](std::uint64_t to) {
      for (; added < gains.size() && added < to; ++added)
        ideal += gains[added] / discount_(added + 1);
    };
    for (const Ranked& document : query.ranked) {
      const double gain = gain_(document.grade);
      if (!(gain > 0)) continue;
      actual += gain / discount_(document.rank);
      advance(document.rank);
      sum += actual / ideal;
      left -= 1.0;
    }
    advance(gains.size());
    sum += left * actual / ideal;
    return mean_of(sum / count);
  }
};

class GMeasure final : public GradedKernel {
 public:
  using GradedKernel::GradedKernel;

  Partial score(const QueryView& query, Scratch& scratch) const override {
    std::vector<double>& gains = scratch.more_doubles;
    best(query, gains);
    if (gains.empty()) return {};
    double of = 0.0;
    for (const double gain : gains) of += gain;
    double spent = 0.0;
    double gained = 0.0;
    double sum = 0.0;
    std::uint64_t rank = 0;
    for (const Ranked& document : query.ranked) {
      const double gain = gain_(document.grade);
      if (gain == 0) continue;
      for (; rank < document.rank && rank < gains.size(); ++rank)
        spent += std::max(gains[rank], 1.0);
      spent += static_cast<double>(document.rank - rank);
      rank = document.rank;
      gained += gain;
      sum += gain / std::log2(2.0 + spent - gained);
    }
    return mean_of(sum / of);
  }
};

class BinaryG final : public BinaryKernel {
 public:
  explicit BinaryG(double rel) : BinaryKernel(0, rel, false) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    double sum = 0.0;
    std::uint64_t found = 0;
    for (const Ranked& document : query.ranked) {
      if (!relevant(document)) continue;
      // 2 and the other documents above
      sum += 1.0 / discount_(document.rank - found);
      ++found;
    }
    return mean_of(sum / static_cast<double>(judged));
  }

 private:
  const Discount discount_;
};

class SmoothedAP final : public BinaryKernel {
 public:
  explicit SmoothedAP(double rel) : BinaryKernel(0, rel, false) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    double sum = 0.0;
    std::uint64_t found = 0;
    for (const Ranked& document : query.ranked) {
      if (!relevant(document)) continue;
      ++found;
      sum += static_cast<double>(found) / static_cast<double>(document.rank);
    }
    return mean_of(std::log((1.0 + sum) / (1.0 + static_cast<double>(judged) - sum)));
  }
};

}  // namespace

std::unique_ptr<Kernel> make_trec_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  const bool binary = name == "bin_g" || name == "yaap";
  if (!binary && name != "rndcg" && name != "ndcg_rel" && name != "g") return nullptr;
  if (rules.ties == Ties::expected) refuse_expected(name);
  if (name == "bin_g") return std::make_unique<BinaryG>(parameters.take_rel());
  if (name == "yaap") return std::make_unique<SmoothedAP>(parameters.take_rel());
  Gain gain = Gain::take(parameters);
  if (name == "rndcg") return std::make_unique<LevelNDCG>(std::move(gain), parameters.take_rel());
  if (name == "ndcg_rel") return std::make_unique<RelevantNDCG>(std::move(gain));
  return std::make_unique<GMeasure>(std::move(gain));
}

}  // namespace relyon
