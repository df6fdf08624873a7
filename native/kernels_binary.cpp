// Measures of binary relevance. Under ties=expected each is the mean over all orders of tied
// documents, in closed form (McSherry and Najork, 2008).
#include <cmath>

#include "families.hpp"
#include "groups.hpp"

namespace relkit {

namespace {

class Binary : public Kernel {
 public:
  Binary(Reader& reader, const Rules& rules, bool has_cutoff = true)
      : k_(has_cutoff ? reader.cutoff() : 0),
        rel_(reader.number("rel", 1.0)),
        expected_(rules.ties == Ties::expected) {}

  std::uint32_t cutoff() const override { return k_; }
  bool needs_all_ranks() const override { return rel_ <= 0; }

 protected:
  bool hit(const Ranked& document) const { return document.grade >= rel_; }

  double relevant(const QueryView& query) const {
    // Grades are descending.
    const auto end = std::partition_point(query.judged.begin(), query.judged.end(),
                                          [this](double grade) { return grade >= rel_; });
    return static_cast<double>(end - query.judged.begin());
  }

  std::uint32_t members_hit(std::span<const Ranked> members) const {
    return static_cast<std::uint32_t>(
        std::count_if(members.begin(), members.end(), [this](const Ranked& each) { return hit(each); }));
  }

  // Relevant documents down to a rank.
  double hits(const QueryView& query, std::uint32_t depth) const {
    double found = 0.0;
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth) return;
      const double here = members_hit(members);
      found += last <= depth ? here : here * (depth - first + 1) / (last - first + 1);
    });
    return found;
  }

  const std::uint32_t k_;
  const double rel_;
  const bool expected_;
};

// What precision divides by.
double precision_divisor(std::uint32_t k, bool retrieved, const QueryView& query) {
  const auto size = static_cast<double>(query.retrieved);
  if (k == 0) return size;
  return retrieved ? std::min(static_cast<double>(k), size) : static_cast<double>(k);
}

bool read_retrieved(Reader& reader) {
  return reader.text("denominator", "k", {"k", "retrieved"}) == "retrieved";
}

class PrecisionKernel final : public Binary {
 public:
  PrecisionKernel(Reader& reader, const Rules& rules) : Binary(reader, rules), retrieved_(read_retrieved(reader)) {}
  Partial score(const QueryView& query, Scratch&) const override {
    const double of = precision_divisor(k_, retrieved_, query);
    if (of == 0.0) return {0.0, 0.0, 0.0};
    const double found = hits(query, depth_of(k_, query));
    return {found / of, found, of};
  }

 private:
  const bool retrieved_;
};

class RecallKernel final : public Binary {
 public:
  RecallKernel(Reader& reader, const Rules& rules) : Binary(reader, rules), capped_(reader.number("capped", 0.0) != 0.0) {}
  Partial score(const QueryView& query, Scratch&) const override {
    double of = relevant(query);
    if (of == 0.0) return {};
    if (capped_ && k_ != 0) of = std::min(of, static_cast<double>(k_));
    const double found = hits(query, depth_of(k_, query));
    return {found / of, found, of};
  }

 private:
  const bool capped_;
};

class F1Kernel final : public Binary {
 public:
  F1Kernel(Reader& reader, const Rules& rules) : Binary(reader, rules), retrieved_(read_retrieved(reader)) {}
  Partial score(const QueryView& query, Scratch&) const override {
    const double all = relevant(query);
    if (all == 0.0) return {};
    const double of = precision_divisor(k_, retrieved_, query) + all;
    const double found = 2.0 * hits(query, depth_of(k_, query));
    return {found / of, found, of};
  }

 private:
  const bool retrieved_;
};

class RPrecKernel final : public Binary {
 public:
  RPrecKernel(Reader& reader, const Rules& rules) : Binary(reader, rules, false) {}
  Partial score(const QueryView& query, Scratch&) const override {
    const double all = relevant(query);
    if (all == 0.0) return {};
    const double found = hits(query, static_cast<std::uint32_t>(all));
    return {found / all, found, all};
  }
};

class SuccessKernel final : public Binary {
 public:
  using Binary::Binary;
  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint32_t depth = depth_of(k_, query);
    double missed = 1.0;  // chance that no relevant document has come
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (first > depth || missed == 0.0) return;
      const double size = last - first + 1, here = members_hit(members);
      const std::uint32_t places = std::min(last, depth) - first + 1;
      for (std::uint32_t place = 0; place < places && missed > 0.0; ++place) {
        missed *= std::max(0.0, size - here - place) / (size - place);
      }
    });
    return {1.0 - missed, 1.0 - missed, 1.0};
  }
};

