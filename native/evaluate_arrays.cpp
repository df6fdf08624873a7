// Labelled scores in arrays: every document is judged, groups are neighbouring rows.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bind.hpp"
#include "error.hpp"
#include "evaluator.hpp"
#include "pairs.hpp"
#include "rank_counts.hpp"
#include "text.hpp"
#include "total.hpp"

namespace nb = nanobind;

namespace relkit {

namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;
using Offsets = nb::ndarray<nb::ro, const std::int64_t, nb::ndim<1>, nb::device::cpu, nb::c_contig>;

// Copies rows of any number type into doubles.
class Numbers {
 public:
  Numbers(const Array& array, const char* what) : data_(array.data()), what_(what) {
    const nb::dlpack::dtype type = array.dtype();
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    if (code == Code::Float && type.bits == 64) {
      copy_ = &Numbers::copy<double>;
    } else if (code == Code::Float && type.bits == 32) {
      copy_ = &Numbers::copy<float>;
    } else if (code == Code::Int && type.bits == 64) {
      copy_ = &Numbers::copy<std::int64_t>;
    } else if (code == Code::Int && type.bits == 32) {
      copy_ = &Numbers::copy<std::int32_t>;
    } else if (code == Code::Int && type.bits == 16) {
      copy_ = &Numbers::copy<std::int16_t>;
    } else if (code == Code::Int && type.bits == 8) {
      copy_ = &Numbers::copy<std::int8_t>;
    } else if (code == Code::UInt && type.bits == 64) {
      copy_ = &Numbers::copy<std::uint64_t>;
    } else if (code == Code::UInt && type.bits == 32) {
      copy_ = &Numbers::copy<std::uint32_t>;
    } else if (code == Code::UInt && type.bits == 16) {
      copy_ = &Numbers::copy<std::uint16_t>;
    } else if ((code == Code::UInt || code == Code::Bool) && type.bits == 8) {
      copy_ = &Numbers::copy<std::uint8_t>;
    } else {
      throw InputError(std::string("the ") + what + " are not numbers of a type that can be read");
    }
  }

  // Fills `into` with rows [from, from + count); a value that is not finite is an error.
  void read(std::size_t from, std::size_t count, double* into) const { (this->*copy_)(from, count, into); }

 private:
  template <class T>
  void copy(std::size_t from, std::size_t count, double* into) const {
    const T* rows = static_cast<const T*>(data_) + from;
    double check = 0.0;
    for (std::size_t row = 0; row < count; ++row) {
      into[row] = static_cast<double>(rows[row]);
      if constexpr (std::is_floating_point_v<T>) check += into[row] - into[row];
    }
    if (check != 0.0 || std::isnan(check)) {
      for (std::size_t row = 0; row < count; ++row) {
        if (!std::isfinite(into[row])) {
          throw InputError(std::string("the ") + what_ + " of row " + std::to_string(from + row) +
                           " is not a finite number: " + std::to_string(into[row]));
        }
      }
    }
  }

  const void* data_;
  const char* what_;
  void (Numbers::*copy_)(std::size_t, std::size_t, double*) const = nullptr;
};

// Where the groups lie: by offsets, or rows of a matrix.
struct Groups {
  std::size_t count;
  std::size_t width;                 // 0: by offsets
  const std::int64_t* offsets;
  std::size_t begin(std::size_t group) const {
    return width != 0 ? group * width : static_cast<std::size_t>(offsets[group]);
  }
};

std::size_t rows_of(const Array& array) {
  std::size_t rows = 1;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) rows *= array.shape(axis);
  return rows;
}

Groups check_groups(const Array& labels, const Array& scores, const std::optional<Offsets>& offsets) {
  bool same = labels.ndim() == scores.ndim();
  for (std::size_t axis = 0; same && axis < labels.ndim(); ++axis) same = labels.shape(axis) == scores.shape(axis);
  if (!same) throw InputError("labels and scores differ in shape", "", 0, "give one score for each label");
  if (labels.ndim() == 2) {
    if (offsets) throw InputError("2-D labels are one query a row and take no offsets");
    // Without columns every query is empty, whatever the width.
    if (labels.shape(1) == 0) throw InputError("the rows of labels are empty");
    return {labels.shape(0), labels.shape(1), nullptr};
  }
  if (labels.ndim() != 1 || !offsets || offsets->shape(0) == 0) {
    throw InputError("1-D labels need offsets, from 0 to the number of rows");
  }
  const std::size_t count = offsets->shape(0) - 1;
  const std::int64_t* edges = offsets->data();
  bool good = edges[0] == 0 && edges[count] == static_cast<std::int64_t>(labels.shape(0));
  for (std::size_t group = 0; group < count; ++group) good = good && edges[group] <= edges[group + 1];
  if (!good) throw InputError("offsets must ascend from 0 to the number of rows");
  return {count, 0, edges};
}

// Labels from the highest to the lowest. Small whole numbers are counted, not sorted.
void sort_descending(std::span<const double> labels, std::vector<double>& sorted) {
  constexpr std::size_t levels = 64;
  std::array<std::uint32_t, levels> counts{};
  bool small = true;
  for (const double label : labels) {
    const auto level = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(label, -1.0, 1000.0)));
    if (level < levels && static_cast<double>(level) == label) {
      ++counts[level];
    } else {
      small = false;
      break;
    }
  }
  sorted.resize(labels.size());
  if (small) {
    auto out = sorted.begin();
    for (std::size_t level = levels; level-- > 0;) {
      out = std::fill_n(out, counts[level], static_cast<double>(level));
    }
    return;
  }
  std::copy(labels.begin(), labels.end(), sorted.begin());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
}

