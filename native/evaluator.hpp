// Ranks one list after the other, runs every kernel over it and collects the rows of a batch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "batch.hpp"
#include "plan.hpp"
#include "ranking.hpp"

namespace relkit {

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
  void score(const std::string& query, const List& list, Store store);

  const Plan& plan_;
  Ranker ranker_;
  Scratch scratch_;
  Batch batch_;
};

void append(Batch& whole, Batch&& part);

}  // namespace relkit
