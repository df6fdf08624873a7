// A search log as what click models need of it: distinct sessions and how often each came.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "guard.hpp"
#include "judgments.hpp"
#include "numbers.hpp"

namespace relyon {

// Rows of a log: one result that was shown, the rows of one session together.
struct LogColumns {
  LogColumns(nanobind::handle session_column, nanobind::handle query_column,
             nanobind::handle document_column, nanobind::handle position_column,
             nanobind::handle clicked_column);

  ArrowColumn session;
  ArrowColumn query;
  ArrowColumn document;
  ArrowColumn position;
  ArrowColumn clicked;
};

// Distinct sessions of a log: by session its query, how often it came and its results; by result
// the document, the position and whether it was clicked, in the order of a finished log.
struct PatternColumns {
  PatternColumns(nanobind::handle query_column, nanobind::handle count_column,
                 nanobind::handle size_column, nanobind::handle document_column,
                 nanobind::handle position_column, nanobind::handle clicked_column);

  ArrowColumn query;
  ArrowColumn count;
  ArrowColumn size;
  ArrowColumn document;
  ArrowColumn position;
  ArrowColumn clicked;
};

// What was left out of a log, or put right.
struct LogFaults {
  std::uint64_t deep = 0;      // results below the last position that counts
  std::uint64_t repeated = 0;  // documents shown a second time in one session
  std::uint64_t shared = 0;    // results at a position that another one has
};

// One result of a session.
struct Shown {
  std::uint32_t pair;
  std::uint16_t position;
  std::uint16_t clicked;

  bool operator==(const Shown&) const = default;
};

// Sessions whose queries have hashes of one class, so that threads share nothing.
class ClickShard {
 public:
  // One session, its results in the order of their rows.
  void add(std::string_view query, std::uint64_t hash, std::span<const std::string_view> documents,
           std::span<const std::int64_t> positions, std::span<const std::int64_t> clicked,
           std::int64_t depth);

  // A session that came so often, its results ordered and each document once.
  void merge(std::string_view query, std::uint64_t hash,
             std::span<const std::string_view> documents, std::span<const std::int64_t> positions,
             std::span<const std::int64_t> clicked, std::uint64_t count);

  // Orders pairs and patterns by what they hold alone. Nothing is added afterwards.
  void finish();

  std::size_t pairs() const { return pairs_.size(); }
  std::string_view query(std::uint32_t pair) const { return queries_[pair_queries_[pair]]; }
  std::string_view document(std::uint32_t pair) const { return documents_[pair]; }

  std::size_t patterns() const { return counts_.size(); }
  std::span<const Shown> pattern(std::size_t number) const {
    return {shown_.data() + starts_[number], shown_.data() + starts_[number + 1]};
  }
  std::uint64_t count(std::size_t number) const { return counts_[number]; }

  LogFaults faults;
  std::uint64_t sessions = 0;
  std::uint64_t rows = 0;

 private:
  struct Row {
    std::string_view document;
    std::int64_t position;
    std::uint32_t pair;
    bool clicked;
  };
  void read(std::span<const std::string_view> documents, std::span<const std::int64_t> positions,
            std::span<const std::int64_t> clicked, std::int64_t depth);
  std::uint32_t number_pairs(std::string_view query, std::uint64_t hash);
  std::uint32_t number_pair(std::uint32_t query, std::uint64_t hash, std::string_view document);
  void drop_repeated();
  void keep(std::uint32_t query, std::uint64_t hash, std::uint64_t count);
  void order_pairs();
  void order_patterns();

  static constexpr std::uint32_t none = 0xffffffff;

  Arena arena_;
  Numbers query_numbers_;
  std::vector<std::string_view> queries_;
  std::vector<std::uint32_t> latest_;  // the pattern of each query that came last

  Numbers pairs_;
  std::vector<std::uint32_t> pair_queries_;
  std::vector<std::string_view> documents_;

  Numbers patterns_;
  std::vector<Shown> shown_;
  std::vector<std::uint64_t> starts_{0};
  std::vector<std::uint64_t> counts_;

  std::vector<Row> session_;
  std::vector<Shown> pattern_;
};

class ClickLog {
 public:
  Guard guard;  // of all calls from Python

  // Shards are many and of a fixed number: what comes out is the same for any number of threads.
  static constexpr std::size_t shards = 64;
  static std::size_t shard_of(std::uint64_t hash) { return hash >> 58; }

  ClickLog(std::int64_t depth, bool remember, int threads)
      : depth_(depth), remember_(remember), threads_(threads), shards_(shards) {}
  ClickLog(const ClickLog&) = delete;
  ClickLog& operator=(const ClickLog&) = delete;

  // Adds rows. The last session is kept, as its rows may go on. False as soon as a session may
  // have been met before: unless sessions are remembered, as soon as their ids do not ascend.
  bool add(const LogColumns& part);

  // Adds sessions of another log of the same depth, which met none of those that are here.
  void merge(const PatternColumns& part, const LogFaults& faults);
  bool finish();

  const std::vector<ClickShard>& parts() const { return shards_; }
  std::int64_t depth() const { return depth_; }
  int threads() const { return threads_; }
  std::uint64_t sessions() const;
  std::uint64_t rows() const;
  std::uint64_t pairs() const;
  LogFaults faults() const;

 private:
  // The rows so far of the session that ended the last part.
  struct Open {
    std::string session;
    std::string query;
    std::vector<std::string> documents;
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> clicked;
  };

  bool meet(std::string_view session, std::string_view query);
  void close();

  const std::int64_t depth_;
  const bool remember_;
  const int threads_;
  std::vector<ClickShard> shards_;
  Open open_;
  bool opened_ = false;
  bool grouped_ = true;
  std::string last_;                   // the session met last
  std::vector<std::string> together_;  // queries of that session
  Numbers met_;                        // sessions, where they are remembered
};

}  // namespace relyon
