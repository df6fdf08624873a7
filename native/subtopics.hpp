// Which subtopics of its query a document was judged on: diversity judgments, one query.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace relyon {

struct Subtopics {
  struct Grade {
    std::uint32_t subtopic;  // place in `names`
    double grade;
  };

  std::vector<std::uint32_t> names;   // the table's number of each subtopic, in their order
  std::vector<std::uint32_t> starts;  // by document: where its grades begin; one more at the end
  std::vector<Grade> grades;          // of one document after the other, ascending subtopic
  std::vector<std::uint32_t> by_id;   // documents by falling id

  std::uint32_t count() const { return static_cast<std::uint32_t>(names.size()); }
  std::span<const Grade> of(std::uint32_t document) const {
    return {grades.data() + starts[document], grades.data() + starts[document + 1]};
  }
};

// The order of subtopics: numbers by their value, then names by their bytes.
bool subtopic_before(std::string_view one, std::string_view other);

// The best order of a query's documents as far as one step at a time finds it: at each rank the
// document whose subtopics have the highest gains left, of equal ones that with the highest id.
// A subtopic's gain is 1, and (1 - alpha) times what it was after each document about it.
//
// Documents about the same subtopics are alike but for their ids, so they are kept together, and a
// rank costs as many comparisons as there are different sets of subtopics.
class DiverseIdeal {
 public:
  // Starts a query; the same query with the same numbers goes on where it was.
  void begin(const Subtopics& subtopics, double alpha, double rel);
  // Finds the gains of the first `ranks` ranks, or of all documents if they are fewer.
  std::span<const double> gains(std::uint64_t ranks);
  // Relevant documents by subtopic, and the number of subtopics that have one.
  std::span<const std::uint32_t> relevant() const { return relevant_; }
  std::uint32_t covered() const { return covered_; }

 private:
  struct Alike {
    std::vector<std::uint32_t> subtopics;
    std::vector<std::uint32_t> places;  // in `by_id`, falling: the last is the next to take
  };

  const Subtopics* query_ = nullptr;
  double alpha_ = 0.0;
  double rel_ = 0.0;
  std::uint32_t covered_ = 0;
  std::vector<std::uint32_t> relevant_;
  std::vector<Alike> groups_;
  std::vector<double> left_;   // by subtopic: its gain
  std::vector<double> found_;  // by rank
};

}  // namespace relyon
