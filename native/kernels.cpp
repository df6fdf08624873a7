#include "kernels.hpp"

#include "families.hpp"

namespace relkit {

std::unique_ptr<Kernel> make_kernel(const std::string& name, const Parameters& parameters,
                                    const Rules& rules) {
  Reader reader(name, parameters);
  for (const auto make : {make_gain_kernel, make_binary_kernel, make_incomplete_kernel, make_pair_kernel}) {
    if (std::unique_ptr<Kernel> kernel = make(name, reader, rules)) {
      reader.finish();
      return kernel;
    }
  }
  throw InputError("there is no kernel `" + name + "`");
}

}  // namespace relkit
