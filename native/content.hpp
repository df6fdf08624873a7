// What tables contain, as SHA-256 that fingerprints are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "judgments.hpp"
#include "runs.hpp"
#include "sha256.hpp"

namespace relyon {

// The SHA-256 of what a table contains. It does not depend on the order of rows.
//
// The documents of a query are, by the bytes of their ids: the length of the id and the id; where
// the query has several subtopics, then that of a subtopic and the subtopic. Lengths are 4 bytes,
// the highest first. Numbers are the grade or score of each of them, 8 bytes, the highest first; -0
// counts as 0. The content of a query is the SHA-256 of its documents, then its numbers.
struct Contents {
  std::vector<std::uint32_t> order;  // the queries by the bytes of their ids
  std::vector<Sha256> by_query;      // of each query's content, in that order
  // Of the queries' ids in that order, each after its length and before what is named.
  Sha256 queries;    // nothing
  Sha256 documents;  // the SHA-256 of its documents
  Sha256 whole;      // the SHA-256 of its content
  std::uint64_t rows = 0;
};

Contents contents(const JudgmentTable& judgments, int threads);
Contents contents(const RunTable& run, int threads);

}  // namespace relyon
