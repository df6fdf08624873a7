// Rows of a label and a score: complete lists of which every document is judged.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "evaluator.hpp"
#include "label_facts.hpp"
#include "pool.hpp"
#include "weighted.hpp"

namespace relyon {

// The rows of one query. Without weights all weigh the same.
struct LabelledRows {
  std::span<const double> labels;
  std::span<const double> scores;
  std::span<const double> weights;
  Levels levels;  // of the labels
};

// Evaluates one query after the other. One a thread.
class LabelledEvaluator {
 public:
  explicit LabelledEvaluator(const Plan& plan);

  // True where measures see nothing but the scores of the two classes, whatever the labels are.
  bool classes_suffice() const {
    return classes_only_ && plan_.rules.negative == Negative::nonrelevant;
  }

  // Evaluates a query into row `row` of columns that are long enough and that other threads may
  // write other rows of. Ties and pools stay here until `take`.
  void add_at(std::size_t row, const LabelledRows& rows, std::vector<Column>& columns);
  // The same of one measure that the two classes suffice for; `classes` may be emptied.
  void add_classes_at(std::size_t row, std::size_t kernel, Pool& classes, int threads,
                      std::vector<Column>& columns);
  // The same of classes counted before, whose scores belong to `pools`.
  void add_counts_at(std::size_t row, std::size_t kernel, const ClassPairs& counts,
                     const Pools& pools, std::vector<Column>& columns);
  Batch take(bool small = false);

 private:
  struct Kept {
    Pool pool;
    Pools pools;
    std::vector<PoolPart> parts;
  };

  void add_weighted_at(std::size_t row, const LabelledRows& rows, std::vector<Column>& columns);
  void store_counts(std::size_t row, std::size_t kernel, const ClassPairs& counts,
                    std::vector<Column>& columns);

  const Plan& plan_;
  const bool classes_only_;
  Evaluator evaluator_;
  std::vector<Kept> kept_;  // by kernel
  Pool classes_;
  std::vector<double> room_;
  std::vector<double> judged_;
  WeightedOrder weighted_;
  WeightedOrder weighted_worst_;
  Scratch scratch_;
};

// The scores of the two classes of some rows.
void split_classes(std::span<const double> labels, std::span<const double> scores, double threshold,
                   Pool& into);

}  // namespace relyon
