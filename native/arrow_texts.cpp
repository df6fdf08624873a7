#include "arrow_texts.hpp"

#include "arrow.hpp"
#include "bind.hpp"

namespace nb = nanobind;

namespace relyon {

struct ArrowTexts::Exported {
  static void release(ArrowArray* array) {
    delete static_cast<Exported*>(array->private_data);
    array->release = nullptr;
  }

  std::shared_ptr<const Buffers> buffers;
  const void* places[3];
};

namespace {

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

// Frees what nobody took over.
template <class Struct>
struct Free {
  void operator()(Struct* value) const {
    if (value->release != nullptr) value->release(value);
    delete value;
  }
};

template <class Struct>
using Owner = std::unique_ptr<Struct, Free<Struct>>;

template <class Struct>
nb::object capsule(Owner<Struct> value, const char* name) {
  PyObject* made = PyCapsule_New(value.get(), name, [](PyObject* object) {
    Free<Struct>()(static_cast<Struct*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object))));
  });
  if (made == nullptr) throw nb::python_error();
  value.release();
  return nb::steal(made);
}

}  // namespace

ArrowTexts::ArrowTexts(std::size_t count,
                       const std::function<std::string_view(std::size_t)>& text) {
  auto buffers = std::make_shared<Buffers>();
  buffers->offsets.reserve(count + 1);
  for (std::size_t number = 0; number < count; ++number) {
    buffers->bytes += text(number);
    buffers->offsets.push_back(static_cast<std::int64_t>(buffers->bytes.size()));
  }
  buffers_ = std::move(buffers);
}

nb::tuple ArrowTexts::exported() const {
  Owner<ArrowSchema> schema(new ArrowSchema());
  schema->format = "U";
  schema->name = "";
  schema->release = &release_schema;
  auto owned = std::make_unique<Exported>();
  owned->buffers = buffers_;
  owned->places[0] = nullptr;
  owned->places[1] = buffers_->offsets.data();
  owned->places[2] = buffers_->bytes.data();
  Owner<ArrowArray> array(new ArrowArray());
  array->length = static_cast<std::int64_t>(size());
  array->n_buffers = 3;
  array->buffers = owned->places;
  array->private_data = owned.release();
  array->release = &Exported::release;
  return nb::make_tuple(capsule(std::move(schema), "arrow_schema"),
                        capsule(std::move(array), "arrow_array"));
}

void bind_texts(nb::module_& module) {
  nb::class_<ArrowTexts>(module, "ArrowTexts", nb::is_final())
      .def(
          "__arrow_c_array__", [](const ArrowTexts& texts, nb::handle) { return texts.exported(); },
          nb::arg("requested_schema") = nb::none())
      .def("__len__", &ArrowTexts::size);
}

}  // namespace relyon
