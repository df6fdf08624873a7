// TREC qrels and runs: into tables, or straight through the evaluator.
#pragma once

#include <functional>
#include <string>

#include "batch.hpp"
#include "judgments.hpp"
#include "plan.hpp"
#include "runs.hpp"
#include "text.hpp"

namespace relkit {

JudgmentTable read_qrels(Bytes& bytes, const std::string& path);
RunTable read_run(Bytes& bytes, const std::string& path);

// Streams a run file; reads it whole if the lines of a judged query are not together.
Batch evaluate_run_file(const JudgmentTable& judgments, const Plan& plan, const std::string& path,
                        int threads);

// The instruction set that the scanner uses.
const char* scanner_name();

}  // namespace relkit
