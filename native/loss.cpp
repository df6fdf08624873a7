#include "loss.hpp"

#include <algorithm>

#include "error.hpp"
#include "generator.hpp"

namespace relkit {

std::unique_ptr<Loss> make_loss(Parameters parameters) {
  std::unique_ptr<Loss> loss;
  for (const auto make : {make_pointwise_loss, make_pairwise_loss, make_lambda_loss,
                          make_listwise_loss, make_smooth_loss, make_neural_loss, make_swap_loss}) {
    if (!loss) loss = make(parameters);
  }
  if (!loss) throw InputError(Sentence("unknown loss: `{name}`", {{"name", parameters.kernel()}}));
  parameters.finish();
  return loss;
}

std::span<const std::uint32_t> stable_order(std::span<const double> values, LossScratch& scratch) {
  scratch.order.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) scratch.order[i] = static_cast<std::uint32_t>(i);
  std::sort(scratch.order.begin(), scratch.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  return scratch.order;
}

std::span<const std::uint32_t> drawn_order(const LossList& list, std::span<const double> values,
                                           LossScratch& scratch) {
  const std::size_t size = values.size();
  scratch.keys.resize(size);
  Generator generator(list.seed, list.number);
  for (std::uint64_t& key : scratch.keys) key = generator.next();
  scratch.order.resize(size);
  for (std::size_t i = 0; i < size; ++i) scratch.order[i] = static_cast<std::uint32_t>(i);
  const std::uint64_t* keys = scratch.keys.data();
  std::sort(scratch.order.begin(), scratch.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (values[a] != values[b]) return values[a] > values[b];
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  return scratch.order;
}

}  // namespace relkit