class RrKernel final : public Binary {
 public:
  using Binary::Binary;
  Partial score(const QueryView& query, Scratch&) const override {
    if (relevant(query) == 0.0) return {};
    const std::uint32_t depth = depth_of(k_, query);
    double value = 0.0;
    bool met = false;
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      if (met || first > depth) return;
      const double size = last - first + 1, here = members_hit(members);
      if (here == 0.0) return;
      met = true;
      double missed = 1.0;
      for (std::uint32_t rank = first; rank <= std::min(last, depth) && missed > 0.0; ++rank) {
        const double left = size - (rank - first);
        value += missed * (here / left) / static_cast<double>(rank);
        missed *= std::max(0.0, left - here) / left;
      }
    });
    return {value, value, 1.0};
  }
};

class ApKernel final : public Binary {
 public:
  ApKernel(Reader& reader, const Rules& rules) : Binary(reader, rules) {
    const std::string name = reader.text("denominator", "relevant", {"relevant", "capped", "retrieved"});
    capped_ = name == "capped";
    retrieved_ = name == "retrieved";
    if (retrieved_ && expected_) {
      throw InputError("`ap(denominator=retrieved)` has no closed form under ties=expected", "", 0,
                       "choose another tie rule, such as ties=doc-desc");
    }
  }

  Partial score(const QueryView& query, Scratch&) const override {
    double of = relevant(query);
    if (of == 0.0) return {};
    if (capped_ && k_ != 0) of = std::min(of, static_cast<double>(k_));
    const std::uint32_t depth = depth_of(k_, query);
    double sum = 0.0, before = 0.0;
    if (!expected_) {
      for (const Ranked& document : query.ranked) {
        if (document.rank > depth) break;
        if (!hit(document)) continue;
        before += 1.0;
        sum += before / static_cast<double>(document.rank);
      }
    } else {
      each_group(query, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
        if (first > depth) return;
        const double size = last - first + 1, here = members_hit(members);
        if (here > 0.0) {
          const double others = size > 1.0 ? (here - 1.0) / (size - 1.0) : 0.0;
          for (std::uint32_t rank = first; rank <= std::min(last, depth); ++rank) {
            sum += here / size * (before + 1.0 + (rank - first) * others) / static_cast<double>(rank);
          }
        }
        before += here;
      });
    }
    if (retrieved_) of = before;
    const double value = of > 0.0 ? sum / of : 0.0;
    return {value, value, 1.0};
  }

 private:
  bool capped_ = false;
  bool retrieved_ = false;
};

class MeanPKernel final : public Binary {
 public:
  using Binary::Binary;
  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint32_t depth = depth_of(k_, query);
    if (depth == 0) return {0.0, 0.0, 1.0};
    double sum = 0.0, found = 0.0;
    std::uint32_t rank = 1;
    each_group_or_document(query, expected_, [&](std::uint32_t first, std::uint32_t last, std::span<const Ranked> members) {
      for (; rank < first && rank <= depth; ++rank) sum += found / rank;
      const double here = members_hit(members), size = last - first + 1, before = found;
      for (; rank <= last && rank <= depth; ++rank) {
        found = before + here * ((rank - first + 1) / size);
        sum += found / rank;
      }
      found = before + here;
    });
    for (; rank <= depth; ++rank) sum += found / rank;
    const double value = sum / depth;
    return {value, value, 1.0};
  }
};

}  // namespace

std::unique_ptr<Kernel> make_binary_kernel(const std::string& name, Reader& reader, const Rules& rules) {
  if (name == "p") return std::make_unique<PrecisionKernel>(reader, rules);
  if (name == "recall") return std::make_unique<RecallKernel>(reader, rules);
  if (name == "f1") return std::make_unique<F1Kernel>(reader, rules);
  if (name == "rprec") return std::make_unique<RPrecKernel>(reader, rules);
  if (name == "success") return std::make_unique<SuccessKernel>(reader, rules);
  if (name == "rr") return std::make_unique<RrKernel>(reader, rules);
  if (name == "ap") return std::make_unique<ApKernel>(reader, rules);
  if (name == "meanp") return std::make_unique<MeanPKernel>(reader, rules);
  return nullptr;
}

}  // namespace relkit
