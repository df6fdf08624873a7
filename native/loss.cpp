#include "loss.hpp"

#include <algorithm>
#include <numeric>

#include "error.hpp"
#include "generator.hpp"
#include "simd.hpp"

namespace relyon {

std::unique_ptr<Loss> make_loss(Parameters parameters) {
  std::unique_ptr<Loss> loss;
  for (const auto make : {make_pointwise_loss, make_pairwise_loss, make_lambda_loss,
                          make_listwise_loss, make_smooth_loss, make_neural_loss, make_swap_loss}) {
    if (!loss) loss = make(parameters);
  }
  if (!loss) throw InputError(Sentence("native.unknown-loss", {{"name", parameters.kernel()}}));
  parameters.finish();
  return loss;
}

std::span<const std::uint32_t> stable_order(std::span<const double> values, LossScratch& scratch) {
  scratch.order.resize(values.size());
  if (values.size() <= simd::most_to_order) {
    simd::order(values.data(), values.size(), scratch.order.data());
    return scratch.order;
  }
  std::iota(scratch.order.begin(), scratch.order.end(), 0u);
  std::sort(scratch.order.begin(), scratch.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  return scratch.order;
}

// A drawn permutation, whose places are then put in order: equal ones stay as they were drawn.
std::span<const std::uint32_t> drawn_order(const LossList& list, std::span<const double> values,
                                           LossScratch& scratch) {
  const std::size_t size = values.size();
  scratch.drawn.resize(size);
  scratch.values.resize(size);
  std::iota(scratch.drawn.begin(), scratch.drawn.end(), 0u);
  Below below(Generator(list.seed, list.number));
  for (std::size_t i = size; i > 1; --i)
    std::swap(scratch.drawn[i - 1], scratch.drawn[below(static_cast<std::uint32_t>(i))]);
  for (std::size_t i = 0; i < size; ++i) scratch.values[i] = values[scratch.drawn[i]];
  stable_order(scratch.values, scratch);
  for (std::uint32_t& place : scratch.order) place = scratch.drawn[place];
  return scratch.order;
}

}  // namespace relyon
