#include "judgments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "error.hpp"
#include "text.hpp"

namespace relyon {

std::string_view Arena::keep(std::string_view text) {
  constexpr std::size_t block = std::size_t{1} << 16;
  if (size_ - used_ < text.size() || blocks_.empty()) {
    size_ = std::max(block, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size_));
    used_ = 0;
  }
  char* place = blocks_.back().get() + used_;
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  return {place, text.size()};
}

std::uint32_t Index::find(std::string_view id) const {
  if (slots_.empty()) return none;
  const std::uint64_t hash = hash_bytes(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = slots_[slot];
    if (entry == none) return none;
    if (hashes_[entry] == hash && ids_[entry] == id) return entry;
  }
}

std::uint32_t Index::insert(std::string_view id, Arena& arena) {
  if (ids_.size() * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_bytes(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = slots_[slot];
    if (entry == none) {
      slots_[slot] = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(arena.keep(id));
      hashes_.push_back(hash);
      return slots_[slot];
    }
    if (hashes_[entry] == hash && ids_[entry] == id) return entry;
  }
}

void Index::grow() {
  const std::size_t size = std::max<std::size_t>(16, slots_.size() * 2);
  slots_.assign(size, none);
  for (std::uint32_t entry = 0; entry < ids_.size(); ++entry) {
    std::size_t slot = hashes_[entry] & (size - 1);
    while (slots_[slot] != none) slot = (slot + 1) & (size - 1);
    slots_[slot] = entry;
  }
}

void JudgmentTable::add(std::string_view query, std::string_view document, double grade,
                        std::uint64_t row) {
  if (last_ == Index::none || index_.id(last_) != query) {
    last_ = index_.insert(query, arena_);
    if (last_ == queries_.size()) {
      queries_.emplace_back();
      lines_.emplace_back();
    }
  }
  queries_[last_].documents.push_back({arena_.keep(document), grade});
  lines_[last_].push_back(row);
}

// The subtopic of the row that was just added, once rows differ.
void JudgmentTable::mark(std::string_view subtopic) {
  if (subtopics_.size() == 0) {
    only_ = subtopics_.id(subtopics_.insert(subtopic, arena_));
    return;
  }
  if (marks_.size() < queries_.size()) {
    marks_.resize(queries_.size(), Marks{marks_.empty() ? 0 : Index::none, {}});
  }
  const std::uint32_t number = subtopics_.insert(subtopic, arena_);
  Marks& marks = marks_[last_];
  const std::size_t read = queries_[last_].documents.size();
  if (read == 1) {
    marks.only = number;
  } else if (!marks.rows.empty() || marks.only != number) {
    marks.rows.resize(read - 1, marks.only);
    marks.rows.push_back(number);
    several = true;
  }
}

namespace {

// A document has two grades, in the lines or rows `first` and `second`.
[[noreturn]] void two_grades(std::string_view query, std::string_view document, std::uint64_t first,
                             std::uint64_t second, const std::string& path,
                             const std::string& subtopic, const Sentence& hint) {
  std::vector<Put> values{{"query", excerpt(query)},
                          {"document", excerpt(document)},
                          {"row", std::to_string(first)},
                          {"other", std::to_string(second)}};
  if (!subtopic.empty()) values.emplace_back("subtopic", excerpt(subtopic));
  const bool named = !path.empty();
  const char* message =
      subtopic.empty()
          ? (named ? "native.two-grades-for-query" : "native.two-grades-for-query-document")
          : (named ? "native.two-grades-for-query-document-subtopic" : "native.two-grades");
  throw InputError(Sentence(message, std::move(values)), path, second, hint);
}

}  // namespace

// One row a document: a second one with the same grade is left out.
void JudgmentTable::place_documents(Query& query, std::uint32_t number, const std::string& path) {
  Lines& lines = lines_[number];
  std::uint32_t kept = 0;
  for (std::size_t place = 0; place < query.documents.size(); ++place) {
    const Judged& judged = query.documents[place];
    const std::uint64_t hash = hash_bytes(judged.document);
    if (const Judged* first = query.find(judged.document, hash)) {
      if (first->grade != judged.grade)
        two_grades(index_.id(number), judged.document, lines[first - query.documents.data()],
                   lines[place], path, "", "native.keep-one-of-them");
      ++duplicates;
      continue;
    }
    query.documents[kept] = judged;
    lines[kept] = lines[place];
    query.insert(hash, kept++);
  }
  query.documents.resize(kept);
  rows += kept;
}

// One row a document and subtopic; the document's own grade is the highest of them.
void JudgmentTable::place_subtopics(Query& query, std::uint32_t number, const std::string& path) {
  struct Row {
    std::uint32_t document;
    std::uint32_t subtopic;
    double grade;
    std::uint64_t line;
  };
  const Marks& marks = marks_[number];
  auto found = std::make_unique<Subtopics>();
  if (marks.rows.empty()) {
    found->names = {marks.only};
  } else {
    found->names = marks.rows;
    std::sort(found->names.begin(), found->names.end());
    found->names.erase(std::unique(found->names.begin(), found->names.end()), found->names.end());
    std::sort(found->names.begin(), found->names.end(),
              [&](std::uint32_t one, std::uint32_t other) {
                return subtopic_before(subtopics_.id(one), subtopics_.id(other));
              });
  }
  local_.resize(subtopics_.size());
  for (std::uint32_t place = 0; place < found->count(); ++place)
    local_[found->names[place]] = place;

  const Lines& lines = lines_[number];
  std::vector<Row> read;
  read.reserve(query.documents.size());
  std::uint32_t kept = 0;
  for (std::size_t place = 0; place < query.documents.size(); ++place) {
    const Judged judged = query.documents[place];
    const std::uint32_t subtopic = local_[marks.rows.empty() ? marks.only : marks.rows[place]];
    const std::uint64_t hash = hash_bytes(judged.document);
    if (const Judged* first = query.find(judged.document, hash)) {
      const auto document = static_cast<std::uint32_t>(first - query.documents.data());
      Judged& own = query.documents[document];
      own.grade = std::max(own.grade, judged.grade);
      read.push_back({document, subtopic, judged.grade, lines[place]});
      continue;
    }
    read.push_back({kept, subtopic, judged.grade, lines[place]});
    query.documents[kept] = judged;
    query.insert(hash, kept++);
  }
  query.documents.resize(kept);

  std::stable_sort(read.begin(), read.end(), [](const Row& one, const Row& other) {
    return one.document != other.document ? one.document < other.document
                                          : one.subtopic < other.subtopic;
  });
  found->starts.reserve(kept + 1);
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool same = i > 0 && read[i - 1].document == read[i].document;
    if (same && read[i - 1].subtopic == read[i].subtopic) {
      if (read[i - 1].grade != read[i].grade) {
        two_grades(index_.id(number), query.documents[read[i].document].document, read[i - 1].line,
                   read[i].line, path, std::string(subtopics_.id(found->names[read[i].subtopic])),
                   "native.keep-one-of-them");
      }
      ++duplicates;
      continue;
    }
    if (!same) {
      found->starts.push_back(static_cast<std::uint32_t>(found->grades.size()));
    } else if (found->grades.size() - found->starts.back() == 1) {
      ++overlapping;
    }
    found->grades.push_back({read[i].subtopic, read[i].grade});
  }
  found->starts.push_back(static_cast<std::uint32_t>(found->grades.size()));
  found->by_id.resize(kept);
  std::iota(found->by_id.begin(), found->by_id.end(), 0U);
  std::sort(found->by_id.begin(), found->by_id.end(), [&](std::uint32_t one, std::uint32_t other) {
    return query.documents[one].document > query.documents[other].document;
  });
  rows += found->grades.size();
  query.subtopics = std::move(found);
}

