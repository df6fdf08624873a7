#include "arrow_texts.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow.hpp"
#include "bind.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

struct Buffers {
  std::vector<std::int64_t> offsets{0};
  std::string bytes;
};

// One column of text; every export holds its buffers.
struct ArrowTexts {
  std::shared_ptr<const Buffers> buffers;
};

// What an exported array owns.
struct Exported {
  std::shared_ptr<const Buffers> buffers;
  const void* places[3];
};

void release_array(ArrowArray* array) {
  delete static_cast<Exported*>(array->private_data);
  array->release = nullptr;
}

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

// A capsule frees what nobody took over.
template <class Struct>
nb::object capsule(std::unique_ptr<Struct> value, const char* name) {
  PyObject* made = PyCapsule_New(value.get(), name, [](PyObject* object) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (made == nullptr) throw nb::python_error();
  value.release();
  return nb::steal(made);
}

nb::tuple export_texts(const ArrowTexts& texts, nb::handle) {
  auto schema = std::make_unique<ArrowSchema>();
  schema->format = "U";
  schema->name = "";
  schema->release = &release_schema;
  auto owned = std::make_unique<Exported>();
  owned->buffers = texts.buffers;
  owned->places[0] = nullptr;
  owned->places[1] = texts.buffers->offsets.data();
  owned->places[2] = texts.buffers->bytes.data();
  auto array = std::make_unique<ArrowArray>();
  array->length = static_cast<std::int64_t>(texts.buffers->offsets.size()) - 1;
  array->n_buffers = 3;
  array->buffers = owned->places;
  array->private_data = owned.release();
  array->release = &release_array;
  return nb::make_tuple(capsule(std::move(schema), "arrow_schema"),
                        capsule(std::move(array), "arrow_array"));
}

}  // namespace

nb::object arrow_texts(std::size_t count,
                       const std::function<std::string_view(std::size_t)>& text) {
  auto buffers = std::make_shared<Buffers>();
  buffers->offsets.reserve(count + 1);
  for (std::size_t number = 0; number < count; ++number) {
    buffers->bytes += text(number);
    buffers->offsets.push_back(static_cast<std::int64_t>(buffers->bytes.size()));
  }
  return nb::cast(ArrowTexts{std::move(buffers)});
}

void bind_texts(nb::module_& module) {
  nb::class_<ArrowTexts>(module, "ArrowTexts", nb::is_final())
      .def("__arrow_c_array__", &export_texts, nb::arg("requested_schema") = nb::none())
      .def("__len__", [](const ArrowTexts& texts) { return texts.buffers->offsets.size() - 1; });
}

}  // namespace relyon
