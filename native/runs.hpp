// Ranked lists kept whole, by query, in input order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch.hpp"
#include "judgments.hpp"
#include "plan.hpp"

namespace relyon {

class RunTable {
 public:
  struct Row {
    const char* data;
    std::uint32_t size;
    double score;
    std::string_view document() const { return {data, size}; }
  };

  void add(std::string_view query, std::string_view document, double score, std::int64_t rank = 0);

  std::uint32_t find(std::string_view query) const { return index_.find(query); }
  const std::vector<Row>& rows(std::uint32_t query) const { return queries_[query]; }
  // The rank that a row of a query came with; 0 without ranks.
  std::int64_t rank(std::uint32_t query, std::size_t row) const {
    return query < ranks_.size() && row < ranks_[query].size() ? ranks_[query][row] : 0;
  }
  std::string_view id(std::uint32_t query) const { return index_.id(query); }
  std::size_t size() const { return queries_.size(); }

  // A query and document that stand twice, or false. Sources call it once everything is added.
  // With judgments, only judged queries are looked at.
  bool duplicate(std::string_view& query, std::string_view& document,
                 const JudgmentTable* judgments = nullptr) const;

  std::uint64_t count = 0;
  std::string tag;
  bool has_ranks = false;
  bool grouped = true;  // every query's rows came together

 private:
  Arena arena_;
  Index index_;
  std::vector<std::vector<Row>> queries_;
  std::vector<std::vector<std::int64_t>> ranks_;  // of the rows up to the last that has one
  std::uint32_t last_ = Index::none;
};

Batch evaluate_run(const JudgmentTable& judgments, const Plan& plan, const RunTable& run,
                   int threads);

}  // namespace relyon