Batch evaluate_arrays(const Plan& plan, const Array& labels, const Array& scores,
                      const std::optional<Offsets>& offsets, int threads) {
  if (plan.rules.ties == Ties::rank) {
    throw InputError("ties=rank needs a rank column, and arrays have none", "", 0,
                     "choose another tie rule, such as ties=input");
  }
  const Groups groups = check_groups(labels, scores, offsets);
  const Numbers label_rows(labels, "label");
  const Numbers score_rows(scores, "score");
  const nb::gil_scoped_release released;
  const std::size_t block = std::max<std::size_t>(1, std::min<std::size_t>(1024, groups.count / 16 + 1));
  const std::size_t blocks = (groups.count + block - 1) / block;
  std::vector<Batch> parts(blocks);
  std::vector<std::exception_ptr> errors(blocks);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    Evaluator evaluator(plan);
    std::vector<double> grades, values, sorted;
    std::vector<Match> matches;
    for (std::size_t at; (at = next.fetch_add(1)) < blocks;) {
      try {
        const std::size_t last = std::min(groups.count, (at + 1) * block);
        for (std::size_t group = at * block; group < last; ++group) {
          const std::size_t from = groups.begin(group), count = groups.begin(group + 1) - from;
          grades.resize(count);
          values.resize(count);
          matches.resize(count);
          label_rows.read(from, count, grades.data());
          score_rows.read(from, count, values.data());
          sort_descending(grades, sorted);
          for (std::uint32_t row = 0; row < count; ++row) matches[row] = {row, grades[row]};
          List list;
          list.scores = values;
          list.matches = matches;
          list.judged = sorted;
          evaluator.add_unnamed(list);
        }
        parts[at] = evaluator.take();
      } catch (...) {
        errors[at] = std::current_exception();
        evaluator.take();
      }
    }
  };
  const int workers = std::min<int>(thread_count(threads), static_cast<int>(std::max<std::size_t>(1, blocks)));
  std::vector<std::thread> pool;
  for (int worker = 1; worker < workers; ++worker) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  Batch whole = Evaluator(plan).take();
  for (std::size_t at = 0; at < blocks; ++at) {
    if (errors[at]) std::rethrow_exception(errors[at]);
    append(whole, std::move(parts[at]));
  }
  whole.rows = rows_of(labels);
  return whole;
}

double pooled_auc(const Array& labels, const Array& scores, double threshold, int) {
  if (rows_of(labels) != rows_of(scores)) throw InputError("labels and scores differ in shape");
  const Numbers label_rows(labels, "label");
  const Numbers score_rows(scores, "score");
  const std::size_t rows = rows_of(labels);
  const nb::gil_scoped_release released;
  Pool pool;
  std::vector<double> grades(4096), values(4096);
  for (std::size_t from = 0; from < rows; from += grades.size()) {
    const std::size_t count = std::min(grades.size(), rows - from);
    label_rows.read(from, count, grades.data());
    score_rows.read(from, count, values.data());
    for (std::size_t row = 0; row < count; ++row) {
      (grades[row] >= threshold ? pool.positive : pool.negative).push_back(values[row]);
    }
  }
  return class_auc(pool.positive, pool.negative);
}

nb::object to_array(std::vector<std::int64_t>&& values) {
  auto* kept = new std::vector<std::int64_t>(std::move(values));
  const nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<std::int64_t>*>(data); });
  const std::size_t shape[] = {kept->size()};
  return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(kept->data(), 1, shape, owner));
}

nb::object group_offsets(const Offsets& groups) {
  const std::int64_t* ids = groups.data();
  const std::size_t rows = groups.shape(0);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> starts;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row == 0 || ids[row] != ids[row - 1]) {
      if (row != 0) offsets.push_back(static_cast<std::int64_t>(row));
      starts.push_back(ids[row]);
    }
  }
  if (rows > 0) offsets.push_back(static_cast<std::int64_t>(rows));
  std::vector<std::int64_t> sorted = starts;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) {
    return nb::make_tuple(to_array(std::move(offsets)), nb::none());
  }
  // Some group is in pieces: bring each one's rows to where it first appears, in order.
  std::unordered_map<std::int64_t, std::size_t> numbers;
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> number_of(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto [found, added] = numbers.emplace(ids[row], sizes.size());
    if (added) sizes.push_back(0);
    number_of[row] = found->second;
    ++sizes[found->second];
  }
  offsets.assign(1, 0);
  for (const std::size_t size : sizes) offsets.push_back(offsets.back() + static_cast<std::int64_t>(size));
  std::vector<std::int64_t> place(offsets.begin(), offsets.end() - 1), order(rows);
  for (std::size_t row = 0; row < rows; ++row) order[static_cast<std::size_t>(place[number_of[row]]++)] = static_cast<std::int64_t>(row);
  return nb::make_tuple(to_array(std::move(offsets)), to_array(std::move(order)));
}

}  // namespace

void bind_arrays(nb::module_& module) {
  module.def("evaluate_arrays", &evaluate_arrays, nb::arg("plan"), nb::arg("labels"), nb::arg("scores"),
             nb::arg("offsets").none() = nb::none(), nb::arg("threads") = 0);
  module.def("pooled_auc", &pooled_auc, nb::arg("labels"), nb::arg("scores"), nb::arg("threshold"), nb::arg("threads") = 0);
  module.def("group_offsets", &group_offsets, nb::arg("groups"));
  module.def("simd", [] { return count_name(); });
}

}  // namespace relkit
