// What each source file adds to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace relyon {

void bind_tables(nanobind::module_& module);
void bind_traces(nanobind::module_& module);
void bind_judged(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_batch(nanobind::module_& module);
void bind_sources(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_scans(nanobind::module_& module);
void bind_arrays(nanobind::module_& module);
void bind_groups(nanobind::module_& module);
void bind_resample(nanobind::module_& module);
void bind_hash(nanobind::module_& module);
void bind_content(nanobind::module_& module);
void bind_answers(nanobind::module_& module);
void bind_distributions(nanobind::module_& module);
void bind_fusion(nanobind::module_& module);
void bind_clicks(nanobind::module_& module);
void bind_lambdas(nanobind::module_& module);
void bind_loss(nanobind::module_& module);
void bind_letor(nanobind::module_& module);

}  // namespace relyon
