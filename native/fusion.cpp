#include "fusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "error.hpp"
#include "hash.hpp"
#include "parallel.hpp"

namespace relyon {
namespace {

constexpr std::uint32_t absent_rank = std::numeric_limits<std::uint32_t>::max();

struct Ordered {
  double score;
  std::uint32_t row;
};

// The rows of one list, best first.
void order_rows(const std::vector<RunTable::Row>& rows, Ties ties, bool ascending,
                std::vector<Ordered>& order) {
  order.resize(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    order[row] = {ascending ? -rows[row].score : rows[row].score, row};
  }
  const TieRule& rule = tie_rule(ties);
  const auto before = [&](const Ordered& a, const Ordered& b) {
    if (a.score != b.score) return a.score > b.score;
    if (rule.key == TieKey::input) return rule.descending ? a.row > b.row : a.row < b.row;
    return id_before(rule, rows[a.row].document(), rows[b.row].document());
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::sort(order.begin(), order.end(), before);
}

// The same numbers give the same sum in any order: what two documents get differs in its order
// only.
double sorted_sum(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The fusion of one query after the other, with memory that is used again.
class Fuser {
 public:
  Fuser(const std::vector<const RunTable*>& runs, const Fusion& fusion)
      : runs_(runs), fusion_(fusion), lists_(runs.size()), windows_(runs.size()) {}

  struct Fused {
    std::string_view document;
    double score;
    std::uint32_t place;  // in order of appearance: run by run, rank by rank
  };

  void fuse(std::string_view query, std::vector<Fused>& out) {
    collect(query);
    const std::size_t width = runs_.size();
    given_.assign(documents_.size() * width, std::numeric_limits<double>::quiet_NaN());
    ranks_.assign(documents_.size() * width, absent_rank);
    for (std::size_t run = 0; run < width; ++run) give(run);
    out.clear();
    if (fusion_.method.combine == Combine::votes) {
      vote(out);
    } else {
      for (std::uint32_t place = 0; place < documents_.size(); ++place) {
        const double score = combine(&given_[place * width]);
        if (!std::isfinite(score)) {
          throw InputError(Sentence("native.query-document-fused-score",
                                    {{"query", std::string(query)},
                                     {"document", std::string(documents_[place])}}),
                           "", 0, "native.scores-are-too-large");
        }
        out.push_back({documents_[place], score, place});
      }
      sort(out);
    }
    if (fusion_.top != 0 && out.size() > fusion_.top) out.resize(fusion_.top);
  }

 private:
  struct List {
    const std::vector<RunTable::Row>* rows;
    std::vector<Ordered> order;
    std::vector<std::uint32_t> places;  // of the documents, by rank
  };

  void collect(std::string_view query) {
    static const std::vector<RunTable::Row> none;
    std::size_t total = 0;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const std::uint32_t number = runs_[run]->find(query);
      lists_[run].rows = number == Index::none ? &none : &runs_[run]->rows(number);
      total += lists_[run].rows->size();
    }
    std::size_t size = 16;
    while (size < 2 * total) size *= 2;
    slots_.assign(size, 0);
    documents_.clear();
    for (List& list : lists_) {
      order_rows(*list.rows, fusion_.ties, fusion_.scaling == Scaling::min_max_inverted,
                 list.order);
      list.places.clear();
      for (const Ordered& entry : list.order)
        list.places.push_back(place_of((*list.rows)[entry.row].document()));
    }
  }

  std::uint32_t place_of(std::string_view document) {
    const std::uint64_t hash = hash_bytes(document);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const std::uint64_t entry = slots_[slot];
      if (entry == 0) {
        documents_.push_back(document);
        slots_[slot] = (hash >> 32 << 32) | documents_.size();
        return static_cast<std::uint32_t>(documents_.size() - 1);
      }
      if (((entry ^ hash) >> 32) == 0) {
        const auto place = static_cast<std::uint32_t>(entry) - 1;
        if (documents_[place] == document) return place;
      }
    }
  }

  // Fills what one run gives to every document.
  void give(std::size_t run) {
    const List& list = lists_[run];
    const std::size_t width = runs_.size();
    const bool weigh = !fusion_.method.weigh_sum && fusion_.method.combine != Combine::votes;
    const double weight = weigh ? fusion_.weights[run] : 1.0;
    const auto retrieved = static_cast<double>(list.order.size());
    const auto candidates = static_cast<double>(documents_.size());
    scale(list);
    prepare_window(run, list.order.size());
    for (std::uint32_t rank = 0; rank < list.order.size(); ++rank) {
      const std::size_t cell = list.places[rank] * width + run;
      ranks_[cell] = rank;
      given_[cell] = weight * points(run, rank, scaled_[rank]);
    }
    double rest;
    if (fusion_.method.absent == Absent::borda) {
      rest = (candidates - retrieved + 1.0) / 2.0;
    } else if (fusion_.method.absent == Absent::value) {
      rest = fusion_.method.absent_value;
    } else if (fusion_.scaling == Scaling::borda && fusion_.method.points == Points::score) {
      rest = 0.5 - (retrieved - 1.0) / (2.0 * candidates);
    } else {
      return;
    }
    for (std::size_t cell = run; cell < given_.size(); cell += width) {
      if (ranks_[cell] == absent_rank) given_[cell] = weight * rest;
    }
  }

  // Fills `scaled_` with the scores of one list by rank, made comparable.
  void scale(const List& list) {
    const std::size_t size = list.order.size();
    scaled_.resize(size);
    const bool inverted = fusion_.scaling == Scaling::min_max_inverted;
    for (std::size_t rank = 0; rank < size; ++rank) {
      scaled_[rank] = inverted ? -list.order[rank].score : list.order[rank].score;
    }
    if (size == 0 || fusion_.scaling == Scaling::none) return;
    const double first = scaled_.front(), last = scaled_.back();
    const auto count = static_cast<double>(size);
    const auto divided = [this](double value, double by) {
      const double divisor = std::max(by, fusion_.floor);
      return divisor > 0.0 ? value / divisor : 0.0;
    };
    switch (fusion_.scaling) {
      case Scaling::none:
        break;
      case Scaling::min_max:
        for (double& score : scaled_) score = divided(score - last, first - last);
        break;
      case Scaling::min_max_inverted:
        for (double& score : scaled_) score = divided(last - score, last - first);
        break;
      case Scaling::max:
        if (first <= 0.0 && last < 0.0 && fusion_.floor == 0.0) {
          throw InputError(
              Sentence("native.best-score-of-list", {{"score", std::to_string(first)}}), "", 0,
              "ltr.choose-another-one-such-as-min-max");
        }
        for (double& score : scaled_) score = divided(score, first);
        break;
      case Scaling::sum: {
        const double sum = std::accumulate(scaled_.begin(), scaled_.end(), 0.0) - last * count;
        for (double& score : scaled_) score = divided(score - last, first > last ? sum : 0.0);
        break;
      }
      case Scaling::zmuv: {
        const double mean = std::accumulate(scaled_.begin(), scaled_.end(), 0.0) / count;
        double squares = 0.0;
        for (const double score : scaled_) squares += (score - mean) * (score - mean);
        const double deviation = first > last ? std::sqrt(squares / count) : 0.0;
        for (double& score : scaled_) score = divided(score - mean, deviation);
        break;
      }
      case Scaling::rank:
        for (std::size_t rank = 0; rank < size; ++rank)
          scaled_[rank] = 1.0 - static_cast<double>(rank) / count;
        break;
      case Scaling::borda: {
        const auto candidates = static_cast<double>(documents_.size());
        for (std::size_t rank = 0; rank < size; ++rank)
          scaled_[rank] = 1.0 - static_cast<double>(rank) / candidates;
        break;
      }
    }
  }

  const std::vector<double>& table(std::size_t run) const {
    return fusion_.method.tables.size() == 1 ? fusion_.method.tables.front()
                                             : fusion_.method.tables[run];
  }

  double points(std::size_t run, std::size_t rank, double score) const {
    const auto listed = [&](std::size_t place) {
      const std::vector<double>& values = table(run);
      return place < values.size() ? values[place] : fusion_.method.beyond;
    };
    switch (fusion_.method.points) {
      case Points::score:
        return score;
      case Points::table:
        return listed(rank);
      case Points::table_score:
        return listed(rank) * (score + 1.0);
      case Points::segments: {
        const std::size_t segments = table(run).size();
        const std::size_t size = (lists_[run].order.size() + segments - 1) / segments;
        return listed(rank / size);
      }
      case Points::window:
        return windows_[run][rank];
      case Points::borda:
        return static_cast<double>(documents_.size() - rank);
    }
    return 0.0;
  }

  // Means over windows depend on where the list ends; lists are mostly of one length.
  void prepare_window(std::size_t run, std::size_t size) {
    if (fusion_.method.points != Points::window || windows_[run].size() == size) return;
    const std::vector<double>& values = table(run);
    windows_[run].resize(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::size_t from = rank > fusion_.method.window ? rank - fusion_.method.window : 0;
      const std::size_t to = std::min(rank + fusion_.method.window, size - 1) + 1;
      double sum = 0.0;
      for (std::size_t place = from; place < std::min(to, values.size()); ++place)
        sum += values[place];
      windows_[run][rank] = sum / static_cast<double>(to - from);
    }
  }

  double combine(const double* given) {
    values_.clear();
    double weights = 0.0;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (std::isnan(given[run])) continue;
      values_.push_back(given[run]);
      weights += fusion_.weights[run];
    }
    const std::size_t count = values_.size();
    switch (fusion_.method.combine) {
      case Combine::minimum:
        return *std::min_element(values_.begin(), values_.end());
      case Combine::maximum:
        return *std::max_element(values_.begin(), values_.end());
      case Combine::mean:
        return sorted_sum(values_) / static_cast<double>(count);
      case Combine::median: {
        std::sort(values_.begin(), values_.end());
        const double upper = values_[count / 2];
        return count % 2 == 1 ? upper : (values_[count / 2 - 1] + upper) / 2.0;
      }
      default:
        break;
    }
    double sum = sorted_sum(values_);
    if (!fusion_.factors.empty()) sum *= fusion_.factors[count];
    return fusion_.method.weigh_sum ? sum * weights : sum;
  }

