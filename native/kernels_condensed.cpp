// Any measure on the judged documents alone, while others see the whole list.
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

class Condensed final : public Kernel {
 public:
  explicit Condensed(std::unique_ptr<Kernel> inner) : inner_(std::move(inner)) {}

  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    std::vector<Ranked>& kept = scratch.condensed;
    kept.assign(query.ranked.begin(), query.ranked.end());
    for (std::size_t start = 0; start < kept.size();) {
      std::size_t end = start + 1;
      while (end < kept.size() && kept[end].first == kept[start].first) ++end;
      const auto first = static_cast<std::uint32_t>(start + 1);
      const auto last = static_cast<std::uint32_t>(end);
      for (; start < end; ++start) {
        kept[start].rank = static_cast<std::uint32_t>(start + 1);
        kept[start].first = first;
        kept[start].last = last;
      }
    }
    QueryView view = query;
    view.retrieved = kept.size();
    view.ranked = kept;
    view.scores = {};
    view.pooled = {};
    return inner_->score(view, scratch);
  }

 private:
  const std::unique_ptr<Kernel> inner_;
};

}  // namespace

std::unique_ptr<Kernel> condense(std::unique_ptr<Kernel> kernel, const std::string& name) {
  if (kernel->needs_pairs() || kernel->needs_scores() || kernel->class_threshold()) {
    throw InputError(
        Sentence("native.has-no-parameter", {{"kernel", name}, {"name", "judged_only"}}), {}, 0,
        "native.set-unjudged-removed");
  }
  return std::make_unique<Condensed>(std::move(kernel));
}

}  // namespace relyon
