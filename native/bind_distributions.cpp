#include "bind.hpp"
#include "distributions.hpp"

namespace nb = nanobind;

namespace relyon {

void bind_distributions(nb::module_& module) {
  using namespace distributions;
  module.def("student", &student, nb::arg("degrees"), nb::arg("t"));
  module.def("student_quantile", &student_quantile, nb::arg("degrees"), nb::arg("p"));
  module.def("normal", &normal, nb::arg("z"));
  module.def("normal_quantile", &normal_quantile, nb::arg("p"));
  module.def("f_tail", &f_tail, nb::arg("numerator"), nb::arg("denominator"), nb::arg("f"));
  module.def("chi_square_tail", &chi_square_tail, nb::arg("degrees"), nb::arg("x"));
  module.def("binomial", &binomial, nb::arg("k"), nb::arg("n"), nb::arg("p"));
  module.def("binomial_tail", &binomial_tail, nb::arg("k"), nb::arg("n"), nb::arg("p"));
}

}  // namespace relyon
