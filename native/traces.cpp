#include "traces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "error.hpp"
#include "hash.hpp"
#include "parallel.hpp"

namespace relyon {

namespace {

template <typename Value, typename Allocator>
void move_behind(std::vector<Value, Allocator>& whole, std::vector<Value, Allocator>&& part) {
  if (whole.empty()) {
    whole = std::move(part);
  } else {
    whole.insert(whole.end(), part.begin(), part.end());
  }
}

// One call as an error names it.
InputError fault(const char* kind, std::vector<Put> values, const std::string& path,
                 std::uint64_t line, const char* hint = "") {
  return InputError(Sentence(kind, std::move(values)), path, line, hint);
}

// Numbers the documents of one task after the other; memory is kept from task to task.
class Numberer {
 public:
  // Begins a task with at most so many documents.
  void begin(std::size_t most) {
    std::size_t size = 16;
    while (size < 2 * most) size *= 2;
    slots_.assign(size, 0);
    mask_ = size - 1;
    found_.clear();
  }

  std::uint32_t number(std::string_view document) {
    const std::uint64_t hash = hash_bytes(document);
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const std::uint64_t entry = slots_[slot];
      if (entry == 0) {
        found_.push_back(document);
        slots_[slot] = (hash >> 32 << 32) | found_.size();
        return static_cast<std::uint32_t>(found_.size() - 1);
      }
      if (((entry ^ hash) >> 32) == 0) {
        const auto place = static_cast<std::uint32_t>(entry) - 1;
        if (found_[place] == document) return place;
      }
    }
  }

  const std::vector<std::string_view>& found() const { return found_; }

 private:
  std::vector<std::uint64_t> slots_;  // hash in the upper half, place + 1 in the lower
  std::size_t mask_ = 0;
  std::vector<std::string_view> found_;
};

}  // namespace

void ReadCalls::append(ReadCalls&& more) {
  const bool spans = !starts.empty() || !more.starts.empty();
  if (spans) {
    starts.resize(documents.size(), unknown);
    ends.resize(documents.size(), unknown);
    more.starts.resize(more.documents.size(), unknown);
    more.ends.resize(more.documents.size(), unknown);
  }
  move_behind(calls, std::move(more.calls));
  move_behind(documents, std::move(more.documents));
  move_behind(scores, std::move(more.scores));
  move_behind(ranks, std::move(more.ranks));
  move_behind(starts, std::move(more.starts));
  move_behind(ends, std::move(more.ends));
  move_behind(read, std::move(more.read));
}

TraceTable::TraceTable(ReadCalls&& found, std::shared_ptr<void> memory, const std::string& path,
                       bool has_ranks, int threads)
    : memory_(std::move(memory)), has_ranks_(has_ranks) {
  order_calls(found.calls, path);
  scores_ = std::move(found.scores);
  ranks_ = std::move(found.ranks);
  starts_ = std::move(found.starts);
  ends_ = std::move(found.ends);
  if (starts_.size() < found.documents.size() && !starts_.empty()) {
    starts_.resize(found.documents.size(), unknown);
    ends_.resize(found.documents.size(), unknown);
  }
  check_scores(path);
  number_documents(found, path, threads);
}

