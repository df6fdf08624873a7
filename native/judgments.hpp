// Grades by query and document: built once, then read from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hash.hpp"
#include "subtopics.hpp"

namespace relyon {

// Bytes of ids, kept at fixed addresses.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  std::string_view keep(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

// Ids to consecutive numbers.
class Index {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  std::uint32_t find(std::string_view id) const;
  // The number of an id, a new one if it has none; `keep` copies new ids.
  std::uint32_t insert(std::string_view id, Arena& arena);
  std::size_t size() const { return ids_.size(); }
  std::string_view id(std::uint32_t number) const { return ids_[number]; }

 private:
  void grow();
  std::vector<std::string_view> ids_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;
};

// The subtopic of judgments that name none.
inline constexpr std::string_view unnamed_subtopic = "0";

class JudgmentTable {
 public:
  struct Judged {
    std::string_view document;
    double grade;
  };

  // One query's documents and the small table that finds them.
  struct Query {
    std::vector<Judged> documents;
    std::vector<double> grades;            // descending
    std::vector<std::uint32_t> slots;      // place + 1 in some bits, of the hash in the others
    std::uint32_t places = 0;              // ... which have the place: the lowest
    std::unique_ptr<Subtopics> subtopics;  // nullptr where no query has more than one

    // The grade of a document, or nullptr.
    const Judged* find(std::string_view document, std::uint64_t hash) const {
      const std::size_t mask = slots.size() - 1;
      for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
        const std::uint32_t entry = slots[slot];
        if (entry == 0) return nullptr;
        if (((entry ^ tag(hash)) & ~places) == 0) {
          const Judged& found = documents[(entry & places) - 1];
          if (found.document == document) return &found;
        }
      }
    }
    // Adds a document that is not there, whose place is `place`.
    void insert(std::uint64_t hash, std::uint32_t place) {
      const std::size_t mask = slots.size() - 1;
      std::size_t slot = hash & mask;
      while (slots[slot] != 0) slot = (slot + 1) & mask;
      slots[slot] = (tag(hash) & ~places) | (place + 1);
    }

   private:
    static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  };

  // Adds a row. `describe` names the source for errors; `row` the line or row number.
  void add(std::string_view query, std::string_view document, double grade, std::uint64_t row);
  // The same for judgments of subtopics. Where every row names the same one, nothing is kept of it.
  void add(std::string_view query, std::string_view subtopic, std::string_view document,
           double grade, std::uint64_t row) {
    add(query, document, grade, row);
    // Most files say `0` in every line: no call for one byte.
    const bool same =
        subtopic.size() == 1 && only_.size() == 1 ? subtopic[0] == only_[0] : subtopic == only_;
    if (!same || !marks_.empty()) [[unlikely]]
      mark(subtopic);
  }
  // Sorts grades and builds the tables; nothing is added afterwards.
  // `path` is empty for data in memory; rows are then called rows, not lines.
  void finish(const std::string& path);

  std::uint32_t find(std::string_view query) const { return index_.find(query); }
  const Query& query(std::uint32_t number) const { return queries_[number]; }
  std::string_view id(std::uint32_t number) const { return index_.id(number); }
  std::size_t size() const { return queries_.size(); }
  std::string_view subtopic(std::uint32_t number) const { return subtopics_.id(number); }

  bool several = false;           // a query has more than one subtopic
  std::uint64_t overlapping = 0;  // documents judged on more than one subtopic of a query
  std::uint64_t rows = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t negatives = 0;
  double highest = 0.0;
  std::uint64_t fractions = 0;  // grades between 0 and 1
  bool fractional = false;

 private:
  Arena arena_;
  Index index_;
  std::vector<Query> queries_;
  std::uint32_t last_ = Index::none;

  // Subtopics of the rows of one query, while it is read.
  struct Marks {
    std::uint32_t only = Index::none;  // of all rows so far
    std::vector<std::uint32_t> rows;   // of each row, once they differ
  };
  void mark(std::string_view subtopic);
  using Lines = std::vector<std::uint64_t>;
  void place_documents(Query& query, std::uint32_t number, const std::string& path);
  void place_subtopics(Query& query, std::uint32_t number, const std::string& path);
  std::vector<Lines> lines_;  // where each row was read: a line or a row, from 1; until finished
  Index subtopics_;
  std::vector<Marks> marks_;          // by query, once two rows differ; empty before
  std::string_view only_;             // the subtopic of all rows so far
  std::vector<std::uint32_t> local_;  // places of the table's subtopics among those of one query
};

}  // namespace relyon
