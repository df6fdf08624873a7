// What tables contain, as SHA-256 that fingerprints are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "judgments.hpp"
#include "runs.hpp"
#include "sha256.hpp"

namespace relyon {

// The SHA-256 of each query's content, in the order of the queries. It does not depend on the order
// of rows.
//
// The documents of a query are, by the bytes of their ids: the length of the id and the id; where
// the query has several subtopics, then that of a subtopic and the subtopic. Lengths are 4 bytes,
// the highest first. Numbers are the grade or score of each of them, 8 bytes, the highest first; -0
// counts as 0.
struct Contents {
  std::vector<Sha256> documents;  // of the documents
  std::vector<Sha256> queries;    // of the SHA-256 of the documents, then the numbers
  std::uint64_t rows = 0;
};

Contents contents(const JudgmentTable& judgments, int threads);
Contents contents(const RunTable& run, int threads);

}  // namespace relyon