  void sort(std::vector<Fused>& out) const {
    const TieRule& rule = tie_rule(fusion_.ties);
    std::sort(out.begin(), out.end(), [&](const Fused& a, const Fused& b) {
      if (a.score != b.score) return a.score > b.score;
      if (rule.key == TieKey::input) return rule.descending ? a.place > b.place : a.place < b.place;
      return id_before(rule, a.document, b.document);
    });
  }

  // Whether more weight puts `later` before `earlier` than the other way round.
  bool preferred(std::uint32_t later, std::uint32_t earlier) {
    const std::size_t width = runs_.size();
    values_.clear();
    std::vector<double>& against = scaled_;
    against.clear();
    for (std::size_t run = 0; run < width; ++run) {
      const std::uint32_t a = ranks_[later * width + run], b = ranks_[earlier * width + run];
      if (a < b) values_.push_back(fusion_.weights[run]);
      if (b < a) against.push_back(fusion_.weights[run]);
    }
    return sorted_sum(values_) > sorted_sum(against);
  }

  // A merge sort from single documents upwards, from the order by Borda points: where the majority
  // goes in circles, the outcome follows from this order alone.
  void vote(std::vector<Fused>& out) {
    const std::size_t width = runs_.size();
    for (std::uint32_t place = 0; place < documents_.size(); ++place) {
      values_.clear();
      for (std::size_t run = 0; run < width; ++run) {
        values_.push_back(fusion_.weights[run] * given_[place * width + run]);
      }
      out.push_back({documents_[place], sorted_sum(values_), place});
    }
    sort(out);
    std::vector<Fused> merged(out.size());
    for (std::size_t step = 1; step < out.size(); step *= 2) {
      for (std::size_t from = 0; from < out.size(); from += 2 * step) {
        const std::size_t middle = std::min(from + step, out.size()),
                          end = std::min(from + 2 * step, out.size());
        for (std::size_t left = from, right = middle, into = from; into < end; ++into) {
          const bool take_right =
              right < end && (left == middle || preferred(out[right].place, out[left].place));
          merged[into] = take_right ? out[right++] : out[left++];
        }
      }
      out.swap(merged);
    }
    for (std::size_t place = 0; place < out.size(); ++place)
      out[place].score = static_cast<double>(out.size() - place);
  }

