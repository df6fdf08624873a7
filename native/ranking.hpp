// One order for every query, with one named tie rule, shared by all measures.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan.hpp"
#include "query.hpp"

namespace relkit {

// A retrieved document that is judged: its row in the list, and its grade.
struct Match {
  std::uint32_t row;
  double grade;
};

// Document ids of one list, asked for only where scores tie.
class Ids {
 public:
  virtual ~Ids() = default;
  virtual std::string_view id(std::uint32_t row) const = 0;
};

// One query as a source delivers it: rows in input order.
struct List {
  std::span<const double> scores;        // of every retrieved document
  std::span<const Match> matches;        // ascending row
  std::span<const double> judged;        // every judged grade of the query, descending
  const std::int64_t* ranks = nullptr;   // the rank column, for Ties::rank (smaller is better)
  const Ids* ids = nullptr;              // nullptr: the row number stands for the id
};

// Turns lists into views. One a thread: it owns the memory that its last view points to.
class Ranker {
 public:
  explicit Ranker(const Plan& plan) : plan_(plan) {}

  const QueryView& rank(const List& list);

 private:
  const Plan& plan_;
  QueryView view_;
  std::vector<Ranked> ranked_;
  std::vector<double> scores_;
  std::vector<double> judged_;
  std::vector<std::uint32_t> order_;
};

}  // namespace relkit
