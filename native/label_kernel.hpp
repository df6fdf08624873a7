// What kernels of labels share: which documents have one, and what it is.
#pragma once

#include "huge.hpp"
#include "kernel_parts.hpp"
#include "pairs.hpp"
#include "weighted.hpp"

namespace relyon {

// Works on the labels of retrieved documents: judged ones, or all with unjudged ones as 0. Labels
// are grades as they are: below 0 they keep their order.
class LabelKernel : public Kernel {
 public:
  explicit LabelKernel(bool unjudged) : unjudged_(unjudged) {}
  bool needs_pairs() const override { return true; }
  bool needs_scores() const override { return unjudged_; }
  bool sees_ties() const override { return false; }

 protected:
  Rows labelled(const QueryView& query, Scratch& scratch) const {
    std::vector<double>& scores = scratch.doubles;
    std::vector<double>& labels = scratch.more_doubles;
    if (unjudged_ && query.complete) {
      labels.assign(query.scores.size(), 0.0);
      for (const Ranked& document : query.ranked) {
        labels[document.rank - 1] = document.grade;
      }
      return {query.scores, labels};
    }
    const std::size_t size = query.ranked.size();
    resize_huge(scores, size);
    resize_huge(labels, size);
    for (std::size_t i = 0; i < size; ++i) {
      scores[i] = query.ranked[i].score;
      labels[i] = query.ranked[i].grade;
    }
    return {scores, labels};
  }

 private:
  const bool unjudged_;
};

inline bool take_unjudged(Parameters& parameters) {
  return parameters.take_choice("unjudged", {"removed", "nonrelevant"}) == 1;
}

}  // namespace relyon