void JudgmentTable::finish(const std::string& path) {
  highest = std::numeric_limits<double>::quiet_NaN();
  marks_.resize(several ? queries_.size() : 0);
  for (std::uint32_t number = 0; number < queries_.size(); ++number) {
    Query& query = queries_[number];
    // Sparse, because nearly all look-ups are of documents that are not there; of many documents
    // less so, since that takes memory.
    const std::size_t count = query.documents.size();
    std::size_t size = 64;
    while (size < count * (count <= 64 ? 8 : 4)) size *= 2;
    query.slots.assign(size, 0);
    query.places = std::bit_ceil(static_cast<std::uint32_t>(count + 1)) - 1;
    if (several) {
      place_subtopics(query, number, path);
    } else {
      place_documents(query, number, path);
    }
    query.documents.shrink_to_fit();
    query.grades.reserve(query.documents.size());
    for (const Judged& judged : query.documents) {
      query.grades.push_back(judged.grade);
      if (judged.grade < 0) ++negatives;
      if (judged.grade != std::floor(judged.grade)) {
        fractional = true;
        if (judged.grade > 0 && judged.grade < 1) ++fractions;
      }
      if (!(judged.grade <= highest)) highest = judged.grade;
    }
    std::sort(query.grades.begin(), query.grades.end(), std::greater<>());
    Lines().swap(lines_[number]);
  }
  lines_ = {};
  marks_ = {};
  local_ = {};
}

}  // namespace relyon
