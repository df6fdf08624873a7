// All calls with the grades of their documents, as arrays.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "hash.hpp"
#include "parallel.hpp"
#include "ties.hpp"
#include "traces.hpp"

namespace relyon {

namespace {

// What some tasks give; offsets count from the beginning of the part.
struct Part {
  std::vector<std::int64_t> calls, rows, judged;  // counts
  std::vector<std::int64_t> documents, judged_documents, judged_sets, reads, read_documents;
  std::vector<double> grades, judged_grades, read_grades, tokens, seconds;
};

// The tasks of one thread.
class Judge {
 public:
  Judge(const JudgmentTable& judgments, const Rules& rules, const TraceTable& traces, Part& out)
      : judgments_(judgments), rules_(rules), traces_(traces), out_(out) {}

  // `extra` is the code of the task's first judged document.
  void add(std::uint32_t task, std::uint32_t number, std::uint64_t extra) {
    const JudgmentTable::Query& judged = judgments_.query(number);
    match(task, judged);
    std::int64_t calls = 0;
    listed_.assign(judged.documents.size(), 0);
    for (std::uint64_t one = traces_.first_call(task); one < traces_.first_call(task + 1); ++one) {
      add_call(task, traces_.calls()[one]);
      ++calls;
    }
    out_.calls.push_back(calls);
    add_judged(task, judged, extra);
  }

 private:
  // Finds the judgment of each document of a task.
  void match(std::uint32_t task, const JudgmentTable::Query& judged) {
    const std::uint64_t count = traces_.first_name(task + 1) - traces_.first_name(task);
    places_.assign(count, Index::none);
    grades_.assign(count, unknown);
    codes_.assign(judged.documents.size(), Index::none);
    for (std::uint32_t document = 0; document < count; ++document) {
      const std::string_view name = traces_.name(task, document);
      const JudgmentTable::Judged* found = judged.find(name, hash_bytes(name));
      if (found == nullptr) continue;
      const auto place = static_cast<std::uint32_t>(found - judged.documents.data());
      places_[document] = place;
      codes_[place] = document;
      if (!(rules_.negative == Negative::unjudged && found->grade < 0))
        grades_[document] = found->grade;
    }
  }

  void add_call(std::uint32_t task, const TraceTable::Call& call) {
    order(task, call);
    const auto base = static_cast<std::int64_t>(traces_.first_name(task));
    std::int64_t rows = 0;
    for (const std::uint32_t row : order_) {
      const std::uint32_t document = traces_.document(call.row + row);
      const double grade = grades_[document];
      if (places_[document] != Index::none) listed_[places_[document]] = 1;
      if (rules_.unjudged == Unjudged::removed && std::isnan(grade)) continue;
      out_.documents.push_back(base + document);
      out_.grades.push_back(grade);
      ++rows;
    }
    out_.rows.push_back(rows);
    for (std::uint32_t read = 0; read < call.reads; ++read) {
      const std::uint32_t document = traces_.read_document(call.read + read);
      out_.read_documents.push_back(base + document);
      out_.read_grades.push_back(grades_[document]);
    }
    out_.reads.push_back(call.reads);
    out_.tokens.push_back(call.tokens);
    out_.seconds.push_back(call.seconds);
  }

  double score(const TraceTable::Call& call, std::uint32_t row) const {
    const double score = traces_.score(call.row + row);
    return rules_.float32 ? static_cast<double>(static_cast<float>(score)) : score;
  }

