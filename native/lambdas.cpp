#include "lambdas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "error.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace relyon {

// The best score first; of equal ones the row that stands first, or that is drawn first.
void LambdaRank::order(const LossList& list, LambdaRoom& room) const {
  const std::span<const double> scores = list.scores;
  if (rules_.drawn) {
    drawn_order(list, scores, room.scratch);
    return;
  }
  std::vector<std::uint32_t>& order = room.scratch.order;
  order.resize(scores.size());
  if (scores.size() <= simd::most_to_order) {
    simd::order(scores.data(), scores.size(), order.data());
    return;
  }
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
}

// Σ weight log(1 + e^(-σ distance)) over the pairs of one rank with the later ones. Where rows
// weigh by themselves, a pair weighs the mean of its two.
double LambdaRank::value(const LossList& list, std::size_t rank, bool distances,
                         const LambdaRoom& room) const {
  const std::vector<std::uint32_t>& order = room.scratch.order;
  double sum = 0.0;
  for (std::size_t j = rank + 1; j < order.size(); ++j) {
    const double change = room.changes[j];
    if (change == 0) continue;
    const double distance = room.scores[rank] - room.scores[j];
    const double scaled = rules_.sigma * distance;
    const bool right = room.worths[rank] > room.worths[j];
    const double loss = (right ? 0.0 : scaled) + std::log1p(std::exp(-scaled));
    const double weight = distances ? change / (0.01 + distance) : change;
    const double rows = rules_.paired ? list.weights.empty() ? 1.0 : room.factors[j]
                                      : 0.5 * (list.weight(order[rank]) + list.weight(order[j]));
    sum += weight * loss * rows;
  }
  return sum;
}

double LambdaRank::derive(const LossList& list, std::span<const double> worths, double scale,
                          bool valued, LambdaRoom& room) const {
  const std::size_t size = worths.size();
  order(list, room);
  const std::size_t padded = size + lambda_lanes;
  room.scores.resize(padded);
  room.worths.assign(padded, 0.0);
  room.changes.assign(padded, 0.0);
  room.lambdas.assign(padded, 0.0);
  room.hessians.assign(padded, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    room.scores[i] = list.scores[room.scratch.order[i]];
    room.worths[i] = worths[room.scratch.order[i]];
  }
  std::fill_n(room.scores.begin() + static_cast<std::ptrdiff_t>(size), lambda_lanes,
              room.scores[size - 1]);
  const SwapList seen{{room.worths.data(), size}, scale};
  swaps_->begin(seen, room.swaps);
  const bool distances = rules_.normalize && room.scores[0] != room.scores[size - 1];
  std::size_t last = std::min(size - 1, swaps_->window());
  if (rules_.truncation != 0) last = std::min(last, rules_.truncation);
  const bool paired = rules_.paired && !list.weights.empty();
  if (paired) {
    room.weights.resize(size);
    room.factors.assign(padded, 0.0);
    for (std::size_t i = 0; i < size; ++i) room.weights[i] = list.weight(room.scratch.order[i]);
  }
  double lambdas = 0.0;
  double loss = 0.0;
  for (std::size_t rank = 0; rank < last; ++rank) {
    swaps_->fill(seen, rank, room.swaps, room.changes.data());
    if (paired) {
      for (std::size_t j = rank + 1; j < size; ++j) {
        room.factors[j] = room.weights[room.worths[rank] > room.worths[j] ? rank : j];
      }
    }
    lambdas += add_lambdas({room.scores.data(), room.worths.data(), room.changes.data(),
                            paired ? room.factors.data() : nullptr, room.lambdas.data(),
                            room.hessians.data(), rank, size, rules_.sigma, distances});
    if (valued) loss += value(list, rank, distances, room);
  }
  if (rules_.normalize && lambdas > 0) {
    const double factor = std::log2(1.0 + lambdas) / lambdas;
    for (std::size_t i = 0; i < size; ++i) {
      room.lambdas[i] *= factor;
      room.hessians[i] *= factor;
    }
    loss *= factor;
  }
  if (!paired && !list.weights.empty()) {
    for (std::size_t i = 0; i < size; ++i) {
      const double weight = list.weight(room.scratch.order[i]);
      room.lambdas[i] *= weight;
      room.hessians[i] *= weight;
    }
  }
  return loss;
}

