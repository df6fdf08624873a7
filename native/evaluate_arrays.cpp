// Labelled scores in arrays: complete lists of which every document is judged.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bind.hpp"
#include "error.hpp"
#include "evaluator.hpp"
#include "pairs.hpp"
#include "parallel.hpp"
#include "parameters.hpp"
#include "simd.hpp"
#include "weighted.hpp"

namespace nb = nanobind;

namespace relkit {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t block_queries = 256;

enum class Type { float64, float32, int64, int32, int16, int8, uint64, uint32, uint16, uint8 };

Type type_of(const AnyArray& array, const char* what) {
  const nb::dlpack::dtype type = array.dtype();
  const auto is = [&](nb::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  using Code = nb::dlpack::dtype_code;
  if (is(Code::Float, 64)) return Type::float64;
  if (is(Code::Float, 32)) return Type::float32;
  if (is(Code::Int, 64)) return Type::int64;
  if (is(Code::Int, 32)) return Type::int32;
  if (is(Code::Int, 16)) return Type::int16;
  if (is(Code::Int, 8)) return Type::int8;
  if (is(Code::UInt, 64)) return Type::uint64;
  if (is(Code::UInt, 32)) return Type::uint32;
  if (is(Code::UInt, 16)) return Type::uint16;
  if (is(Code::UInt, 8) || is(Code::Bool, 8)) return Type::uint8;
  throw InputError(std::string(what) + " are neither whole numbers nor float32 nor float64");
}

template <typename Visit>
decltype(auto) visit(Type type, const void* data, Visit use) {
  switch (type) {
    case Type::float64:
      return use(static_cast<const double*>(data));
    case Type::float32:
      return use(static_cast<const float*>(data));
    case Type::int64:
      return use(static_cast<const std::int64_t*>(data));
    case Type::int32:
      return use(static_cast<const std::int32_t*>(data));
    case Type::int16:
      return use(static_cast<const std::int16_t*>(data));
    case Type::int8:
      return use(static_cast<const std::int8_t*>(data));
    case Type::uint64:
      return use(static_cast<const std::uint64_t*>(data));
    case Type::uint32:
      return use(static_cast<const std::uint32_t*>(data));
    case Type::uint16:
      return use(static_cast<const std::uint16_t*>(data));
    default:
      return use(static_cast<const std::uint8_t*>(data));
  }
}

// An array in C order; one that is not is copied.
struct Numbers {
  Numbers(nb::handle source, const char* name) : what(name) {
    array = nb::cast<AnyArray>(source);
    std::int64_t stride = 1;
    bool contiguous = true;
    for (std::size_t i = array.ndim(); i-- > 0;) {
      contiguous &= array.shape(i) <= 1 || array.stride(i) == stride;
      stride *= static_cast<std::int64_t>(array.shape(i));
    }
    if (!contiguous) {
      array = nb::cast<AnyArray>(nb::module_::import_("numpy").attr("ascontiguousarray")(source));
    }
    type = type_of(array, name);
    data = array.data();
    size = array.size();
  }

  bool whole() const { return type != Type::float64 && type != Type::float32; }

  // Rows [start, start + out.size()) as doubles.
  void copy(std::size_t start, std::span<double> out) const {
    visit(type, data, [&](const auto* values) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(values[start + i]);
    });
  }

  const char* what;
  AnyArray array;
  Type type = Type::float64;
  const void* data = nullptr;
  std::size_t size = 0;
};

[[noreturn]] void refuse_number(const char* what, double value, std::size_t row) {
  throw InputError(std::string(what) + ", row " + std::to_string(row) + ": " +
                       (std::isnan(value) ? "not a number" : "not finite"),
                   {}, 0, "rows count from 0; leave out or replace such rows");
}

void check_finite(std::span<const double> values, const char* what, std::size_t first_row) {
  if (simd::finite(values.data(), values.size())) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse_number(what, values[i], first_row + i);
  }
}

// The scores of the two classes among rows [start, end).
struct Classes {
  std::vector<double> positives;
  std::vector<double> negatives;
};