  const std::vector<const RunTable*>& runs_;
  const Fusion& fusion_;
  std::vector<List> lists_;
  std::vector<std::vector<double>> windows_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::string_view> documents_;
  std::vector<double> given_;         // by document and run, NaN where nothing
  std::vector<std::uint32_t> ranks_;  // by document and run, from 0
  std::vector<double> scaled_;
  std::vector<double> values_;
};

}  // namespace

RunTable fuse(const std::vector<const RunTable*>& runs, const Fusion& fusion, int threads) {
  Arena arena;
  Index queries;
  for (const RunTable* run : runs) {
    for (std::uint32_t number = 0; number < run->size(); ++number)
      queries.insert(run->id(number), arena);
  }
  RunTable whole;
  constexpr std::size_t block = 256;
  std::vector<std::vector<Fuser::Fused>> fused(std::min<std::size_t>(block, queries.size()));
  std::vector<Fuser> fusers(worker_count(fused.size(), threads), Fuser(runs, fusion));
  for (std::size_t from = 0; from < queries.size(); from += block) {
    const std::size_t count = std::min(block, queries.size() - from);
    each_part(count, threads, [&](std::size_t worker, std::size_t part) {
      fusers[worker].fuse(queries.id(static_cast<std::uint32_t>(from + part)), fused[part]);
    });
    for (std::size_t part = 0; part < count; ++part) {
      const std::string_view query = queries.id(static_cast<std::uint32_t>(from + part));
      for (const Fuser::Fused& row : fused[part]) whole.add(query, row.document, row.score);
    }
  }
  return whole;
}

std::vector<Hits> find_hits(const JudgmentTable& judgments, const RunTable& run, double relevant,
                            Ties ties) {
  std::vector<Hits> all(judgments.size());
  std::vector<Ordered> order;
  for (std::uint32_t number = 0; number < judgments.size(); ++number) {
    const std::uint32_t found = run.find(judgments.id(number));
    if (found == Index::none) continue;
    const std::vector<RunTable::Row>& rows = run.rows(found);
    order_rows(rows, ties, false, order);
    all[number].retrieved = static_cast<std::uint32_t>(rows.size());
    const JudgmentTable::Query& judged = judgments.query(number);
    for (std::uint32_t place = 0; place < order.size(); ++place) {
      const std::string_view document = rows[order[place].row].document();
      const JudgmentTable::Judged* grade = judged.find(document, hash_bytes(document));
      if (grade != nullptr && grade->grade >= relevant) all[number].places.push_back(place);
    }
  }
  return all;
}

}  // namespace relyon
