// What strategies and eviction policies that are classes of Python share: checks and calls.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace damocles {

/// What Python knows the module by.
inline constexpr const char* module_name = "damocles._damocles";

/// What a class is to be: errors say `what`, and as `call` its method is to be written.
struct ClassKind {
  const char* what;                 ///< "strategy"
  const char* method;               ///< "request"
  const char* call;                 ///< "request(self, worker); write one that returns a task"
  std::vector<std::string> events;  ///< the names of the methods on_... that are called
};

/// A method of an object, called with numbers; nothing happens where it has none.
///
/// Calls come from the thread that holds Python's lock. What the method raises is thrown as
/// pybind11::error_already_set.
class Method {
 public:
  /// @throws InvalidInput where what the object has under this name cannot be called, or nothing is
  /// there and the method is that of the kind; what the object raises
  Method(const ClassKind& kind, const std::string& of, const pybind11::object& self,
         const char* name);

  /// @pre there is such a method
  [[nodiscard]] pybind11::object operator()(std::uint64_t only) const;
  /// @pre there is such a method
  [[nodiscard]] pybind11::object operator()(std::uint64_t first, pybind11::handle second) const;
  void tell(std::uint64_t first, std::uint64_t second) const;
  explicit operator bool() const { return static_cast<bool>(function_); }

 private:
  pybind11::object function_;
};

/// @throws InvalidInput on a name that is none, on a class without the method, and on a method
/// on_... that nobody calls
void check_class(const ClassKind& kind, const std::string& name, const pybind11::object& type);

/// @throws InvalidInput always
[[noreturn]] void refuse_attribute(const ClassKind& kind, const std::string& name,
                                   const char* attribute, const pybind11::object& value,
                                   const char* right);

/// What the class says about itself under this name, or `otherwise`.
/// @throws InvalidInput where it is something else than `right`, which says what it is to be
template <typename T>
T attribute_of_class(const ClassKind& kind, const std::string& name, const pybind11::object& type,
                     const char* attribute, const T& otherwise, const char* right) {
  if (!pybind11::hasattr(type, attribute)) return otherwise;
  const pybind11::object value = type.attr(attribute);
  try {
    return pybind11::cast<T>(value);
  } catch (const pybind11::cast_error&) {
    refuse_attribute(kind, name, attribute, value, right);
  }
}

/// The first line of the documentation, or "a strategy written in Python".
[[nodiscard]] std::string summary_of_class(const ClassKind& kind, const pybind11::object& type);

/// The answer of a method as a whole number below `count`; nothing where it is another number.
/// @throws pybind11::error_already_set where it is no whole number
[[nodiscard]] std::optional<std::uint64_t> number_below(std::uint64_t count,
                                                        pybind11::handle answer);

}  // namespace damocles
