#include "error.hpp"
#include "sources.hpp"

namespace nb = nanobind;

namespace relkit {
JudgmentTable judgments_from_arrow(nb::handle, nb::handle, nb::handle) { throw InputError("pending"); }
RunTable run_from_arrow(nb::handle, nb::handle, nb::handle, nb::handle) { throw InputError("pending"); }
Batch evaluate_arrow(const JudgmentTable&, const Plan&, nb::handle, nb::handle, nb::handle, nb::handle, int) { throw InputError("pending"); }
}  // namespace relkit