void split(std::span<const double> labels, std::span<const double> scores, double threshold,
           Classes& into) {
  const std::size_t size = labels.size();
  into.positives.resize(size + 1);
  into.negatives.resize(size + 1);
  std::size_t positives = 0;
  std::size_t negatives = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool positive = labels[i] >= threshold;
    into.positives[positives] = scores[i];
    into.negatives[negatives] = scores[i];
    positives += positive ? 1 : 0;
    negatives += positive ? 0 : 1;
  }
  into.positives.resize(positives);
  into.negatives.resize(negatives);
}

// The two classes of very many rows, read in blocks on several threads.
class ClassRows {
 public:
  static constexpr std::size_t block_rows = std::size_t{1} << 13;

  // Room for a block and one more: on the heap, as threads may have small stacks.
  static std::unique_ptr<double[]> room() {
    return std::make_unique_for_overwrite<double[]>(block_rows + 1);
  }

  // Counts the classes among rows [start, end), and checks that all numbers are finite.
  ClassRows(const Numbers& labels, const Numbers& scores, std::size_t start, std::size_t end,
            double threshold, int threads)
      : labels_(labels),
        scores_(scores),
        start_(start),
        end_(end),
        threshold_(threshold),
        threads_(threads),
        positives_before_(blocks() + 1, 0) {
    each([&](std::size_t block) {
      const auto [first, size] = rows_of(block);
      const std::unique_ptr<double[]> memory = room();
      const std::span<double> values(memory.get(), size);
      if (scores_.type == Type::float64) {
        check_finite({static_cast<const double*>(scores_.data) + first, size}, scores_.what, first);
      } else if (!scores_.whole()) {
        scores_.copy(first, values);
        check_finite(values, scores_.what, first);
      }
      labels_.copy(first, values);
      if (!labels_.whole()) check_finite(values, labels_.what, first);
      std::size_t count = 0;
      for (const double value : values) count += value >= threshold_ ? 1 : 0;
      positives_before_[block + 1] = count;
    });
    std::partial_sum(positives_before_.begin(), positives_before_.end(), positives_before_.begin());
  }

  std::size_t count(bool positive) const {
    return positive ? positives_before_.back() : end_ - start_ - positives_before_.back();
  }

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
    if (scores_.type != Type::float64) {
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

  const Numbers& labels_;
  const Numbers& scores_;
  const std::size_t start_;
  const std::size_t end_;
  const double threshold_;
  const int threads_;
  std::vector<std::size_t> positives_before_;
};

// What one thread needs to read one query after the other.
struct Reader {
  explicit Reader(const Plan& plan)
      : evaluator(plan), classes_only(plan.classes_only() && !plan.rules.float32) {
    pools.resize(plan.kernels.size());
  }

