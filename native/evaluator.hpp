// Ranks one list after the other, runs every kernel over it and collects the rows of a batch.
#pragma once

#include <string>

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
  void add_unnamed(const List& list);  // the caller knows its queries by number
  Batch take();  // the rows so far; the evaluator is empty afterwards

 private:
  const Plan& plan_;
  Ranker ranker_;
  Scratch scratch_;
  Batch batch_;
};

void append(Batch& whole, Batch&& part);

}  // namespace relkit
