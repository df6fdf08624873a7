// PNR, its share, AUC, GAUC, and the agreement of scores with labels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "families.hpp"
#include "pairs.hpp"

namespace relkit {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Measures over documents that have a label.
class Labels : public Kernel {
 public:
  explicit Labels(Reader& reader)
      : unjudged_(reader.text("unjudged", "removed", {"removed", "nonrelevant"}) == "nonrelevant") {}
  bool needs_all_ranks() const override { return true; }
  bool needs_unjudged() const override { return unjudged_; }

 protected:
  // Labelled documents in ranked order, in memory of this thread.
  const std::vector<Labelled>& labelled(const QueryView& query) const {
    thread_local std::vector<Labelled> documents;
    documents.clear();
    const auto add = [](const Ranked& document) {
      documents.push_back({document.score, std::max(document.grade, 0.0)});
    };
    if (!unjudged_) {
      for (const Ranked& document : query.ranked) add(document);
      return documents;
    }
    std::size_t next = 0;
    for (const Ranked& document : query.ranked) {
      while (next < query.unjudged.size() && query.unjudged[next].rank < document.rank) add(query.unjudged[next++]);
      add(document);
    }
    while (next < query.unjudged.size()) add(query.unjudged[next++]);
    return documents;
  }

  static PairCounter& counter() {
    thread_local PairCounter counter;
    return counter;
  }

 private:
  const bool unjudged_;
};

class PairKernel final : public Labels {
 public:
  PairKernel(Reader& reader, bool share)
      : Labels(reader),
        share_(share),
        label_ties_(reader.text("label_ties", "positive", {"positive", "ignore"}) == "positive"),
        score_ties_(reader.text("score_ties", "ignore", {"ignore", "half", "rank"})),
        smoothing_(share ? 0.0 : reader.number("smoothing", 0.0)) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const PairCounter::Result counts = counter().count(labelled(query));
    std::int64_t positive = counts.all.better + (label_ties_ ? counts.all.equal : 0);
    std::int64_t negative = counts.all.worse;
    double halves = 0.0;
    if (score_ties_ != "rank") {
      const std::int64_t tied_positive = counts.tied.better + (label_ties_ ? counts.tied.equal : 0);
      positive -= tied_positive;
      negative -= counts.tied.worse;
      if (score_ties_ == "half") halves = static_cast<double>(tied_positive + counts.tied.worse) / 2.0;
    }
    const double up = static_cast<double>(positive) + halves;
    const double down = static_cast<double>(negative) + halves;
    if (share_) return {up + down > 0.0 ? up / (up + down) : nan, up, up + down};
    const double over = up + smoothing_, under = down + smoothing_;
    if (up + down == 0.0) return {nan, up, down};
    return {under > 0.0 ? over / under : std::numeric_limits<double>::infinity(), up, down};
  }

 private:
  const bool share_;
  const bool label_ties_;
  const std::string score_ties_;
  const double smoothing_;
};

class AucKernel final : public Labels {
 public:
  AucKernel(Reader& reader, bool grouped)
      : Labels(reader),
        grouped_(grouped),
        rel_(reader.number("rel", 1.0)),
        weight_(grouped ? reader.text("weight", "uniform", {"uniform", "rows", "positives"}) : "") {}
  bool pooled() const override { return !grouped_; }

  void pool(const QueryView& query, Pool& into) const override {
    for (const Labelled& document : labelled(query)) {
      (document.label >= rel_ ? into.positive : into.negative).push_back(document.score);
    }
  }

  Partial score(const QueryView& query, Scratch&) const override {
    thread_local std::vector<std::pair<double, bool>> documents;
    documents.clear();
    double positives = 0.0;
    for (const Labelled& document : labelled(query)) {
      const bool positive = document.label >= rel_;
      positives += positive;
      documents.emplace_back(document.score, positive);
    }
    const double negatives = static_cast<double>(documents.size()) - positives;
    if (positives == 0.0 || negatives == 0.0) return {};
    const auto better = [](const auto& a, const auto& b) { return a.first > b.first; };
    if (!std::is_sorted(documents.begin(), documents.end(), better)) {
      std::sort(documents.begin(), documents.end(), better);
    }
    double won = 0.0, above = 0.0;  // positives above each negative
    for (std::size_t start = 0; start < documents.size();) {
      std::size_t end = start;
      double here = 0.0, lost = 0.0;
      while (end < documents.size() && documents[end].first == documents[start].first) {
        (documents[end].second ? here : lost) += 1.0;
        ++end;
      }
      won += lost * (above + here / 2.0);
      above += here;
      start = end;
    }
    const double value = won / (positives * negatives);
    if (!grouped_) return {value, value, 1.0};
    const double weight = weight_ == "rows" ? positives + negatives : weight_ == "positives" ? positives : 1.0;
    return {value, weight * value, weight};
  }