  Evaluator evaluator;
  const bool classes_only;
  std::vector<double> labels;
  std::vector<double> scores;
  std::vector<double> judged;
  Classes classes;
  std::vector<std::shared_ptr<Pool>> pools;
  WeightedOrder weighted;
  WeightedOrder weighted_worst;
  std::vector<double> weights;
  Scratch scratch;
};

// Sorts labels, the highest first. Small whole numbers are counted, not compared.
void sort_descending(std::span<const double> values, std::vector<double>& sorted) {
  sorted.resize(values.size());
  std::uint32_t counts[simd::levels];
  if (simd::count_levels(values.data(), values.size(), counts)) {
    auto next = sorted.begin();
    for (std::size_t level = simd::levels; level-- > 0;) {
      next = std::fill_n(next, counts[level], static_cast<double>(level));
    }
    return;
  }
  std::copy(values.begin(), values.end(), sorted.begin());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
}

// Measures of the two classes alone, without a ranking.
void score_classes(Reader& reader, const Plan& plan, Classes& classes, std::size_t kernel,
                   std::size_t query, int threads, Column& column) {
  const Pool::Part part{query, classes.positives.size(), classes.negatives.size()};
  const ClassPairs counts =
      count_class_pairs(classes.positives, classes.negatives, static_cast<unsigned>(threads));
  Partial partial = plan.kernels[kernel]->score_classes(counts);
  partial.value = plan.rules.rounded(partial.value);
  column.values[query] = partial.value;
  column.numerators[query] = partial.numerator;
  column.denominators[query] = partial.denominator;
  if (!plan.kernels[kernel]->pools()) return;
  std::shared_ptr<Pool>& pool = reader.pools[kernel];
  if (!pool) {
    pool = std::make_shared<Pool>();
    pool->positive = std::move(classes.positives);
    pool->negative = std::move(classes.negatives);
    pool->parts.push_back(part);
    return;
  }
  pool->positive.insert(pool->positive.end(), classes.positives.begin(), classes.positives.end());
  pool->negative.insert(pool->negative.end(), classes.negatives.begin(), classes.negatives.end());
  pool->parts.push_back(part);
}

// Evaluates rows [start, end) as query `query`.
void read_query(Reader& reader, const Plan& plan, const Numbers& labels, const Numbers& scores,
                std::size_t start, std::size_t end, std::size_t query, int threads,
                std::vector<Column>& columns) {
  const std::size_t size = end - start;
  constexpr std::size_t very_many = std::size_t{1} << 17;
  if (reader.classes_only && size >= very_many && plan.rules.negative == Negative::nonrelevant) {
    for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel) {
      const ClassRows rows(labels, scores, start, end, *plan.kernels[kernel]->class_threshold(),
                           threads);
      Classes classes{rows.all(true), rows.all(false)};
      score_classes(reader, plan, classes, kernel, query, threads, columns[kernel]);
    }
    return;
  }
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("a query has more than 4,294,967,295 rows");
  }
  List list;
  if (scores.type == Type::float64) {
    list.scores = {static_cast<const double*>(scores.data) + start, size};
  } else {
    reader.scores.resize(size);
    scores.copy(start, reader.scores);
    list.scores = reader.scores;
  }
  reader.labels.resize(size);
  labels.copy(start, reader.labels);
  if (!scores.whole()) check_finite(list.scores, scores.what, start);
  if (!labels.whole()) check_finite(reader.labels, labels.what, start);
  if (reader.classes_only && (plan.rules.negative == Negative::nonrelevant ||
                              std::none_of(reader.labels.begin(), reader.labels.end(),
                                           [](double label) { return label < 0; }))) {
    for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel) {
      split(reader.labels, list.scores, *plan.kernels[kernel]->class_threshold(), reader.classes);
      score_classes(reader, plan, reader.classes, kernel, query, 1, columns[kernel]);
    }
    return;
  }
  sort_descending(reader.labels, reader.judged);
  list.grades = reader.labels;
  list.judged = reader.judged;
  reader.evaluator.add_at(query, list, columns);
}

// The same of rows that weigh differently.
void read_weighted(Reader& reader, const Plan& plan, const Numbers& labels, const Numbers& scores,
                   const Numbers& weights, std::size_t start, std::size_t end, std::size_t query,
                   std::vector<Column>& columns) {
  const auto copy = [&](const Numbers& from, std::vector<double>& into) {
    into.resize(end - start);
    from.copy(start, into);
    check_finite(into, from.what, start);
  };
  copy(labels, reader.labels);
  copy(scores, reader.scores);
  copy(weights, reader.weights);
  for (std::size_t i = 0; i < reader.weights.size(); ++i) {
    if (reader.weights[i] < 0) {
      throw InputError("weights, row " + std::to_string(start + i) + ": below 0", {}, 0,
                       "a row weighs 0 or more");
    }
  }
  const WeightedRows own =
      reader.weighted.order(reader.labels, reader.scores, reader.weights, plan.rules);
  WeightedRows worst = own;
  if (std::find(plan.in_worst_order.begin(), plan.in_worst_order.end(), 1) !=
      plan.in_worst_order.end()) {
    Rules rules = plan.rules;
    rules.ties = Ties::worst;
    worst = reader.weighted_worst.order(reader.labels, reader.scores, reader.weights, rules);
  }
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel& kernel = *plan.kernels[i];
    const bool in_worst = !plan.in_worst_order.empty() && plan.in_worst_order[i] != 0;
    const WeightedRows& rows = in_worst ? worst : own;
    Partial partial = kernel.score_weighted(rows, reader.scratch);
    partial.value = plan.rules.rounded(partial.value);
    columns[i].values[query] = partial.value;
    columns[i].numerators[query] = partial.numerator;
    columns[i].denominators[query] = partial.denominator;
    if (kernel.pair_levels()) columns[i].levels[query] = reader.scratch.levels;
    if (!kernel.pools()) continue;
    if (!reader.pools[i]) reader.pools[i] = std::make_shared<Pool>();
    Pool& pool = *reader.pools[i];
    const std::uint64_t positives = pool.positive.size();
    const std::uint64_t negatives = pool.negative.size();
    kernel.pool_weighted(rows, pool);
    pool.parts.push_back(
        {query, pool.positive.size() - positives, pool.negative.size() - negatives});
  }
}

