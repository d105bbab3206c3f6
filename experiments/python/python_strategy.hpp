// Strategies that are classes of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace damocles {

/// Publishes the class as a strategy, in the place of an earlier class of that name.
///
/// The class is called with the run (RunView) at the start of each run. Its method
/// `request(worker)` returns the task to run, several tasks, or None. It may have the methods that
/// damocles::Strategy calls events (`on_ready`, `on_finished`, ...), and the attributes `options`,
/// `eviction` and `heterogeneous` (StrategyEntry). What its methods raise ends the run as it is.
///
/// All calls come from the thread that holds Python's lock when the strategy is made.
/// @throws InvalidInput on a name that cannot be had, or a class that lacks `request` or has an
/// unknown event
void register_python_strategy(const std::string& name, const pybind11::object& type);

/// Whether such a class has this name.
[[nodiscard]] bool is_python_strategy(const std::string& name);
/// Whether there is any.
[[nodiscard]] bool any_python_strategy();

/// Publishes what keeps the classes in the module.
void bind_python_strategies(pybind11::module_& module);

}  // namespace damocles
