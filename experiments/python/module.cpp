// The module `_damocles`: what the Python package `damocles` is made of.
#include <dlfcn.h>
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "damocles_version.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/command_rows.hpp"
#include "experiments/message.hpp"
#include "experiments/plugins.hpp"
#include "experiments/python/interruptible.hpp"
#include "experiments/python/only_command.hpp"
#include "experiments/python/python_class.hpp"
#include "experiments/python/python_engine.hpp"
#include "experiments/python/python_eviction.hpp"
#include "experiments/python/python_lock.hpp"
#include "experiments/python/python_strategy.hpp"
#include "experiments/python/run_view.hpp"
#include "experiments/python/simulated_run.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/value_table.hpp"
#include "experiments/studies/summary.hpp"
#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/modules.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

/// Whether the name is one of a class, or may become it when a sweep puts a value for its {key}.
bool may_be_class(const std::string& name, bool (*is_class)(const std::string&), bool any) {
  return is_class(name) || (any && name.find('{') != std::string::npos);
}

/// Whether a run of this strategy calls Python. What is wrong with its text, the command says.
bool calls_python_once(const std::string& text) {
  try {
    const Spec spec = Spec::parse(text, "strategy");
    return may_be_class(spec.name(), is_python_strategy, any_python_strategy()) ||
           may_be_class(spec.word("eviction").value_or(""), is_python_eviction,
                        any_python_eviction());
  } catch (const InvalidInput&) {
    return false;
  }
}

/// Whether a run of these strategies calls Python.
bool calls_python(const std::string& strategies) {
  if (strategies == "all") return any_python_strategy();
  const auto texts = split_specs(strategies);
  return std::any_of(texts.begin(), texts.end(), calls_python_once);
}

/// Python runs one thread at a time, and its objects belong to the one that asked.
void refuse_threads(const CommonOptions& options) {
  if (options.jobs == "0" || options.jobs == "1") return;
  throw InvalidInput(fmt::format(
      "--jobs {}: what is written in Python runs on one thread; leave out jobs", options.jobs));
}

/// The rows of a class would answer although the class has changed.
void refuse_store(const CommonOptions& options) {
  if (options.store.empty()) return;
  throw InvalidInput(fmt::format(
      "store '{}': it keeps no rows of what is written in Python; leave out store", options.store));
}

/// Rows that are made tell how far they are; Python hears it on the thread that asked.
class ToldProgress {
 public:
  /// @param tell  called with the rows done, the rows in all and the share of the work, or None
  explicit ToldProgress(py::object tell) : tell_(std::move(tell)) {}

  /// What is told, from whatever thread.
  [[nodiscard]] Progress keeper(bool with_python) {
    if (tell_.is_none()) return {};
    return [this, with_python](std::size_t done, std::size_t all, double share) {
      {
        const std::lock_guard lock(mutex_);
        last_ = {done, all, share};
      }
      if (with_python) look();
    };
  }
  /// Tells it, with Python's lock.
  void look() {
    std::tuple<std::size_t, std::size_t, double> now;
    {
      const std::lock_guard lock(mutex_);
      now = last_;
    }
    if (tell_.is_none() || now == told_) return;
    told_ = now;
    (void)tell_(std::get<0>(now), std::get<1>(now), std::get<2>(now));
  }

 private:
  py::object tell_;
  std::mutex mutex_;
  std::tuple<std::size_t, std::size_t, double> last_{};
  std::tuple<std::size_t, std::size_t, double> told_{};
};

/// Does what a command does before it prints, with what it notes. Meanwhile `look` is called.
template <typename Make, typename Look>
auto answered(const CommonOptions& options, bool with_python, Make make, Look look) {
  const OnlyCommand only;
  (void)taken_notes();  // of one that failed
  if (with_python) refuse_threads(options);
  auto answer = with_python ? on_this_thread(make) : interruptible(make, look);
  look();
  return std::pair(std::move(answer), taken_notes());
}

template <typename Make>
auto answered(const CommonOptions& options, bool with_python, Make make) {
  return answered(options, with_python, make, [] {});
}

using AnsweredRows = std::pair<ValueTable, std::vector<std::string>>;
using AnsweredWords = std::pair<std::pair<std::string, std::string>, std::vector<std::string>>;

using RowsOf = CommandRows (*)(const CommonOptions&, const Onlookers&);

AnsweredRows rows_of_command(RowsOf rows_of, const CommonOptions& options, const py::object& tell) {
  const bool with_python = calls_python(options.strategies);
  if (with_python) refuse_store(options);
  ToldProgress told(tell);
  const auto make = [&](const StopCheck& check) {
    const CommandRows rows = rows_of(options, {told.keeper(with_python), check});
    const std::string left_out = options.note_on_left_out(rows.experiment);
    if (!left_out.empty()) note(left_out);
    return value_table(options.summary ? summarise(rows.records) : rows.records);
  };
  return answered(options, with_python, make, [&] { told.look(); });
}

