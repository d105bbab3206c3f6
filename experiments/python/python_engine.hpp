// A run whose decisions Python makes one by one: damocles.Engine.
#pragma once

#include <pybind11/pybind11.h>

namespace damocles {

/// Publishes the class `Engine`, which steps through a SteppedRun.
///
/// All happens on the thread that asks, with Python's lock; an eviction policy of Python is called
/// on the stack of the run, and may not step the engine that asks it. While a run goes on, `run`
/// is what strategies in Python see (RunView).
void bind_python_engine(pybind11::module_& module);

}  // namespace damocles