// Tasks in the order in which they appear; calls by their numbers, or as they are written.
void TraceTable::order_calls(const std::vector<ReadCalls::Call>& found, const std::string& path) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(found.size());
  std::vector<std::uint64_t> counts;
  std::uint32_t last = Index::none;
  for (const ReadCalls::Call& call : found) {
    if (last == Index::none || tasks_[last] != call.task) last = index_.insert(call.task, arena_);
    if (last == tasks_.size()) {
      tasks_.push_back(index_.id(last));
      counts.push_back(0);
    }
    numbers.push_back(last);
    ++counts[last];
  }
  first_call_.assign(tasks_.size() + 1, 0);
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    first_call_[task + 1] = first_call_[task] + counts[task];
    most_calls = std::max(most_calls, counts[task]);
  }
  calls_.resize(found.size());
  std::vector<std::uint64_t> places(first_call_.begin(), first_call_.end() - 1);
  std::vector<std::int64_t> given(found.size());
  std::uint64_t row = 0, read = 0;
  for (std::size_t one = 0; one < found.size(); ++one) {
    const ReadCalls::Call& call = found[one];
    if (call.rows > 0x7fffffff) throw InputError("native.query-has-more-than-2", path, call.line);
    const std::uint64_t place = places[numbers[one]]++;
    calls_[place] = {call.query,
                     row,
                     static_cast<std::uint32_t>(call.rows),
                     read,
                     static_cast<std::uint32_t>(call.reads),
                     call.reading,
                     true,
                     call.tokens,
                     call.seconds,
                     call.line};
    given[place] = call.number;
    reading |= call.reading;
    row += call.rows;
    read += call.reads;
  }
  std::vector<std::pair<std::int64_t, Call>> sorted;
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    const auto from = static_cast<std::ptrdiff_t>(first_call_[task]);
    const auto to = static_cast<std::ptrdiff_t>(first_call_[task + 1]);
    if (to - from == 1) continue;
    const auto none = std::count(given.begin() + from, given.begin() + to, ReadCalls::unnumbered);
    if (none == to - from) continue;
    if (none != 0) {
      const auto without =
          std::find(given.begin() + from, given.begin() + to, ReadCalls::unnumbered);
      throw fault("native.call-without-number", {{"task", std::string(tasks_[task])}}, path,
                  calls_[static_cast<std::size_t>(without - given.begin())].line,
                  "native.number-all-calls");
    }
    if (std::adjacent_find(given.begin() + from, given.begin() + to, std::greater_equal<>()) ==
        given.begin() + to)
      continue;
    sorted.clear();
    for (auto place = from; place < to; ++place)
      sorted.emplace_back(given[static_cast<std::size_t>(place)],
                          calls_[static_cast<std::size_t>(place)]);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      if (place > 0 && sorted[place].first == sorted[place - 1].first) {
        throw fault(
            "native.call-occurs-twice",
            {{"call", std::to_string(sorted[place].first)}, {"task", std::string(tasks_[task])}},
            path, sorted[place].second.line, "native.number-calls-of-task");
      }
      calls_[static_cast<std::size_t>(from) + place] = sorted[place].second;
    }
  }
}

// The results of a call all have a score, or none has: then their places order them.
void TraceTable::check_scores(const std::string& path) {
  for (std::size_t one = 0; one < calls_.size(); ++one) {
    Call& call = calls_[one];
    std::uint32_t without = 0;
    for (std::uint32_t row = 0; row < call.rows; ++row)
      without += std::isnan(scores_[call.row + row]) ? 1 : 0;
    if (without == 0) continue;
    if (without < call.rows) {
      throw fault("native.results-without-score",
                  {{"count", std::to_string(without)}, {"rows", std::to_string(call.rows)}}, path,
                  call.line, "native.give-all-scores-or-none");
    }
    call.scored = false;
    ++unscored;
    for (std::uint32_t row = 0; row < call.rows; ++row)
      scores_[call.row + row] = static_cast<double>(call.rows - row);
  }
}

void TraceTable::number_documents(const ReadCalls& found, const std::string& path, int threads) {
  documents_.resize(found.documents.size());
  read_.resize(found.read.size());
  const std::size_t block = std::clamp<std::size_t>(tasks_.size() / 16, 1, 4096);
  const std::size_t blocks = (tasks_.size() + block - 1) / block;
  std::vector<std::vector<std::string_view>> names(blocks);
  first_name_.assign(tasks_.size() + 1, 0);
  each_part(blocks, threads, [&](std::size_t part) {
    Numberer numberer;
    std::vector<std::uint64_t> seen;
    const std::size_t end = std::min(tasks_.size(), (part + 1) * block);
    for (std::size_t task = part * block; task < end; ++task) {
      std::size_t most = 0;
      for (std::uint64_t one = first_call_[task]; one < first_call_[task + 1]; ++one)
        most += calls_[one].rows + calls_[one].reads;
      numberer.begin(most);
      seen.clear();
      for (std::uint64_t one = first_call_[task]; one < first_call_[task + 1]; ++one) {
        const Call& call = calls_[one];
        for (std::uint32_t row = 0; row < call.rows; ++row) {
          const std::string_view document = found.documents[call.row + row];
          const std::uint32_t number = numberer.number(document);
          if (number >= seen.size()) seen.resize(number + 1, 0);
          if (seen[number] == one + 1) {
            throw fault("native.document-stands-twice-in-call",
                        {{"document", std::string(document)},
                         {"call", std::to_string(one - first_call_[task] + 1)},
                         {"task", std::string(tasks_[task])}},
                        path, call.line);
          }
          seen[number] = one + 1;
          documents_[call.row + row] = number;
        }
        for (std::uint32_t row = 0; row < call.reads; ++row)
          read_[call.read + row] = numberer.number(found.read[call.read + row]);
      }
      first_name_[task + 1] = numberer.found().size();
      names[part].insert(names[part].end(), numberer.found().begin(), numberer.found().end());
    }
  });
  for (std::size_t task = 0; task < tasks_.size(); ++task)
    first_name_[task + 1] += first_name_[task];
  names_.reserve(first_name_.back());
  for (const auto& part : names) names_.insert(names_.end(), part.begin(), part.end());
}

}  // namespace relyon