/// Of simulate: its row, the events of replicate 0, and the run.
py::tuple traced_run_of(const CommonOptions& options) {
  SimulatedRun run{.options = options};
  const auto watcher = [&](const RunEvent& event) { run.events.push_back(event); };
  auto [rows, notes] =
      answered(options, calls_python(options.strategies), [&](const StopCheck& check) {
        return simulate_rows(options, {.check = check, .watcher = watcher});
      });
  run.rows.emplace(std::move(rows));
  run.rows->experiment.watcher = {};
  return traced(std::move(run), notes);
}

/// What a sweep asks for: a TOML file, or a workload and a platform with what varies.
struct SweepCall {
  CommonOptions common;
  std::string file;
  std::vector<std::string> vary;
  std::string precision;
};

SweepRequest sweep_request_of(const SweepCall& call) {
  if (!call.file.empty()) return read_sweep_file(call.file);
  const CommonOptions& words = call.common;
  return sweep_of_words({.workload = words.workload,
                         .platform = words.platform,
                         .vary = call.vary,
                         .strategies = words.strategies,
                         .models = words.models,
                         .replicates = words.replicates,
                         .precision = call.precision,
                         .seed = words.seed});
}

AnsweredRows rows_of_sweep(const SweepCall& call, const py::object& tell) {
  const SweepRequest request = sweep_request_of(call);
  const auto& names = request.strategies;
  const bool with_python = std::any_of(names.begin(), names.end(), calls_python);
  if (with_python) refuse_store(call.common);
  ToldProgress told(tell);
  const auto make = [&](const StopCheck& check) {
    const auto records = sweep_rows(request, call.common, {told.keeper(with_python), check});
    return value_table(call.common.summary ? summarise(records) : records);
  };
  return answered(call.common, with_python, make, [&] { told.look(); });
}

/// A command of the program, as its words ask for it: it writes its answer into a file.
std::vector<std::string> run_command_line(const std::vector<std::string>& words) {
  return answered({}, false,
                  [&](const StopCheck&) {
                    CommandLine line("damocles", "", version);
                    for (const CommandEntry& entry : Table<CommandEntry>::entries()) {
                      if (entry.name == words.front()) {
                        entry.set_up(line.program().add(entry.name, entry.description));
                      }
                    }
                    return line.run(words);
                  })
      .second;
}

AnsweredRows rows_of_list(const std::string& topic) {
  return answered({}, true, [&](const StopCheck&) { return list_rows(topic); });
}

/// Text and JSON.
template <typename Options>
AnsweredWords words_of_command(CommandAnswer (*answer_of)(const Options&), const Options& options) {
  // Where no strategy is named, `recommend` means all.
  const std::string& named = options.common.strategies;
  const bool with_python = calls_python(named.empty() ? "all" : named);
  return answered(options.common, with_python, [&](const StopCheck&) {
    const CommandAnswer answer = answer_of(options);
    return std::pair(answer.text({}), answer.json());
  });
}

void load_plugin_here(const std::string& path) {
  const OnlyCommand only;
  show_own_symbols();
  load_plugin(path);
}

/// Writes a file of a graph that the program reads: whole, or not at all where the reader refuses
/// it.
void write_graph_here(const std::string& path, const std::string& format, const std::string& text) {
  std::istringstream in(text);
  (void)Table<GraphFormat>::named(format).read(in, path, {});
  if (is_written_through(path)) {
    throw InvalidInput(fmt::format("'{}' is no file; give the name of one", path));
  }
  check_writable(path);
  replace_file(path, text);
}

void define_strategy(const std::string& name, const py::object& type) {
  const OnlyCommand only;
  register_python_strategy(name, type);
}

void define_eviction(const std::string& name, const py::object& type) {
  const OnlyCommand only;
  register_python_eviction(name, type);
}

void bind_options(py::module_& module) {
  py::class_<CommonOptions>(module, "Options", "The words of a command line.")
      .def(py::init<>())
      .def_readwrite("workload", &CommonOptions::workload)
      .def_readwrite("platform", &CommonOptions::platform)
      .def_readwrite("strategies", &CommonOptions::strategies)
      .def_readwrite("model", &CommonOptions::models)
      .def_readwrite("replicates", &CommonOptions::replicates)
      .def_readwrite("seed", &CommonOptions::seed)
      .def_readwrite("jobs", &CommonOptions::jobs)
      .def_readwrite("summary", &CommonOptions::summary)
      .def_readwrite("store", &CommonOptions::store)
      .def_property(
          "command", [](const CommonOptions&) { return ""; },
          [](CommonOptions& options, const std::string& words) {
            options.as_given = [words] { return words; };
          })
      .def_readwrite("count_decision_time", &CommonOptions::charge_scheduling);
}