Batch evaluate_arrays(const Plan& plan, nb::handle label_array, nb::handle score_array,
                      std::optional<Offsets> offsets, int threads, nb::handle weight_array) {
  const Numbers labels(label_array, "labels");
  const Numbers scores(score_array, "scores");
  const std::size_t dimensions = labels.array.ndim();
  bool same = dimensions == scores.array.ndim();
  for (std::size_t i = 0; same && i < dimensions; ++i)
    same = labels.array.shape(i) == scores.array.shape(i);
  if (!same) {
    throw InputError("labels and scores differ in shape: " + std::to_string(labels.size) + " and " +
                     std::to_string(scores.size) + " values");
  }
  std::optional<Numbers> weights;
  if (!weight_array.is_none()) {
    weights.emplace(weight_array, "weights");
    if (weights->size != labels.size) {
      throw InputError("labels and weights differ in length: " + std::to_string(labels.size) +
                       " and " + std::to_string(weights->size) + " values");
    }
    for (const auto& kernel : plan.kernels) {
      if (!kernel->takes_weights()) throw InputError("a measure of this plan takes no weights");
    }
  }
  std::vector<std::int64_t> bounds;
  std::span<const std::int64_t> ends;
  if (dimensions == 2) {
    if (offsets) throw InputError("2-D labels are one query a row and take no offsets");
    for (std::size_t i = 0; i <= labels.array.shape(0); ++i) {
      bounds.push_back(static_cast<std::int64_t>(i * labels.array.shape(1)));
    }
    ends = bounds;
  } else if (dimensions == 1) {
    if (offsets) {
      ends = {offsets->data(), offsets->size()};
    } else {
      bounds = {0, static_cast<std::int64_t>(labels.size)};
      ends = bounds;
    }
    if (ends.empty() || ends.front() != 0 ||
        ends.back() != static_cast<std::int64_t>(labels.size) ||
        !std::is_sorted(ends.begin(), ends.end())) {
      throw InputError("offsets must rise from 0 to the number of rows, " +
                       std::to_string(labels.size));
    }
  } else {
    throw InputError("labels must have one or two dimensions, not " + std::to_string(dimensions));
  }

  const std::size_t queries = ends.size() - 1;
  Batch batch;
  batch.columns.resize(plan.kernels.size());
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      Column& column = batch.columns[i];
      column.values.resize(queries);
      column.numerators.resize(queries);
      column.denominators.resize(queries);
      if (plan.kernels[i]->pair_levels()) column.levels.resize(queries);
    }
    const std::size_t blocks = (queries + block_queries - 1) / block_queries;
    std::vector<std::unique_ptr<Reader>> readers;
    for (std::size_t i = 0; i < worker_count(blocks, threads); ++i)
      readers.push_back(std::make_unique<Reader>(plan));
    each_part(blocks, threads, [&](std::size_t worker, std::size_t block) {
      Reader& reader = *readers[worker];
      const std::size_t last = std::min(queries, (block + 1) * block_queries);
      for (std::size_t query = block * block_queries; query < last; ++query) {
        if (weights) {
          read_weighted(reader, plan, labels, scores, *weights,
                        static_cast<std::size_t>(ends[query]),
                        static_cast<std::size_t>(ends[query + 1]), query, batch.columns);
          continue;
        }
        read_query(reader, plan, labels, scores, static_cast<std::size_t>(ends[query]),
                   static_cast<std::size_t>(ends[query + 1]), query, queries == 1 ? threads : 1,
                   batch.columns);
      }
    });
    for (const auto& reader : readers) {
      Batch rest = reader->evaluator.take();
      for (std::size_t i = 0; i < rest.columns.size(); ++i) {
        if (reader->pools[i]) rest.columns[i].pool = std::move(reader->pools[i]);
      }
      append(batch, std::move(rest));
    }
  }
  batch.rows = labels.size;
  batch.matched = labels.size;
  return batch;
}