 private:
  const bool grouped_;
  const double rel_;
  const std::string weight_;
};

class TauKernel final : public Labels {
 public:
  using Labels::Labels;
  Partial score(const QueryView& query, Scratch&) const override {
    const std::vector<Labelled>& documents = labelled(query);
    const PairCounter::Result counts = counter().count(documents);
    const auto size = static_cast<std::int64_t>(documents.size());
    const std::int64_t pairs = size * (size - 1) / 2;
    const std::int64_t scores = pairs - counts.tied.better - counts.tied.equal - counts.tied.worse;
    const std::int64_t labels = pairs - counts.all.equal;
    const double norm = std::sqrt(static_cast<double>(scores)) * std::sqrt(static_cast<double>(labels));
    if (norm == 0.0) return {};
    const std::int64_t difference =
        (counts.all.better - counts.tied.better) - (counts.all.worse - counts.tied.worse);
    const double value = static_cast<double>(difference) / norm;
    return {value, value, 1.0};
  }
};

class SpearmanKernel final : public Labels {
 public:
  using Labels::Labels;
  Partial score(const QueryView& query, Scratch& scratch) const override {
    const std::vector<Labelled>& documents = labelled(query);
    average_ranks(documents, &Labelled::score, scratch.doubles);
    average_ranks(documents, &Labelled::label, scratch.more_doubles);
    const double mean = (static_cast<double>(documents.size()) + 1.0) / 2.0;
    double product = 0.0, scores = 0.0, labels = 0.0;
    for (std::size_t place = 0; place < documents.size(); ++place) {
      const double a = scratch.doubles[place] - mean, b = scratch.more_doubles[place] - mean;
      product += a * b;
      scores += a * a;
      labels += b * b;
    }
    const double norm = std::sqrt(scores) * std::sqrt(labels);
    if (norm == 0.0) return {};
    return {product / norm, product / norm, 1.0};
  }

 private:
  static void average_ranks(const std::vector<Labelled>& documents, double Labelled::*field,
                            std::vector<double>& ranks) {
    thread_local std::vector<std::uint32_t> order;
    order.resize(documents.size());
    for (std::uint32_t place = 0; place < order.size(); ++place) order[place] = place;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return documents[a].*field < documents[b].*field;
    });
    ranks.resize(documents.size());
    for (std::size_t start = 0; start < order.size();) {
      std::size_t end = start + 1;
      while (end < order.size() && documents[order[end]].*field == documents[order[start]].*field) ++end;
      for (std::size_t at = start; at < end; ++at) ranks[order[at]] = static_cast<double>(start + 1 + end) / 2.0;
      start = end;
    }
  }
};

class KappaKernel final : public Labels {
 public:
  using Labels::Labels;
  Partial score(const QueryView& query, Scratch&) const override {
    const std::vector<Labelled>& documents = labelled(query);
    double squares = 0.0, scores = 0.0, labels = 0.0, differences = 0.0;
    for (const Labelled& document : documents) {
      if (document.score != std::floor(document.score)) {
        throw InputError("`kappa` compares predicted grades, and " + std::to_string(document.score) +
                             " is not one",
                         "", 0, "round the scores to grades, or use tau or spearman for scores");
      }
      squares += document.score * document.score + document.label * document.label;
      scores += document.score;
      labels += document.label;
      differences += (document.score - document.label) * (document.score - document.label);
    }
    if (documents.empty()) return {};
    const double expected = squares - 2.0 * scores * labels / static_cast<double>(documents.size());
    if (!(expected > 0.0)) return {};
    const double value = 1.0 - differences / expected;
    return {value, value, 1.0};
  }
};

}  // namespace

std::unique_ptr<Kernel> make_pair_kernel(const std::string& name, Reader& reader, const Rules&) {
  if (name == "pnr") return std::make_unique<PairKernel>(reader, false);
  if (name == "concordance") return std::make_unique<PairKernel>(reader, true);
  if (name == "auc") return std::make_unique<AucKernel>(reader, false);
  if (name == "gauc") return std::make_unique<AucKernel>(reader, true);
  if (name == "tau") return std::make_unique<TauKernel>(reader);
  if (name == "spearman") return std::make_unique<SpearmanKernel>(reader);
  if (name == "kappa") return std::make_unique<KappaKernel>(reader);
  return nullptr;
}

}  // namespace relkit
