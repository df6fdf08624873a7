// One order for every query, with one named tie rule, shared by all measures.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plan.hpp"
#include "query.hpp"
#include "simd.hpp"

namespace relyon {

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
  std::span<const double> scores;            // of every retrieved document
  std::span<const Match> matches;            // ascending row
  std::span<const double> grades;            // in place of `matches` where every document is judged
  std::span<const double> judged;            // every judged grade of the query, descending
  std::uint32_t levels = 0;                  // of `judged`, as QueryView has it
  const std::int64_t* ranks = nullptr;       // the rank column, for Ties::rank (smaller is better)
  const Ids* ids = nullptr;                  // nullptr: the row number stands for the id
  const Subtopics* subtopics = nullptr;      // of the query, where its judgments have them
  std::span<const std::uint32_t> documents;  // with `subtopics`: the document of each of `matches`
};

// Turns lists into views. One a thread: it owns the memory that its last view points to.
class Ranker {
 public:
  explicit Ranker(const Plan& plan);

  const QueryView& rank(const List& list);
  // The list ranked last, with the documents of each tie in the best or the worst order. Not under
  // Ties::rank.
  const QueryView& reorder(bool best);

 private:
  // A wanted document within its tie.
  struct Member {
    std::uint32_t place;  // among the documents of the tie, in input order
    double grade;
  };
  struct Found {
    Match match;
    simd::Counts counts;
  };
  struct Key {
    std::uint64_t key;
    std::uint32_t row;
  };

  void prepare(const List& list);
  void choose_wanted(const List& list, bool drop_negative);
  void list_wanted(std::span<const double> grades, bool drop_negative);
  void rank_sorted();
  void rank_in_order();
  void rank_counted();
  void rank_by_column();
  bool sort_rows();
  bool reaches_best() const;
  bool order_best();
  void take_untied();
  bool few_wanted() const;
  std::uint64_t count_tied_pairs();
  // Ranks the wanted `members_` of one tie: `size` documents with the same score, `better` above
  // it.
  void place_tie(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows) {
    if (size > 1) {
      order_tie(better, size, rows);
      return;
    }
    const Member& member = members_[0];
    const std::uint32_t row = rows ? rows[member.place] : better + member.place;
    push(member.grade, tie_score_, better + 1, better + 1, better + 1, row);
  }
  void order_tie(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows);
  template <typename RowOf>
  void order_by_grade(std::uint32_t first, std::uint32_t last, bool best, RowOf row);
  void order_again(std::span<const Ranked> tie, bool best);
  template <typename RowOf>
  void order_by_place(std::uint32_t better, std::uint32_t size, bool descending, RowOf row);
  void order_by_id(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows);
  void push(double grade, double score, std::uint32_t rank, std::uint32_t first, std::uint32_t last,
            std::uint32_t row) {
    view_.tied |= first != last;
    ranked_.push_back({grade, score, rank, first, last, row});
  }
  void take_pooled();
  void name_documents(const List& list);
  std::uint32_t source_row(std::uint32_t row) const { return condensed_ ? rows_[row] : row; }

  const Plan& plan_;
  const bool all_;
  const bool pairs_;
  const bool needs_scores_;
  const bool needs_pooled_;
  const std::uint32_t reach_;  // the last rank that counts, 0 for the whole list

  QueryView view_;
  std::span<const double> scores_;  // of the list, or of its judged documents if `removed`
  std::span<const Match> wanted_;   // documents that need a rank
  std::span<const double> grades_;  // by row, where every document is judged
  std::size_t wanted_count_ = 0;
  bool listed_ = true;    // `wanted_` is filled; else it follows from `grades_`
  bool complete_ = true;  // every judged document is wanted
  bool fill_scores_ = false;
  bool count_ties_ = false;
  const std::int64_t* ranks_ = nullptr;
  const Ids* ids_ = nullptr;
  bool condensed_ = false;
  bool has_pooled_ = false;
  double tie_score_ = 0.0;

  std::vector<Ranked> ranked_;
  std::vector<double> retrieved_grades_;
  std::vector<Ranked> whole_;  // what `reorder` starts from, pooled documents included
  std::vector<double> own_scores_;
  std::vector<double> sorted_scores_;
  std::vector<Match> matches_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> order_;
  bool untied_ = false;  // no two scores of `order_` are equal
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> best_;  // rows of the best scores
  std::vector<double> best_scores_;
  std::vector<double> row_grades_;
  std::vector<std::uint32_t> group_;
  std::vector<std::uint32_t> pooled_;
  std::vector<std::uint32_t> documents_;
  std::vector<Ranked> tie_;
  std::vector<std::uint32_t> tie_rows_;  // rows of the documents of one tie, by place
  const List* list_ = nullptr;           // ranked last; whoever calls `reorder` still has it
  std::vector<Found> found_;
  std::vector<std::uint16_t> seen_;
  std::vector<double> suspects_;
  std::uint16_t stamp_ = 0;
  std::vector<Member> members_;
  std::vector<Key> keys_;
  std::vector<Key> more_keys_;
  std::vector<std::pair<std::string_view, std::uint32_t>> names_;
};

}  // namespace relyon
