// Labels, scores and weights in arrays, and where each query begins.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"
#include "number_array.hpp"

namespace relyon {

using Offsets = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                  nanobind::device::cpu>;

// Rows of queries: two-dimensional arrays are one query a row; others have offsets, or are one
// query. Throws InputError where shapes do not fit. Made and freed with the GIL, read without.
struct LabelledArrays {
  LabelledArrays(nanobind::handle label_array, nanobind::handle score_array,
                 const std::optional<Offsets>& offsets, nanobind::handle weight_array)
      : labels(label_array, "labels"), scores(score_array, "scores") {
    const std::size_t dimensions = labels.array.ndim();
    bool same = dimensions == scores.array.ndim();
    for (std::size_t i = 0; same && i < dimensions; ++i)
      same = labels.array.shape(i) == scores.array.shape(i);
    if (!same) {
      throw InputError(Sentence(
          "native.labels-and-scores-differ-in-shape",
          {{"labels", std::to_string(labels.size)}, {"scores", std::to_string(scores.size)}}));
    }
    if (!weight_array.is_none()) {
      weights.emplace(weight_array, "weights");
      if (weights->size != labels.size) {
        throw InputError(Sentence(
            "native.labels-and-weights-differ",
            {{"labels", std::to_string(labels.size)}, {"weights", std::to_string(weights->size)}}));
      }
    }
    if (dimensions == 2) {
      if (offsets) throw InputError("native.offsets-of-2-d-labels");
      for (std::size_t i = 0; i <= labels.array.shape(0); ++i) {
        bounds.push_back(static_cast<std::int64_t>(i * labels.array.shape(1)));
      }
    } else if (dimensions == 1) {
      if (offsets) {
        bounds.assign(offsets->data(), offsets->data() + offsets->size());
      } else {
        bounds = {0, static_cast<std::int64_t>(labels.size)};
      }
      if (bounds.empty() || bounds.front() != 0 ||
          bounds.back() != static_cast<std::int64_t>(labels.size) ||
          !std::is_sorted(bounds.begin(), bounds.end())) {
        throw InputError(
            Sentence("native.offsets-must-rise", {{"rows", std::to_string(labels.size)}}));
      }
    } else {
      throw InputError(Sentence("native.labels-must-have-one-or-two",
                                {{"dimensions", std::to_string(dimensions)}}));
    }
  }

  std::size_t queries() const { return bounds.size() - 1; }
  std::size_t start(std::size_t query) const { return static_cast<std::size_t>(bounds[query]); }

  NumberArray labels;
  NumberArray scores;
  std::optional<NumberArray> weights;
  std::vector<std::int64_t> bounds;
};

// Rows [start, end) as doubles, in `room` where they are something else.
inline std::span<const double> doubles(const NumberArray& numbers, std::size_t start,
                                       std::size_t end, std::vector<double>& room) {
  if (numbers.type == NumberType::float64) {
    return {static_cast<const double*>(numbers.data) + start, end - start};
  }
  room.resize(end - start);
  numbers.copy(start, room);
  return room;
}

// The same of numbers that have to be finite.
inline std::span<const double> finite_doubles(const NumberArray& numbers, std::size_t start,
                                              std::size_t end, std::vector<double>& room) {
  const std::span<const double> values = doubles(numbers, start, end, room);
  if (!numbers.whole()) check_finite(values, numbers.what, start);
  return values;
}

// The same of weights, none of which is below 0.
inline std::span<const double> weight_doubles(const NumberArray& weights, std::size_t start,
                                              std::size_t end, std::vector<double>& room) {
  const std::span<const double> values = finite_doubles(weights, start, end, room);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0) continue;
    throw InputError(Sentence("native.row-below-0",
                              {{"what", Sentence("weights")}, {"row", std::to_string(start + i)}}),
                     {}, 0, "native.row-weights-must-be-0");
  }
  return values;
}

}  // namespace relyon
