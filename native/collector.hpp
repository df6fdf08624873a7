// Gathers one query's documents from any source and hands them to the evaluator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "error.hpp"
#include "evaluator.hpp"
#include "hash.hpp"
#include "judgments.hpp"
#include "seen.hpp"

namespace relyon {

class Collector final : public Ids {
 public:
  Collector(const JudgmentTable& judgments, const Plan& plan)
      : judgments_(judgments), needs_ranks_(plan.rules.ties == Ties::rank), evaluator_(plan) {}

  // Starts a query. Its documents are looked up only if it is judged.
  void begin(std::string_view query) {
    number_ = judgments_.find(query);
    judged_ = number_ == Index::none ? nullptr : &judgments_.query(number_);
    if (judged_ != nullptr) {
      seen_.begin(rows_);
      rows_ = 0;
    }
    base_ = 0;
    matches_.clear();
    ranks_.clear();
  }

  bool judged() const { return judged_ != nullptr; }
  std::uint32_t number() const { return number_; }
  std::uint32_t rows() const { return rows_; }

  // Documents are addresses relative to a base that may move (a buffer that slides).
  void set_base(const char* base) { base_ = reinterpret_cast<std::uintptr_t>(base); }

  RELYON_INLINE void add(std::string_view document, double score) {
    if (rows_ == scores_.size()) grow();
    const std::uint64_t hash = hash_bytes(document);
    const std::uint32_t row = rows_++;
    scores_[row] = score;
    places_[row] = {reinterpret_cast<std::uintptr_t>(document.data()) - base_,
                    static_cast<std::uint32_t>(document.size())};
    seen_.add(hash, rows_, [this](std::uint32_t one) { return hash_bytes(id(one)); });
    if (const JudgmentTable::Judged* found = judged_->find(document, hash)) {
      matches_.push_back({row, found->grade});
    }
  }

  void add_rank(std::int64_t rank) { ranks_.push_back(rank); }

  // A document that this query holds twice, as (first row, second row); false if there is none.
  bool duplicate(std::uint32_t& first, std::uint32_t& second) const {
    if (!seen_.suspect()) return false;
    std::unordered_map<std::string_view, std::uint32_t> rows;
    for (std::uint32_t row = 0; row < rows_; ++row) {
      const auto [found, added] = rows.emplace(id(row), row);
      if (!added) {
        first = found->second;
        second = row;
        return true;
      }
    }
    return false;
  }

  void finish() {
    List list;
    list.scores = {scores_.data(), rows_};
    list.matches = matches_;
    list.judged = judged_->grades;
    list.ranks = needs_ranks_ ? ranks_.data() : nullptr;
    list.ids = this;
    if (judged_->subtopics) [[unlikely]]
      name_documents(list);
    evaluator_.add(std::string(judgments_.id(number_)), list);
  }

  std::string_view id(std::uint32_t row) const override {
    return {reinterpret_cast<const char*>(base_ + places_[row].offset), places_[row].size};
  }

  Evaluator& evaluator() { return evaluator_; }

 private:
  struct Place {
    std::uintptr_t offset;
    std::uint32_t size;
  };

  void grow() {
    if (scores_.size() > 0x7fffffff) throw InputError("native.query-has-more-than-2");
    const std::size_t size = scores_.empty() ? 1024 : scores_.size() * 2;
    scores_.resize(size);
    places_.resize(size);
  }

  // Which judged documents were matched: only diversity measures ask.
  void name_documents(List& list) {
    documents_.clear();
    for (const Match& match : matches_) {
      const std::string_view document = id(match.row);
      const JudgmentTable::Judged* found = judged_->find(document, hash_bytes(document));
      documents_.push_back(static_cast<std::uint32_t>(found - judged_->documents.data()));
    }
    list.subtopics = judged_->subtopics.get();
    list.documents = documents_;
  }

  const JudgmentTable& judgments_;
  const bool needs_ranks_;
  Evaluator evaluator_;
  const JudgmentTable::Query* judged_ = nullptr;
  std::uint32_t number_ = Index::none;
  std::uint32_t rows_ = 0;
  std::uintptr_t base_ = 0;
  std::vector<double> scores_;
  std::vector<Place> places_;
  std::vector<Match> matches_;
  std::vector<std::int64_t> ranks_;
  std::vector<std::uint32_t> documents_;  // of `matches_`, where the query has subtopics
  Seen seen_;
};

// Adds what every source ends with: judged queries that the run does not hold, and counts.
// `groups` are the numbers of the judged queries met, `unjudged` the ids of the others.
void add_missing(Batch& batch, const JudgmentTable& judgments, const Plan& plan,
                 const std::vector<std::uint32_t>& groups);

}  // namespace relyon
