#include "arrow_run.hpp"

#include <algorithm>
#include <utility>

#include "arrow_groups.hpp"
#include "error.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

constexpr std::size_t block = 1024;  // rows decoded at once: they stay in the cache

// Reads some rows of a run, block by block.
class RowReader {
 public:
  RowReader(const RunColumns& run, bool ranks)
      : run_(run), ids_(block), scores_(block), ranks_(ranks ? block : 0) {}

  std::string_view query(std::uint64_t row) { return run_.query.id(row, texts_); }

  // Calls visit(document, score, rank) for the rows [from, end). Ids last until `drop`.
  template <class Visit>
  void each(std::uint64_t from, std::uint64_t end, const Visit& visit) {
    for (std::uint64_t row = from; row < end;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block, end - row));
      run_.document.ids(row, count, ids_.data(), texts_);
      run_.score.numbers(row, count, scores_.data());
      if (!ranks_.empty()) run_.rank->integers(row, count, ranks_.data());
      for (std::size_t place = 0; place < count; ++place)
        visit(ids_[place], scores_[place], ranks_.empty() ? 0 : ranks_[place]);
      row += count;
    }
  }

  void drop() { texts_.drop(texts_.mark()); }

 private:
  const RunColumns& run_;
  std::vector<std::string_view> ids_;
  std::vector<double> scores_;
  std::vector<std::int64_t> ranks_;
  Texts texts_;
};

// Evaluates one query after the other.
class Groups {
 public:
  Groups(const JudgmentTable& judgments, const Plan& plan, Stretch& out)
      : collector_(judgments, plan), ranks_(plan.rules.ties == Ties::rank), out_(out) {}

  // `each(visit)` visits the rows of the query, whose first is `row` of the run.
  template <class Each>
  void evaluate(std::string_view query, std::uint64_t row, const Each& each) {
    collector_.begin(query);
    if (!collector_.judged()) {
      out_.unjudged.emplace_back(query);
      each([&](std::string_view, double, std::int64_t) { ++out_.rows; });
      return;
    }
    if (ranks_) {
      each([&](std::string_view document, double score, std::int64_t rank) {
        collector_.add(document, score);
        collector_.add_rank(rank);
      });
    } else {
      each([&](std::string_view document, double score, std::int64_t) {
        collector_.add(document, score);
      });
    }
    out_.rows += collector_.rows();
    std::uint32_t first, second;
    if (collector_.duplicate(first, second)) {
      throw InputError(repeated_document(query, collector_.id(second), row + first, row + second),
                       "", 0, "native.keep-one-of-two");
    }
    out_.groups.push_back(collector_.number());
    collector_.finish();
  }

  void end() { out_.batch = collector_.evaluator().take(); }

 private:
  Collector collector_;
  const bool ranks_;
  Stretch& out_;
};

}  // namespace

Sentence repeated_document(std::string_view query, std::string_view document, std::uint64_t first,
                           std::uint64_t second) {
  return Sentence("native.document-stands-twice", {{"document", std::string(document)},
                                                   {"query", std::string(query)},
                                                   {"first", std::to_string(first + 1)},
                                                   {"second", std::to_string(second + 1)}});
}

RunColumns::RunColumns(nb::handle query_column, nb::handle document_column, nb::handle score_column,
                       nb::handle rank_column)
    : query(query_column, "query", ArrowColumn::Role::id),
      document(document_column, "document", ArrowColumn::Role::id),
      score(score_column, "score", ArrowColumn::Role::number) {
  same_length(query, document);
  same_length(query, score);
  if (!rank_column.is_none()) {
    rank.emplace(rank_column, "rank", ArrowColumn::Role::integer);
    same_length(query, *rank);
  }
}

// Evaluates the queries of the rows [from, end).
void RunParts::evaluate(const RunColumns& part, std::uint64_t from, std::uint64_t end) {
  const GroupStretches shares(part.query, from, end);
  std::vector<Stretch> stretches(shares.size());
  each_part(stretches.size(), threads_, [&](std::size_t number) {
    GroupWalk walk = shares.walk(number);
    Groups groups(judgments_, plan_, stretches[number]);
    RowReader rows(part, plan_.rules.ties == Ties::rank);
    for (std::uint64_t first, last; walk.next(first, last);) {
      groups.evaluate(rows.query(first), rows_ + first,
                      [&](const auto& visit) { rows.each(first, last, visit); });
      rows.drop();
    }
    groups.end();
  });
  take(stretches);
}

// Adds rows to the open query.
void RunParts::keep(const RunColumns& part, std::uint64_t from, std::uint64_t end) {
  RowReader(part, plan_.rules.ties == Ties::rank)
      .each(from, end, [&](std::string_view document, double score, std::int64_t rank) {
        open_->documents.push_back(open_->texts.keep(document));
        open_->scores.push_back(score);
        open_->ranks.push_back(rank);
      });
}

void RunParts::close() {
  if (!open_) return;
  const Open open = *std::exchange(open_, std::nullopt);
  std::vector<Stretch> stretches(1);
  Groups groups(judgments_, plan_, stretches[0]);
  groups.evaluate(open.query, open.begin, [&](const auto& visit) {
    for (std::size_t row = 0; row < open.documents.size(); ++row)
      visit(open.documents[row], open.scores[row], open.ranks[row]);
  });
  groups.end();
  take(stretches);
}

// Keeps what some stretches gave.
void RunParts::take(std::vector<Stretch>& stretches) {
  for (Stretch& stretch : stretches) {
    for (const std::uint32_t number : stretch.groups) {
      grouped_ &= !met_[number];
      met_[number] = true;
    }
    stretches_.push_back(std::move(stretch));
  }
  if (!grouped_) stretches_.clear();
}

bool RunParts::add(const RunColumns& part, bool last) {
  if (plan_.rules.ties == Ties::rank && !part.rank) {
    throw InputError("native.ties-rank-needs-rank", "", 0, "data.choose-another-tie-rule");
  }
  const std::uint64_t rows = part.query.rows();
  if (!grouped_ || rows == 0) return grouped_;
  std::uint64_t from = 0;
  if (open_) {
    Texts texts;
    if (part.query.id(0, texts) == open_->query) from = part.query.same_until(0, rows);
    keep(part, 0, from);
    if (from < rows) close();
  }
  if (from < rows) {
    const std::uint64_t tail = last ? rows : part.query.last_run();
    Texts texts;
    const std::string query(tail < rows ? part.query.id(tail, texts) : "");
    const bool goes_on = tail < rows && judgments_.find(query) != Index::none;
    evaluate(part, from, goes_on ? tail : rows);
    if (goes_on && grouped_) {
      open_ = Open{query, rows_ + tail, {}, {}, {}, {}};
      keep(part, tail, rows);
    }
  }
  rows_ += rows;
  return grouped_;
}

bool RunParts::finish(Batch& whole) {
  close();
  return grouped_ && join(stretches_, judgments_, plan_, whole);
}

}  // namespace relyon
