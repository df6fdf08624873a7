// Ranks one list after the other, runs every kernel over it and collects the rows of a batch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "batch.hpp"
#include "plan.hpp"
#include "ranking.hpp"

namespace relyon {

// What a measure sees of a query under Unjudged::ignored.
class Condenser {
 public:
  explicit Condenser(const Plan& plan) : plan_(plan) {}
  const QueryView& cut(const QueryView& whole, std::uint32_t k);

 private:
  const Plan& plan_;
  QueryView view_;
  std::vector<Ranked> ranked_;
  std::vector<double> scores_;
  std::vector<double> grades_;
};

// One a thread. Sources call `add` once a query; the batches of several threads are appended
// in input order, so that the result does not depend on the number of threads.
class Evaluator {
 public:
  explicit Evaluator(const Plan& plan);

  void add(std::string query, const List& list, bool missing = false);
  // The same without a name, into row `row` of columns that are long enough and that other threads
  // may write other rows of. Ties and pools stay here until `take`.
  void add_at(std::size_t row, const List& list, std::vector<Column>& whole);
  Batch take();  // the rows so far; the evaluator is empty afterwards

 private:
  template <typename Store>
  void score(const std::string& query, std::size_t row, const List& list, Store store);
  // What a kernel sees of a list: all of it, or its first k without the documents to be ignored.
  const QueryView& seen_by(const Kernel& kernel, const QueryView& whole);
  Partial value(const Kernel& kernel, const QueryView& view);
  template <typename Store>
  void score_orders(std::uint32_t open, Store store);

  const Plan& plan_;
  const bool ignores_;
  Ranker ranker_;
  Condenser condenser_;
  Scratch scratch_;
  std::vector<Partial> as_is_;  // of the list, where ties leave values open
  std::vector<Partial> worst_;
  Batch batch_;
};

void append(Batch& whole, Batch&& part);

}  // namespace relyon
