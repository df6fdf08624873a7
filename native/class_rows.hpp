// The two classes of very many rows of arrays, read in blocks on several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "label_facts.hpp"
#include "number_array.hpp"
#include "parallel.hpp"

namespace relyon {

class ClassRows {
 public:
  static constexpr std::size_t block_rows = std::size_t{1} << 13;

  // Room for a block and one more: on the heap, as threads may have small stacks.
  static std::unique_ptr<double[]> room() {
    return std::make_unique_for_overwrite<double[]>(block_rows + 1);
  }

  // Counts the classes among rows [start, end), and checks that all numbers are finite.
  ClassRows(const NumberArray& labels, const NumberArray& scores, std::size_t start,
            std::size_t end, double threshold, int threads)
      : labels_(labels),
        scores_(scores),
        start_(start),
        end_(end),
        threshold_(threshold),
        threads_(threads),
        positives_before_(blocks() + 1, 0) {
    std::vector<LabelFacts> facts(blocks());
    each([&](std::size_t block) {
      const auto [first, size] = rows_of(block);
      const std::unique_ptr<double[]> memory = room();
      const std::span<double> values(memory.get(), size);
      if (scores_.type == NumberType::float64) {
        check_finite({static_cast<const double*>(scores_.data) + first, size}, scores_.what, first);
      } else if (!scores_.whole()) {
        scores_.copy(first, values);
        check_finite(values, scores_.what, first);
      }
      labels_.copy(first, values);
      const Levels levels(values);
      if (levels.count == 0 && !labels_.whole()) check_finite(values, labels_.what, first);
      facts[block].add(values, levels);
      std::size_t count = 0;
      for (const double value : values) count += value >= threshold_ ? 1 : 0;
      positives_before_[block + 1] = count;
    });
    for (const LabelFacts& some : facts) facts_.add(some);
    std::partial_sum(positives_before_.begin(), positives_before_.end(), positives_before_.begin());
  }

  std::size_t count(bool positive) const {
    return positive ? positives_before_.back() : end_ - start_ - positives_before_.back();
  }

  const LabelFacts& facts() const { return facts_; }

  std::size_t blocks() const { return (end_ - start_ + block_rows - 1) / block_rows; }

  template <typename Work>
  void each(const Work& work) const {
    each_part(blocks(), threads_, work);
  }

  // Copies the scores of one class in a block to `into`.
  std::span<const double> pick(std::size_t block, bool positive, double* into) const {
    const auto [first, size] = rows_of(block);
    std::unique_ptr<double[]> own;
    const double* values = static_cast<const double*>(scores_.data) + first;
    if (scores_.type != NumberType::float64) {
      own = room();
      scores_.copy(first, {own.get(), size});
      values = own.get();
    }
    std::size_t count = 0;
    visit(labels_.type, labels_.data, [&, from = first, rows = size](const auto* all) {
      for (std::size_t i = 0; i < rows; ++i) {
        into[count] = values[i];
        count += (static_cast<double>(all[from + i]) >= threshold_) == positive ? 1 : 0;
      }
    });
    return {into, count};
  }

  // The scores of one class, in input order.
  std::vector<double> all(bool positive) const {
    std::vector<double> whole(count(positive));
    each([&](std::size_t block) {
      const std::unique_ptr<double[]> memory = room();
      const std::span<const double> some = pick(block, positive, memory.get());
      const std::size_t before =
          positive ? positives_before_[block] : block * block_rows - positives_before_[block];
      std::copy(some.begin(), some.end(), whole.begin() + static_cast<std::ptrdiff_t>(before));
    });
    return whole;
  }

 private:
  std::pair<std::size_t, std::size_t> rows_of(std::size_t block) const {
    const std::size_t first = start_ + block * block_rows;
    return {first, std::min(block_rows, end_ - first)};
  }

  const NumberArray& labels_;
  const NumberArray& scores_;
  const std::size_t start_;
  const std::size_t end_;
  const double threshold_;
  const int threads_;
  std::vector<std::size_t> positives_before_;
  LabelFacts facts_;
};

}  // namespace relyon
