// Judgments and runs from Python dictionaries and Arrow columns.
#pragma once

#include <nanobind/nanobind.h>

#include "batch.hpp"
#include "judgments.hpp"
#include "plan.hpp"
#include "runs.hpp"

namespace relyon {

JudgmentTable judgments_from_dict(nanobind::handle judgments);
RunTable run_from_dict(nanobind::handle run);
Batch evaluate_dict(const JudgmentTable& judgments, const Plan& plan, nanobind::handle run);

JudgmentTable judgments_from_arrow(nanobind::handle query, nanobind::handle document,
                                   nanobind::handle grade, nanobind::handle subtopic);
RunTable run_from_arrow(nanobind::handle query, nanobind::handle document, nanobind::handle score,
                        nanobind::handle rank);
Batch evaluate_arrow(const JudgmentTable& judgments, const Plan& plan, nanobind::handle query,
                     nanobind::handle document, nanobind::handle score, nanobind::handle rank,
                     int threads);

}  // namespace relyon
