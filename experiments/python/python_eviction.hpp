// Eviction policies that are classes of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace damocles {

/// Publishes the class as an eviction policy, in the place of an earlier class of that name.
///
/// The class is called with the numbers of workers and of data items at the start of each run. Its
/// method `victim(worker, candidates)` returns one of the candidates (Candidates), the data item
/// that is to leave the worker's memory. It may have `on_loaded`, `on_used` and `on_evicted`, as
/// damocles::Eviction. What its methods raise ends the run as it is.
///
/// All calls come from the thread that holds Python's lock when the policy is made.
/// @throws InvalidInput on a name that cannot be had, or a class that lacks `victim` or has an
/// unknown event
void register_python_eviction(const std::string& name, const pybind11::object& type);

/// Whether such a class has this name.
[[nodiscard]] bool is_python_eviction(const std::string& name);
/// Whether there is any.
[[nodiscard]] bool any_python_eviction();

/// Publishes what keeps the classes in the module, and the class Candidates.
void bind_python_evictions(pybind11::module_& module);

}  // namespace damocles
