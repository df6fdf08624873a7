// Groups of rows with equal ids, shared out to threads in stretches of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "arrow.hpp"
#include "parallel.hpp"

namespace relyon {

// The groups that begin in one stretch; the last may reach over its border.
class GroupWalk {
 public:
  GroupWalk(const ArrowColumn& ids, std::uint64_t row, std::uint64_t stop, std::uint64_t end)
      : ids_(ids), row_(row), stop_(stop), end_(end) {}

  // The rows [first, last) of the next group; false where there is none.
  bool next(std::uint64_t& first, std::uint64_t& last) {
    if (row_ >= stop_) return false;
    first = row_;
    last = row_ = ids_.same_until(row_, end_);
    return true;
  }

 private:
  const ArrowColumn& ids_;
  std::uint64_t row_;
  const std::uint64_t stop_;
  const std::uint64_t end_;
};

class GroupStretches {
 public:
  GroupStretches(const ArrowColumn& ids, std::uint64_t from, std::uint64_t end)
      : ids_(ids),
        from_(from),
        end_(end),
        step_(stretch_size(std::clamp<std::uint64_t>((end - from) / 8, 1 << 14, 1 << 18))) {}

  std::size_t size() const { return static_cast<std::size_t>((end_ - from_ + step_ - 1) / step_); }

  GroupWalk walk(std::size_t number) const {
    const std::uint64_t start = from_ + number * step_;
    const std::uint64_t stop = std::min(end_, start + step_);
    return {ids_, number == 0 ? start : ids_.same_until(start - 1, stop), stop, end_};
  }

 private:
  const ArrowColumn& ids_;
  const std::uint64_t from_;
  const std::uint64_t end_;
  const std::uint64_t step_;
};

}  // namespace relyon
