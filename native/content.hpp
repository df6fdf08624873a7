// What tables contain, as bytes in one order: what fingerprints are computed of.
#pragma once

#include <cstdint>
#include <string>

#include "judgments.hpp"
#include "runs.hpp"

namespace relyon {

// One query's content. It does not depend on the order of its rows.
struct Content {
  // Each document, by the bytes of its id: the length of the id and the id; where the query has
  // several subtopics, then that of a subtopic and the subtopic. Lengths are 4 bytes, the highest
  // first.
  std::string documents;
  // The grade or score of each of them, 8 bytes, the highest first; -0 counts as 0.
  std::string numbers;
};

Content content(const JudgmentTable& judgments, std::uint32_t query);
Content content(const RunTable& run, std::uint32_t query);

}  // namespace relyon
