// TREC qrels and runs: into tables, or straight through the evaluator.
#pragma once

#include <optional>
#include <string>

#include "batch.hpp"
#include "judgments.hpp"
#include "plan.hpp"
#include "runs.hpp"
#include "text.hpp"

namespace relyon {

JudgmentTable read_qrels(Bytes& bytes, const std::string& path);
RunTable read_run(Bytes& bytes, const std::string& path);

// Streams a run file; reads it whole if the lines of a judged query are not together.
Batch evaluate_run_file(const JudgmentTable& judgments, const Plan& plan, const std::string& path,
                        int threads);

// Streams a run that can be read only once: nothing where the lines of a judged query are not
// together.
std::optional<Batch> evaluate_stream(const JudgmentTable& judgments, const Plan& plan, Bytes& bytes,
                                     const std::string& name);

// Throws InputError if a query of a run holds a document twice. `again` reads the run's text once
// more, to say in which lines; nullptr where it cannot be read again.
void refuse_duplicates(const RunTable& table, const std::string& path, Bytes* again,
                       const JudgmentTable* judgments = nullptr);

// Some queries of a run as TREC text: rows as they are where it has ranks, else by falling score
// from rank 1. Throws InputError for ids with white space.
std::string run_text(const RunTable& run, std::uint32_t from, std::uint32_t to,
                     std::string_view tag);

}  // namespace relyon
