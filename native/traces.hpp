// Traces: tasks of one or several calls, each with its results, kept whole.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch.hpp"
#include "huge.hpp"
#include "judgments.hpp"
#include "plan.hpp"
#include "text.hpp"

namespace relyon {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Calls as they are read. Texts are parts of memory that stays where it is.
struct ReadCalls {
  static constexpr std::int64_t unnumbered = std::numeric_limits<std::int64_t>::min();

  struct Call {
    std::string_view task;
    std::string_view query;
    std::int64_t number = unnumbered;
    std::uint64_t rows = 0;   // of results
    std::uint64_t reads = 0;  // documents read
    bool reading = false;     // whether reading was recorded
    double tokens = unknown;
    double seconds = unknown;
    std::uint64_t line = 0;
  };

  std::vector<Call> calls;
  HugeVector<std::string_view> documents;
  HugeVector<double> scores;         // NaN: none
  std::vector<std::int64_t> ranks;   // empty: the place in the list
  std::vector<double> starts, ends;  // empty, or one of each per result
  std::vector<std::string_view> read;

  void append(ReadCalls&& more);
};

class TraceTable {
 public:
  struct Call {
    std::string_view query;
    std::uint64_t row = 0;  // its first result
    std::uint32_t rows = 0;
    std::uint64_t read = 0;  // the first document read
    std::uint32_t reads = 0;
    bool reading = false;
    bool scored = true;
    double tokens = unknown;
    double seconds = unknown;
    std::uint64_t line = 0;
  };

  // Takes calls in the order in which they are written; `memory` holds their texts.
  TraceTable(ReadCalls&& found, std::shared_ptr<void> memory, const std::string& path,
             bool has_ranks, int threads);

  std::size_t size() const { return tasks_.size(); }
  std::string_view task(std::size_t number) const { return tasks_[number]; }
  std::uint64_t first_call(std::size_t task) const { return first_call_[task]; }
  const std::vector<std::uint64_t>& first_calls() const { return first_call_; }
  const std::vector<Call>& calls() const { return calls_; }
  std::uint64_t rows() const { return documents_.size(); }
  // The number of a task, or Index::none.
  std::uint32_t find(std::string_view task) const { return index_.find(task); }

  // Documents are numbered within their task, in the order in which they occur.
  std::uint32_t document(std::uint64_t row) const { return documents_[row]; }
  std::uint32_t read_document(std::uint64_t row) const { return read_[row]; }
  std::uint64_t first_name(std::size_t task) const { return first_name_[task]; }
  std::string_view name(std::size_t task, std::uint32_t document) const {
    return names_[first_name_[task] + document];
  }
  std::uint64_t names() const { return names_.size(); }
  double score(std::uint64_t row) const { return scores_[row]; }
  // The rank column: the place in the list where none was given.
  std::int64_t rank(const Call& call, std::uint32_t row) const {
    return ranks_.empty() ? std::int64_t{row} + 1 : ranks_[call.row + row];
  }
  bool has_ranks() const { return has_ranks_; }
  bool has_spans() const { return !starts_.empty(); }
  double start(std::uint64_t row) const { return starts_[row]; }
  double end(std::uint64_t row) const { return ends_[row]; }

  std::uint64_t unscored = 0;  // calls with results that have no scores
  std::uint64_t most_calls = 0;
  bool reading = false;  // some call says what was read

 private:
  void order_calls(const std::vector<ReadCalls::Call>& found, const std::string& path);
  void number_documents(const ReadCalls& found, const std::string& path, int threads);
  void check_scores(const std::string& path);

  std::shared_ptr<void> memory_;
  Arena arena_;
  Index index_;
  std::vector<std::string_view> tasks_;
  std::vector<std::uint64_t> first_call_;
  std::vector<Call> calls_;
  HugeVector<std::uint32_t> documents_;
  HugeVector<double> scores_;
  std::vector<std::int64_t> ranks_;
  std::vector<double> starts_, ends_;
  std::vector<std::uint32_t> read_;
  std::vector<std::uint64_t> first_name_;
  HugeVector<std::string_view> names_;
  bool has_ranks_;
};

// The bytes of a file, which a reader may change, and some more for those that look ahead.
class TraceText {
 public:
  static constexpr std::size_t padding = 64;

  explicit TraceText(std::string_view text);
  explicit TraceText(const File& file);

  char* begin() { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  void grow(std::size_t room);

  struct Free {
    void operator()(char* bytes) const { HugeAllocator<char>().deallocate(bytes, 0); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

// Reads JSON Lines; nothing where a line is unusual or wrong: it must then be read by Python.
std::optional<TraceTable> read_trace_lines(TraceText&& text, const std::string& path, int threads);

// A flag for each task: 1 if it is judged and a call has documents of equal scores and of unequal
// labels, so that their order can change a value.
std::vector<std::uint8_t> tied_tasks(const JudgmentTable& judgments, const Rules& rules,
                                     const TraceTable& traces, int threads);

// A row for each call of a judged task, in order; then one for each judged task without a call.
// With flags, the other tasks are left out.
Batch evaluate_calls(const JudgmentTable& judgments, const Plan& plan, const TraceTable& traces,
                     int threads, const std::vector<std::uint8_t>* only = nullptr);

// How the calls of a task become one value.
enum class Which { mean, sum, first, last, best };

struct TaskForm {
  Which which = Which::mean;
  bool higher = true;      // whether `best` is the highest
  bool geometric = false;  // numerators are logarithms of the value
  bool own = false;        // numerator and denominator are the value and 1
};

// The calls of the tasks of `tied_tasks`, with tied documents in the worst and in the best order.
struct TiedCalls {
  std::vector<std::uint8_t> tasks;
  Batch worst;
  Batch best;
};

// A row for each task, from one for each call. Without `tied`, no order of ties matters.
Batch by_task(const JudgmentTable& judgments, const TraceTable& traces, const Batch& calls,
              const TiedCalls* tied, const std::vector<TaskForm>& forms, const Rules& rules);

// What measures of tasks compute from; see JudgedCalls in Python.
struct JudgedArrays {
  std::vector<std::uint32_t> tasks;    // judged ones with calls, in the order of the traces
  std::vector<std::uint32_t> missing;  // numbers in the judgments of the others
  std::vector<std::int64_t> calls, rows, judged;
  HugeVector<std::int64_t> documents;
  HugeVector<double> grades;
  std::vector<std::int64_t> judged_documents, judged_sets, reads, read_documents;
  std::vector<double> judged_grades, read_grades, tokens, seconds;
};

// With flags, only those tasks, and none without a call.
JudgedArrays judge_calls(const JudgmentTable& judgments, const Rules& rules,
                         const TraceTable& traces, int threads,
                         const std::vector<std::uint8_t>* only = nullptr);

}  // namespace relyon
