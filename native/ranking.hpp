// One order for every query, with one named tie rule, shared by all measures.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan.hpp"
#include "query.hpp"
#include "rank_counts.hpp"

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
  explicit Ranker(const Plan& plan)
      : plan_(plan), needs_all_(plan.needs_all_ranks()), needs_unjudged_(plan.needs_unjudged()) {}

  const QueryView& rank(const List& list);

 private:
  template <class InputRow>
  bool goes_before(const List& list, const InputRow& input_row, std::uint32_t one, std::uint32_t other) const;
  template <class InputRow>
  void order_all(const List& list, std::span<const double> scores, const InputRow& input_row);
  void set_gains(std::size_t count);

  const Plan& plan_;
  const bool needs_all_;
  const bool needs_unjudged_;
  QueryView view_;
  std::vector<Match> matches_;
  std::vector<Ranked> ranked_;
  std::vector<Ranked> unjudged_;
  std::vector<Count> counts_;
  std::vector<double> scores_;
  std::vector<double> sorted_;
  std::vector<double> gains_;
  std::vector<std::uint32_t> wanted_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> pooled_rows_;
  std::vector<std::uint32_t> pooled_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> places_;
};

}  // namespace relkit