double pooled_auc(nb::handle label_array, nb::handle score_array, double threshold, int threads) {
  const Numbers labels(label_array, "labels");
  const Numbers scores(score_array, "scores");
  if (labels.size != scores.size) {
    throw InputError("labels and scores differ in length: " + std::to_string(labels.size) +
                     " and " + std::to_string(scores.size));
  }
  nb::gil_scoped_release release;
  const ClassRows rows(labels, scores, 0, labels.size, threshold, threads);
  ClassPairs counts;
  counts.positives = rows.count(true);
  counts.negatives = rows.count(false);
  if (counts.positives == 0 || counts.negatives == 0) return counts.auc();
  // Only the smaller class is kept; the rows of the other pass by.
  const bool few_positives = counts.positives <= counts.negatives;
  const Finder finder(rows.all(few_positives));
  std::vector<std::uint64_t> won(rows.blocks());
  rows.each([&](std::size_t block) {
    const std::unique_ptr<double[]> memory = ClassRows::room();
    const std::span<const double> many = rows.pick(block, !few_positives, memory.get());
    const std::uint64_t sum = finder.sum(many);
    won[block] = few_positives ? 2 * std::uint64_t{finder.size()} * many.size() - sum : sum;
  });
  counts.twice_won = std::accumulate(won.begin(), won.end(), std::uint64_t{0});
  return counts.auc();
}

template <typename Value>
auto to_numpy(std::vector<Value>&& values) {
  auto* kept = new std::vector<Value>(std::move(values));
  nb::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

nb::tuple group_offsets(const Offsets& groups) {
  const std::int64_t* ids = groups.data();
  const std::size_t size = groups.size();
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> order;
  bool contiguous = true;
  {
    nb::gil_scoped_release release;
    bool ascending = true;
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0 && ids[i] == ids[i - 1]) continue;
      ascending &= i == 0 || ids[i] > ids[i - 1];
      offsets.push_back(static_cast<std::int64_t>(i));
    }
    if (!ascending) {
      // Groups in the order of their first rows.
      std::unordered_map<std::int64_t, std::size_t> numbers;
      std::vector<std::size_t> number_of_run;
      std::vector<std::int64_t> sizes;
      for (std::size_t run = 0; run < offsets.size(); ++run) {
        const auto start = static_cast<std::size_t>(offsets[run]);
        const std::size_t end =
            run + 1 < offsets.size() ? static_cast<std::size_t>(offsets[run + 1]) : size;
        const auto [found, added] = numbers.emplace(ids[start], sizes.size());
        if (added) sizes.push_back(0);
        contiguous &= added;
        sizes[found->second] += static_cast<std::int64_t>(end - start);
        number_of_run.push_back(found->second);
      }
      if (!contiguous) {
        std::vector<std::int64_t> starts;
        std::int64_t start = 0;
        for (const std::int64_t rows : sizes) {
          starts.push_back(start);
          start += rows;
        }
        std::vector<std::int64_t> next = starts;
        order.resize(size);
        for (std::size_t run = 0; run < offsets.size(); ++run) {
          const std::int64_t end =
              run + 1 < offsets.size() ? offsets[run + 1] : static_cast<std::int64_t>(size);
          for (std::int64_t row = offsets[run]; row < end; ++row) {
            order[static_cast<std::size_t>(next[number_of_run[run]]++)] = row;
          }
        }
        offsets = std::move(starts);
      }
    }
    offsets.push_back(static_cast<std::int64_t>(size));
  }
  nb::object rows = nb::none();
  if (!contiguous) rows = nb::cast(to_numpy(std::move(order)));
  return nb::make_tuple(to_numpy(std::move(offsets)), rows);
}

}  // namespace

void bind_arrays(nb::module_& module) {
  module.def("evaluate_arrays", &evaluate_arrays, nb::arg("plan"), nb::arg("labels"),
             nb::arg("scores"), nb::arg("offsets") = nb::none(), nb::arg("threads") = 0,
             nb::arg("weights") = nb::none());
  module.def("pooled_auc", &pooled_auc, nb::arg("labels"), nb::arg("scores"), nb::arg("threshold"),
             nb::arg("threads") = 0);
  module.def("group_offsets", &group_offsets, nb::arg("groups"));
}

}  // namespace relkit
