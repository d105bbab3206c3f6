#include "experiments/python/python_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "models/error.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

// The place before the words is for `self`: a bound method then needs no copy of them.
template <std::size_t Count>
py::object answer_of(const py::object& function, std::array<PyObject*, Count> words) {
  PyObject* const result = PyObject_Vectorcall(
      function.ptr(), words.data() + 1, (Count - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

/// As Python shows it, not too long.
std::string shown_object(const py::object& object) {
  constexpr std::size_t most = 60;
  std::string text = py::repr(object);
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

void check_class_name(const ClassKind& kind, const std::string& name) {
  const auto is_valid = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_valid)) return;
  throw InvalidInput(
      fmt::format("{0} '{1}': a name has lower-case letters, digits and '-', as my-{2}", kind.what,
                  name, std::string(kind.what).substr(0, std::string(kind.what).find(' '))));
}

}  // namespace

Method::Method(const ClassKind& kind, const std::string& of, const py::object& self,
               const char* name)
    : function_(py::reinterpret_steal<py::object>(PyObject_GetAttrString(self.ptr(), name))) {
  const bool needed = std::string_view(name) == kind.method;
  if (!function_) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    if (!needed) return;
    throw InvalidInput(fmt::format("{} '{}': its object {} has no method {}", kind.what, of,
                                   shown_object(self), kind.call));
  }
  if (function_.is_none() && !needed) {
    function_ = py::object();
  } else if (PyCallable_Check(function_.ptr()) == 0) {
    throw InvalidInput(fmt::format(
        "{} '{}': {} of its object is {}, which is no method; a field may not have that name",
        kind.what, of, name, shown_object(function_)));
  }
}

py::object Method::operator()(std::uint64_t only) const {
  const py::int_ number(only);
  return answer_of<2>(function_, {nullptr, number.ptr()});
}

py::object Method::operator()(std::uint64_t first, py::handle second) const {
  const py::int_ number(first);
  return answer_of<3>(function_, {nullptr, number.ptr(), second.ptr()});
}

void Method::tell(std::uint64_t first, std::uint64_t second) const {
  if (!function_) return;
  const py::int_ other(second);
  (void)(*this)(first, other);
}

void check_class(const ClassKind& kind, const std::string& name, const py::object& type) {
  check_class_name(kind, name);
  if (!py::hasattr(type, kind.method) || type.attr(kind.method).is_none()) {
    throw InvalidInput(fmt::format("{} '{}' has no method {}", kind.what, name, kind.call));
  }
  for (const py::handle attribute : py::reinterpret_steal<py::list>(PyObject_Dir(type.ptr()))) {
    const auto event = py::cast<std::string>(attribute);
    if (!event.starts_with("on_")) continue;
    if (std::find(kind.events.begin(), kind.events.end(), event) != kind.events.end()) continue;
    refuse_unknown(fmt::format("event of {} '{}'", kind.what, name), event, kind.events);
  }
}

void refuse_attribute(const ClassKind& kind, const std::string& name, const char* attribute,
                      const py::object& value, const char* right) {
  throw InvalidInput(fmt::format("{} '{}': its attribute {} is {}; write {}", kind.what, name,
                                 attribute, shown_object(value), right));
}

std::string summary_of_class(const ClassKind& kind, const py::object& type) {
  std::string otherwise =
      fmt::format("{} {} written in Python", kind.what[0] == 'e' ? "an" : "a", kind.what);
  const py::object text = type.attr("__doc__");
  if (!py::isinstance<py::str>(text)) return otherwise;
  const auto lines = py::cast<std::string>(text);
  const auto first = lines.find_first_not_of(" \n");
  if (first == std::string::npos) return otherwise;
  return lines.substr(first, lines.find('\n', first) - first);
}

std::optional<std::uint64_t> number_below(std::uint64_t count, py::handle answer) {
  const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(answer.ptr()));
  if (!whole) throw py::error_already_set();
  const std::uint64_t value = PyLong_AsUnsignedLongLong(whole.ptr());
  const bool fits = PyErr_Occurred() == nullptr && value < count;
  PyErr_Clear();
  return fits ? std::optional(value) : std::nullopt;
}

}  // namespace damocles