void bind_commands(py::module_& module) {
  py::class_<ValueTable>(module, "ValueTable", "Rows under named columns.")
      .def_readonly("columns", &ValueTable::columns)
      .def_readonly("rows", &ValueTable::rows);
  module.def("simulate", [](const CommonOptions& options, const py::object& tell) {
    return rows_of_command(simulate_rows, options, tell);
  });
  module.def("trace", traced_run_of);
  module.def("compare", [](const CommonOptions& options, const py::object& tell) {
    return rows_of_command(compare_rows, options, tell);
  });
  module.def("predict", [](CommonOptions options, const py::object& tell) {
    options.models_only = true;
    return rows_of_command(predict_rows, options, tell);
  });
  module.def("beta", [](CommonOptions options) -> AnsweredRows {
    options.models_only = true;
    return answered(options, false, [&](const StopCheck&) { return beta_rows(options); });
  });
  module.def("sweep", [](const CommonOptions& options, const std::string& file,
                         const std::vector<std::string>& vary, const std::string& precision,
                         const py::object& tell) {
    return rows_of_sweep({options, file, vary, precision}, tell);
  });
  module.def("command", run_command_line);
  module.def("list", rows_of_list);
  module.def("merge", [](const std::vector<std::string>& files, const std::string& store) {
    return answered({}, false, [&](const StopCheck&) { return merge_answer({files, store}); });
  });
  module.def("explain", [](const CommonOptions& options, bool what_if) {
    return words_of_command(explain_answer, ExplainOptions{options, !what_if});
  });
  module.def("recommend", [](const CommonOptions& options, const std::string& goal,
                             const std::string& within, const std::string& vary, bool online) {
    return words_of_command(recommend_answer,
                            RecommendOptions{options, goal, within, vary, online});
  });
}

/// Raises an exception of the module, with the message that the command line prints.
void raise_as(const char* type, const std::exception& error) {
  PyErr_SetString(py::module_::import(module_name).attr(type).ptr(),
                  printable_line(error.what()).c_str());
}

void bind_errors(py::module_& module) {
  const py::exception<InvalidInput> invalid(module, "InvalidInput", PyExc_ValueError);
  const py::exception<Infeasible> infeasible(module, "Infeasible", invalid);
  const py::exception<NoProgress> stopped(module, "NoProgress", PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Infeasible& error) {
      raise_as("Infeasible", error);
    } catch (const InvalidInput& error) {
      raise_as("InvalidInput", error);
    } catch (const NoProgress& error) {
      raise_as("NoProgress", error);
    } catch (const std::filesystem::filesystem_error& error) {
      raise_as("InvalidInput", InvalidInput(words_on_file(error)));
    } catch (const py::cast_error&) {  // pybind11's text speaks of C++
      PyErr_SetString(PyExc_TypeError, "a value is of another type than it must be");
    } catch (const std::runtime_error&) {
      throw;  // it was written for readers
    } catch (const py::error_already_set&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // of a library, or of the language: nobody foresaw it
      PyErr_SetString(PyExc_RuntimeError, printable_line(words_on_defect(error)).c_str());
    }
  });
}

}  // namespace
}  // namespace damocles

PYBIND11_MODULE(_damocles, module) {
  using namespace damocles;
  module.attr("__version__") = version;
  bind_errors(module);
  bind_options(module);
  bind_commands(module);
  bind_simulated_run(module);
  bind_run_view(module);
  bind_python_engine(module);
  bind_python_strategies(module);
  bind_python_evictions(module);
  module.def("define_strategy", define_strategy);
  module.def("define_eviction", define_eviction);
  module.def("write_graph", write_graph_here);
  module.def("load_plugin", load_plugin_here);
  module.def("plugin_paths", plugin_paths);
  module.def("calls_python", calls_python);
  module.def("options_of_spec", [](const std::string& text) {
    const Spec spec = Spec::parse(text, "words");
    std::vector<std::pair<std::string, std::string>> options;
    for (const std::string& key : spec.keys()) options.emplace_back(key, *spec.word(key));
    return options;
  });
  py::module_::import("atexit").attr("register")(py::cpp_function(end_other_threads));
  module.def("workload_forms", &Workload::forms);
  module.def("platform_forms", &Scenario::forms);
}
