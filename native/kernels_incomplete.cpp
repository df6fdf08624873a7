// Measures for incomplete judgments, and counts.
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

class Bpref final : public Kernel {
 public:
  explicit Bpref(double rel) : rel_(rel) {}
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t relevant = relevant_of(query.judged, rel_);
    if (relevant == 0) return {};
    const std::uint64_t bound = std::min<std::uint64_t>(relevant, query.judged.size() - relevant);
    std::uint64_t above = 0;
    double sum = 0.0;
    for (const Ranked& document : query.ranked) {
      if (!(document.grade >= rel_)) {
        ++above;
      } else if (above == 0) {
        sum += 1.0;
      } else {
        sum += 1.0 - static_cast<double>(std::min(above, relevant)) / static_cast<double>(bound);
      }
    }
    return mean_of(sum / static_cast<double>(relevant));
  }

 private:
  const double rel_;
};

class InferredAP final : public Kernel {
 public:
  explicit InferredAP(double rel) : rel_(rel) {}
  bool needs_all_ranks() const override { return true; }
  bool needs_pooled() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    constexpr double epsilon = 0.00001;
    const std::uint64_t relevant = relevant_of(query.judged, rel_);
    if (relevant == 0) return {};
    double found = 0.0;
    double nonrelevant = 0.0;
    double pooled = 0.0;
    double sum = 0.0;
    auto next = query.pooled.begin();
    for (const Ranked& document : query.ranked) {
      for (; next != query.pooled.end() && *next < document.rank; ++next) pooled += 1.0;
      if (!(document.grade >= rel_)) {
        nonrelevant += 1.0;
        continue;
      }
      const double rank = document.rank;
      const double above = rank - 1.0;
      double precision = 1.0 / rank;
      if (above > 0) {
        precision += (above / rank) * ((found + nonrelevant + pooled) / above) *
                     ((found + epsilon) / (found + nonrelevant + 2 * epsilon));
      }
      sum += precision;
      found += 1.0;
    }
    return mean_of(sum / static_cast<double>(relevant));
  }

 private:
  const double rel_;
};

class Judged final : public CutKernel {
 public:
  Judged(std::uint32_t k, bool expected) : CutKernel(k), expected_(expected) {}
  // The worst and the best order by gain say nothing of judged documents without gain.
  bool sees_ties() const override { return false; }
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    const auto of = static_cast<double>(depth(query));
    if (of == 0) return {};
    double found = 0.0;
    if (expected_) {
      for_ties(query.ranked, [&](const Tie& tie) {
        const double within = tie.within(limit_);
        found += static_cast<double>(tie.members.size()) * within / tie.size();
        return within > 0;
      });
    } else {
      const auto end =
          std::partition_point(query.ranked.begin(), query.ranked.end(),
                               [this](const Ranked& document) { return document.rank <= limit_; });
      found = static_cast<double>(end - query.ranked.begin());
    }
    return {found / of, found, of};
  }

 private:
  const bool expected_;
};

class Retrieved final : public Kernel {
 public:
  bool sees_ties() const override { return false; }
  Partial score(const QueryView& query, Scratch&) const override {
    return mean_of(static_cast<double>(query.retrieved));
  }
};

class Relevant final : public Kernel {
 public:
  explicit Relevant(double rel) : rel_(rel) {}
  bool sees_ties() const override { return false; }
  Partial score(const QueryView& query, Scratch&) const override {
    return mean_of(static_cast<double>(relevant_of(query.judged, rel_)));
  }

 private:
  const double rel_;
};

}  // namespace

std::unique_ptr<Kernel> make_incomplete_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  const bool expected = rules.ties == Ties::expected;
  if (name == "bpref" || name == "infap") {
    if (expected) refuse_expected(name);
    const double rel = parameters.take_rel();
    if (name == "bpref") return std::make_unique<Bpref>(rel);
    return std::make_unique<InferredAP>(rel);
  }
  if (name == "judged") return std::make_unique<Judged>(parameters.take_cutoff(), expected);
  if (name == "num_ret") return std::make_unique<Retrieved>();
  if (name == "num_rel") return std::make_unique<Relevant>(parameters.take_rel());
  return nullptr;
}

std::unique_ptr<Kernel> make_kernel(Parameters parameters, const Rules& rules) {
  const bool judged_only = parameters.take_flag("judged_only", false);
  std::unique_ptr<Kernel> kernel;
  for (const auto make :
       {make_gain_kernel, make_binary_kernel, make_cascade_kernel, make_incomplete_kernel,
        make_diversity_kernel, make_pair_kernel, make_class_kernel, make_set_kernel,
        make_trec_kernel, make_continuation_kernel, make_order_kernel}) {
    kernel = make(parameters, rules);
    if (kernel) break;
  }
  if (!kernel)
    throw InputError(Sentence("native.unknown-kernel", {{"kernel", parameters.kernel()}}));
  parameters.finish();
  return judged_only ? condense(std::move(kernel), parameters.kernel()) : std::move(kernel);
}

}  // namespace relyon