  // The results in ranked order, as `Ranking.build` has them.
  void order(std::uint32_t task, const TraceTable::Call& call) {
    order_.resize(call.rows);
    std::iota(order_.begin(), order_.end(), 0U);
    const TieRule& rule = tie_rule(rules_.ties);
    if (rule.key == TieKey::rank) {
      std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t one, std::uint32_t other) {
        return traces_.rank(call, one) < traces_.rank(call, other);
      });
      return;
    }
    bool falling = true;
    for (std::uint32_t row = 1; row < call.rows && falling; ++row)
      falling = score(call, row - 1) > score(call, row);
    if (falling) return;
    const auto document = [&](std::uint32_t row) { return traces_.document(call.row + row); };
    const auto label = [&](std::uint32_t row) {
      const double grade = grades_[document(row)];
      return std::isnan(grade) ? 0.0 : grade;
    };
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t one, std::uint32_t other) {
      const double ours = score(call, one), theirs = score(call, other);
      if (ours != theirs) return ours > theirs;
      if (rule.key == TieKey::input) return rule.descending ? one > other : one < other;
      if (rule.key == TieKey::grade) {
        const double good = label(one), bad = label(other);
        if (good != bad) return rule.descending ? good > bad : good < bad;
        return traces_.name(task, document(one)) > traces_.name(task, document(other));
      }
      return id_before(rule, traces_.name(task, document(one)),
                       traces_.name(task, document(other)));
    });
  }

  void add_judged(std::uint32_t task, const JudgmentTable::Query& judged, std::uint64_t extra) {
    std::int64_t count = 0;
    for (std::uint32_t place = 0; place < judged.documents.size(); ++place) {
      if (rules_.unretrieved_removed && listed_[place] == 0) continue;
      const std::uint64_t code =
          codes_[place] == Index::none ? extra + place : traces_.first_name(task) + codes_[place];
      count += add_one(judged, place, static_cast<std::int64_t>(code));
    }
    out_.judged.push_back(count);
  }

  std::int64_t add_one(const JudgmentTable::Query& judged, std::uint32_t place, std::int64_t code) {
    const bool drops = rules_.negative == Negative::unjudged;
    std::int64_t count = 0;
    const auto put = [&](double grade, std::int64_t set) {
      if (drops && grade < 0) return;
      out_.judged_documents.push_back(code);
      out_.judged_grades.push_back(grade);
      out_.judged_sets.push_back(set);
      ++count;
    };
    if (!judged.subtopics) {
      put(judged.documents[place].grade, 0);
    } else {
      for (const Subtopics::Grade& one : judged.subtopics->of(place)) put(one.grade, one.subtopic);
    }
    return count;
  }

 public:
  // A judged task without a call.
  void add_missing(std::uint32_t number, std::uint64_t extra) {
    const JudgmentTable::Query& judged = judgments_.query(number);
    out_.calls.push_back(0);
    std::int64_t count = 0;
    if (!rules_.unretrieved_removed) {
      for (std::uint32_t place = 0; place < judged.documents.size(); ++place)
        count += add_one(judged, place, static_cast<std::int64_t>(extra + place));
    }
    out_.judged.push_back(count);
  }

 private:
  const JudgmentTable& judgments_;
  const Rules& rules_;
  const TraceTable& traces_;
  Part& out_;
  std::vector<std::uint32_t> places_;  // of the judgment, by document
  std::vector<std::uint32_t> codes_;   // of the document, by judgment
  std::vector<std::uint8_t> listed_;   // by judgment: whether a call returned it
  std::vector<double> grades_;
  std::vector<std::uint32_t> order_;
};

template <typename Whole, typename Values>
void append(Whole& whole, Values& part) {
  whole.insert(whole.end(), part.begin(), part.end());
  part = {};
}

// Counts to offsets.
void append_counts(std::vector<std::int64_t>& whole, const std::vector<std::int64_t>& counts) {
  for (const std::int64_t count : counts) whole.push_back(whole.back() + count);
}

}  // namespace

JudgedArrays judge_calls(const JudgmentTable& judgments, const Rules& rules,
                         const TraceTable& traces, int threads,
                         const std::vector<std::uint8_t>* only) {
  JudgedArrays found;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint64_t> extras;
  std::vector<bool> met(judgments.size(), false);
  std::uint64_t extra = traces.names();
  for (std::uint32_t task = 0; task < traces.size(); ++task) {
    const std::uint32_t number = judgments.find(traces.task(task));
    if (number == Index::none || (only != nullptr && (*only)[task] == 0)) continue;
    met[number] = true;
    found.tasks.push_back(task);
    numbers.push_back(number);
    extras.push_back(extra);
    extra += judgments.query(number).documents.size();
  }
  const std::size_t block = std::clamp<std::size_t>(found.tasks.size() / 16, 1, 4096);
  std::vector<Part> parts((found.tasks.size() + block - 1) / block);
  each_part(parts.size(), threads, [&](std::size_t part) {
    Judge judge(judgments, rules, traces, parts[part]);
    const std::size_t last = std::min(found.tasks.size(), (part + 1) * block);
    for (std::size_t one = part * block; one < last; ++one)
      judge.add(found.tasks[one], numbers[one], extras[one]);
  });
  if (rules.missing != Missing::skip && only == nullptr) {
    Part& rest = parts.emplace_back();
    Judge judge(judgments, rules, traces, rest);
    for (std::uint32_t number = 0; number < judgments.size(); ++number) {
      if (met[number]) continue;
      found.missing.push_back(number);
      judge.add_missing(number, extra);
      extra += judgments.query(number).documents.size();
    }
  }
  found.calls = found.rows = found.judged = found.reads = {0};
  std::size_t rows = 0;
  for (const Part& part : parts) rows += part.documents.size();
  found.documents.reserve(rows);
  found.grades.reserve(rows);
  for (Part& part : parts) {
    append_counts(found.calls, part.calls);
    append_counts(found.rows, part.rows);
    append_counts(found.judged, part.judged);
    append_counts(found.reads, part.reads);
    append(found.documents, part.documents);
    append(found.grades, part.grades);
    append(found.judged_documents, part.judged_documents);
    append(found.judged_grades, part.judged_grades);
    append(found.judged_sets, part.judged_sets);
    append(found.read_documents, part.read_documents);
    append(found.read_grades, part.read_grades);
    append(found.tokens, part.tokens);
    append(found.seconds, part.seconds);
  }
  return found;
}

}  // namespace relyon
