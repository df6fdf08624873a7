// The state of one thread that streams lines of a run through the evaluator.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "collector.hpp"
#include "number.hpp"
#include "parallel.hpp"
#include "text.hpp"

namespace relkit {

// The judged queries that a scan has met, shared by its threads. A query that comes back ends the
// scan early: its lines are not together, and the file must be read whole.
class Met {
 public:
  explicit Met(const JudgmentTable& judgments) : met_(judgments.size()) {}

  // False where the query was met before.
  bool meet(std::uint32_t query) {
    if (!met_[query].exchange(true, std::memory_order_relaxed)) return true;
    again_.store(true, std::memory_order_relaxed);
    return false;
  }
  bool again() const { return again_.load(std::memory_order_relaxed); }

 private:
  std::vector<std::atomic<bool>> met_;
  std::atomic<bool> again_{false};
};

// Streams the groups of lines that begin in [from, stop) of a file. A stretch that begins within a
// file leaves out its first group, which the stretch before it finishes.
struct Scanner {
  Scanner(const JudgmentTable& judgments, const Plan& plan, Window& lines, Met& shared, bool within,
          std::uint64_t until)
      : window(lines),
        met(shared),
        collector(judgments, plan),
        ranks(plan.rules.ties == Ties::rank),
        skipping(within),
        stop(until) {}

  Window& window;
  Met& met;
  Collector collector;
  const bool ranks;
  bool skipping;          // in the first group of a stretch within the file
  bool open = false;      // a group has begun
  bool judging = false;   // ... and is judged and ours
  bool stopping = false;  // the next group to begin is the last
  bool final_group = false;
  std::uint64_t stop;
  const char* group = nullptr;    // where the group's first line begins
  const char* at = nullptr;       // the line at hand, for errors
  const char* stop_at = nullptr;  // `stop` as a pointer into the window
  std::vector<char> query = std::vector<char>(64);
  std::size_t query_size = 0;
  Stretch out;

  RELKIT_INLINE bool same_query(const char* text, std::size_t size) const {
    if (size != query_size || !open) return false;
    if (size <= 8) return ((load8(text) ^ load8(query.data())) << (64 - 8 * size)) == 0;
    return std::memcmp(text, query.data(), size) == 0;
  }

  // Ends the open group and, unless it was the last of the stretch, begins one at `line`.
  bool change_query(std::string_view id, const char* line) {
    close();
    if (final_group || met.again()) return false;
    if (open) skipping = false;
    open = true;
    if (query.size() < id.size() + 16) query.resize(id.size() * 2 + 16);
    std::memcpy(query.data(), id.data(), id.size());
    query_size = id.size();
    group = line;
    judging = false;
    final_group = stopping;
    if (!skipping) {
      collector.begin(id);
      collector.set_base(line);
      judging = collector.judged();
      if (!judging) {
        out.unjudged.emplace_back(id);
      } else if (!met.meet(collector.number())) {
        judging = false;
        return false;
      }
    }
    return true;
  }

  void close() {
    if (!judging) return;
    std::uint32_t first, second;
    if (collector.duplicate(first, second)) {
      throw twice({query.data(), query_size}, collector.id(second),
                  window.offset(collector.id(first).data()),
                  window.offset(collector.id(second).data()));
    }
    out.groups.push_back(collector.number());
    collector.finish();
    judging = false;
  }

  void place_stop() {
    const std::uint64_t begin = window.offset(window.begin());
    const auto size = static_cast<std::uint64_t>(window.end() - window.begin());
    // A stop beyond the window is looked at again after the next refill.
    stop_at = stop >= begin + size ? window.end() + Window::padding
              : stop > begin       ? window.begin() + (stop - begin)
                                   : window.begin();
  }

  // Reads more, keeping the open group; returns the new place of `p`.
  const char* refill(const char* p) {
    const char* keep = judging ? group : p;
    const std::ptrdiff_t ahead = p - keep;
    window.refill(keep);
    group = window.begin();
    if (judging) collector.set_base(group);
    place_stop();
    return window.begin() + ahead;
  }

  // The group of the first line at or beyond the stop is the last: the next stretch, whose first
  // group it is, leaves it out.
  bool at_stop(bool same) {
    stopping = true;
    final_group = same;
    stop_at = window.end() + Window::padding;
    stop = std::numeric_limits<std::uint64_t>::max();
    return skipping && same;  // nothing in this stretch is ours
  }

  RELKIT_INLINE void take(std::string_view document, std::string_view rank,
                          std::string_view score) {
    double value = 0.0;
    if (parse_number_padded(score, value) != Number::good) [[unlikely]]
      value = parse_score(score);
    ++out.rows;
    if (!judging) {
      if (skipping) --out.rows;
      return;
    }
    collector.add(document, value);
    if (ranks) take_rank(rank);
  }

  void take_rank(std::string_view rank);

  // Finds the first line: after a byte-order mark, or the first that begins in this stretch.
  const char* first_line();

  // Any line: blanks in a row, comments, 5 columns, errors. False where the stretch ends.
  bool take_slowly(const char* line, std::size_t size);
};

}  // namespace relkit