LambdaRank make_lambdarank(Parameters& parameters) {
  LambdaRules rules;
  const Parameter measure = parameters.take("measure");
  const auto* name = std::get_if<std::string>(&measure);
  if (name == nullptr) parameters.refuse("measure", "native.name-of-kernel");
  rules.sigma = parameters.take_number("sigma", 1.0);
  rules.truncation = static_cast<std::size_t>(parameters.take_number("truncation", 0.0));
  rules.normalize = parameters.take_flag("normalize", true);
  rules.paired = parameters.take_choice("weighting", {"rows", "pairs"}) == 1;
  rules.drawn = parameters.take_choice("ties", {"input", "drawn"}) == 1;
  const bool uncut = parameters.take_choice("beyond", {"nothing", "discount"}) == 1;
  Parameters rest = parameters.renamed(*name);
  parameters = Parameters(parameters.kernel(), {});
  return {make_swaps(std::move(rest), uncut), rules};
}

LambdaLists::LambdaLists(LambdaRank rank, std::span<const double> labels,
                         std::vector<std::int64_t> offsets, std::vector<double> weights)
    : rank_(std::move(rank)),
      offsets_(std::move(offsets)),
      weights_(std::move(weights)),
      worths_(labels.size()),
      scales_(offsets_.size() - 1) {
  const Swaps& swaps = rank_.swaps();
  for (std::size_t i = 0; i < labels.size(); ++i) worths_[i] = swaps.worth(labels[i]);
  std::vector<double> sorted;
  for (std::size_t list = 0; list < lists(); ++list) {
    sorted.assign(worths_.begin() + offsets_[list], worths_.begin() + offsets_[list + 1]);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    scales_[list] = swaps.scale(sorted);
  }
}

std::size_t LambdaLists::effective() const {
  return static_cast<std::size_t>(
      std::count_if(scales_.begin(), scales_.end(), [](double scale) { return scale != 0; }));
}

void LambdaLists::derivatives(const Read& read, std::span<float> gradient, std::span<float> hessian,
                              std::uint64_t seed, int threads) const {
  constexpr std::size_t block_lists = 64;
  const std::size_t blocks = (lists() + block_lists - 1) / block_lists;
  std::vector<LambdaRoom> rooms(worker_count(blocks, threads));
  each_part(blocks, threads, [&](std::size_t worker, std::size_t block) {
    LambdaRoom& room = rooms[worker];
    const std::size_t end_list = std::min(lists(), (block + 1) * block_lists);
    for (std::size_t number = block * block_lists; number < end_list; ++number) {
      const auto start = static_cast<std::size_t>(offsets_[number]);
      const auto end = static_cast<std::size_t>(offsets_[number + 1]);
      LossList list;
      list.scores = read(start, end, room.given);
      if (scales_[number] == 0) continue;
      if (!weights_.empty()) list.weights = {weights_.data() + start, end - start};
      list.number = number;
      list.seed = seed;
      rank_.derive(list, {worths_.data() + start, end - start}, scales_[number], false, room);
      for (std::size_t i = 0; i < end - start; ++i) {
        const std::size_t row = start + room.scratch.order[i];
        gradient[row] = static_cast<float>(room.lambdas[i]);
        hessian[row] = static_cast<float>(room.hessians[i]);
      }
    }
  });
}

namespace {

// The same as a loss like any other, whose labels come with the scores.
class SwapLoss final : public Loss {
 public:
  explicit SwapLoss(LambdaRank rank) : rank_(std::move(rank)) {}

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    const std::size_t size = list.size();
    const Swaps& swaps = rank_.swaps();
    const std::span<double> worths = scratch.room(0, size);
    const std::span<double> sorted = scratch.room(1, size);
    for (std::size_t i = 0; i < size; ++i) worths[i] = swaps.worth(list.labels[i]);
    std::copy(worths.begin(), worths.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double scale = swaps.scale(sorted);
    if (scale == 0) return 0.0;
    thread_local LambdaRoom room;
    const double value = rank_.derive(list, worths, scale, true, room);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t row = room.scratch.order[i];
      slopes.gradient[row] += room.lambdas[i];
      if (!slopes.hessian.empty()) slopes.hessian[row] += room.hessians[i];
    }
    return value;
  }
  double work(std::size_t size) const override {
    return static_cast<double>(size) * static_cast<double>(size);
  }

 private:
  const LambdaRank rank_;
};

}  // namespace

std::unique_ptr<Loss> make_swap_loss(Parameters& parameters) {
  if (parameters.kernel() != "lambdarank") return nullptr;
  return std::make_unique<SwapLoss>(make_lambdarank(parameters));
}

}  // namespace relyon
