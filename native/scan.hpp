// The state of one thread that streams the rows of a run's text through the evaluator, whatever the
// format: groups of one query each, and where a stretch of the file begins and ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "collector.hpp"
#include "parallel.hpp"
#include "text.hpp"

namespace relyon {

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

// Streams the groups of rows that begin in [from, stop) of a file. A stretch that begins within a
// file leaves out its first group, which the stretch before it finishes.
struct Scanner {
  Scanner(const JudgmentTable& judgments, const Plan& plan, Window& text, Met& shared, bool within,
          std::uint64_t until)
      : window(text),
        met(shared),
        collector(judgments, plan),
        ranks(plan.rules.ties == Ties::rank),
        skipping(within),
        stop(until) {}

  static constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

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
  std::uint64_t began = nowhere;  // where the first row of ours begins
  std::uint64_t ended = nowhere;  // where the first row that is no more ours begins
  const char* group = nullptr;    // where the group's first row begins
  const char* at = nullptr;       // the row at hand, for errors
  const char* stop_at = nullptr;  // `stop` as a pointer into the window
  std::vector<char> query = std::vector<char>(64);
  std::size_t query_size = 0;
  Stretch out;

  RELYON_INLINE bool same_query(const char* text, std::size_t size) const {
    if (size != query_size || !open) return false;
    if (size <= 8) return ((load8(text) ^ load8(query.data())) << (64 - 8 * size)) == 0;
    return std::memcmp(text, query.data(), size) == 0;
  }

  // Ends the open group and, unless it was the last of the stretch, begins one at `row`.
  bool change_query(std::string_view id, const char* row) {
    close();
    if (final_group || met.again()) {
      ended = window.offset(row);
      return false;
    }
    if (open) skipping = false;
    if (!skipping && began == nowhere) began = window.offset(row);
    open = true;
    if (query.size() < id.size() + 16) query.resize(id.size() * 2 + 16);
    std::memcpy(query.data(), id.data(), id.size());
    query_size = id.size();
    group = row;
    judging = false;
    final_group = stopping;
    if (!skipping) {
      collector.begin(id);
      collector.set_base(row);
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

  // The group of the first row at or beyond the stop is the last: the next stretch, whose first
  // group it is, leaves it out.
  bool at_stop(bool same) {
    stopping = true;
    final_group = same;
    stop_at = window.end() + Window::padding;
    stop = nowhere;
    return skipping && same;  // nothing in this stretch is ours
  }

  // The first line that begins in this stretch: the window begins one byte before it.
  const char* skip_to_line();
};

// How much of a text of some size one stretch takes: large enough that re-reading the borders is
// cheap, small enough to share the text out evenly.
std::uint64_t stretch_of(std::uint64_t size);

}  // namespace relyon
