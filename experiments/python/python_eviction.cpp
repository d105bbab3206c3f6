#include "experiments/python/python_eviction.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/python/python_class.hpp"
#include "models/error.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/parts/resident_list.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

constexpr const char* evictions_name = "_evictions";

const ClassKind& eviction_kind() {
  static const ClassKind kind{
      .what = "eviction policy",
      .method = "victim",
      .call = "victim(self, worker, candidates); write one that returns one of the candidates",
      .events = {"on_loaded", "on_used", "on_evicted"}};
  return kind;
}

/// The classes by name. They live in the module, so that Python drops them when it ends.
py::dict eviction_classes() { return py::module_::import(module_name).attr(evictions_name); }

/// The data items that may leave a worker's memory, and what is known of them. Python may keep it
/// longer than the question for which it is made: then every question is refused.
class Candidates {
 public:
  Candidates(const EvictionCandidates& known, Rng& rng, std::vector<std::uint64_t> items)
      : known_(&known), rng_(&rng), items_(std::move(items)) {}

  void end() { known_ = nullptr; }
  [[nodiscard]] const std::vector<std::uint64_t>& items() const { return items_; }
  [[nodiscard]] py::object next_use(std::uint64_t data) const {
    const std::uint64_t use = known(data).next_use(DataId{data});
    if (use == Strategy::never) return py::float_(std::numeric_limits<double>::infinity());
    return py::int_(use);
  }
  [[nodiscard]] std::uint32_t buffered_uses(std::uint64_t data) const {
    return known(data).buffered_uses(DataId{data});
  }
  [[nodiscard]] std::uint64_t random_below(std::uint64_t bound) {
    if (bound == 0) throw py::value_error("random_below(0): give a bound of at least 1");
    if (known_ == nullptr) refuse_late();
    return rng_->below(bound);
  }

 private:
  [[noreturn]] static void refuse_late() {
    throw NoProgress("the question has been answered; ask candidates from within victim()");
  }
  [[nodiscard]] const EvictionCandidates& known(std::uint64_t data) const {
    if (known_ == nullptr) refuse_late();
    if (!known_->evictable(DataId{data})) {
      throw py::index_error(fmt::format("data item {} is not a candidate", data));
    }
    return *known_;
  }

  const EvictionCandidates* known_;
  Rng* rng_;
  std::vector<std::uint64_t> items_;
};

/// Ends the question, also where the answer is an exception.
class EndedQuestion {
 public:
  explicit EndedQuestion(Candidates& candidates) : candidates_(&candidates) {}
  ~EndedQuestion() { candidates_->end(); }
  EndedQuestion(const EndedQuestion&) = delete;
  EndedQuestion& operator=(const EndedQuestion&) = delete;

 private:
  Candidates* candidates_;
};

/// Drives the object of Python, and checks each victim.
class PythonEviction final : public Eviction {
 public:
  PythonEviction(const EvictionContext& context, std::string name, const py::object& type)
      : name_(std::move(name)),
        data_(context.data),
        rng_(context.rng),
        resident_(context.processors, ResidentList(context.data)),
        self_(type(context.processors, context.data)),
        victim_(eviction_kind(), name_, self_, "victim"),
        loaded_(eviction_kind(), name_, self_, "on_loaded"),
        used_(eviction_kind(), name_, self_, "on_used"),
        evicted_(eviction_kind(), name_, self_, "on_evicted") {}

  void on_loaded(ProcessorId processor, DataId data) override {
    resident_[raw(processor)].push_back(data);
    loaded_.tell(raw(processor), raw(data));
  }
  void on_used(ProcessorId processor, DataId data) override {
    resident_[raw(processor)].touch(data);
    used_.tell(raw(processor), raw(data));
  }
  void on_evicted(ProcessorId processor, DataId data) override {
    resident_[raw(processor)].remove(data);
    evicted_.tell(raw(processor), raw(data));
  }
  std::optional<DataId> victim(ProcessorId processor, const EvictionCandidates& known) override {
    std::vector<std::uint64_t> items;
    DataId none{};
    (void)resident_[raw(processor)].find(
        [&](DataId data) {
          if (known.evictable(data)) items.push_back(raw(data));
          return false;
        },
        none);
    if (items.empty()) return std::nullopt;
    const auto candidates = std::make_shared<Candidates>(known, rng_, std::move(items));
    const EndedQuestion ended{*candidates};
    const py::object answer = victim_(raw(processor), py::cast(candidates));
    const auto data = number_below(data_, answer);
    if (!data || !known.evictable(DataId{*data})) {
      throw NoProgress(fmt::format(
          "eviction policy '{}' answered {}, which is not a candidate; return one of `candidates`",
          name_, std::string(py::repr(answer))));
    }
    return DataId{*data};
  }

 private:
  std::string name_;
  std::uint64_t data_;
  Rng rng_;
  std::vector<ResidentList> resident_;  // by worker, touched longest ago first
  py::object self_;
  Method victim_;
  Method loaded_;
  Method used_;
  Method evicted_;
};

}  // namespace

void register_python_eviction(const std::string& name, const py::object& type) {
  check_class(eviction_kind(), name, type);
  if (Table<EvictionEntry>::find(name) != nullptr && !is_python_eviction(name)) {
    throw InvalidInput(
        fmt::format("eviction policy '{}' is one of damocles' own; give yours another name", name));
  }
  const auto make = [name](const EvictionContext& context) -> std::unique_ptr<Eviction> {
    if (PyGILState_Check() == 0) {
      throw std::logic_error(
          fmt::format("eviction policy '{}' is made without Python's lock", name));
    }
    return std::make_unique<PythonEviction>(context, name, eviction_classes()[name.c_str()]);
  };
  Table<EvictionEntry>::put(EvictionEntry{.name = name,
                                          .source = "Python",
                                          .summary = summary_of_class(eviction_kind(), type),
                                          .make = make,
                                          .by_next_use = true});
  eviction_classes()[name.c_str()] = type;
}

bool is_python_eviction(const std::string& name) {
  return eviction_classes().contains(name.c_str());
}

bool any_python_eviction() { return !eviction_classes().empty(); }

void bind_python_evictions(py::module_& module) {
  module.attr(evictions_name) = py::dict();
  py::class_<Candidates, std::shared_ptr<Candidates>>(
      module, "Candidates",
      "Data items that may leave a worker's memory, the one touched longest ago first.")
      .def("__len__", [](const Candidates& self) { return self.items().size(); })
      .def(
          "__iter__",
          [](const Candidates& self) {
            return py::make_iterator(self.items().begin(), self.items().end());
          },
          py::keep_alive<0, 1>())
      .def("__getitem__",
           [](const Candidates& self, std::int64_t index) {
             const auto count = static_cast<std::int64_t>(self.items().size());
             if (index < 0) index += count;
             if (index < 0 || index >= count) throw py::index_error("there are fewer candidates");
             return self.items()[static_cast<std::size_t>(index)];
           })
      .def("next_use", &Candidates::next_use, py::arg("data"),
           "how many tasks from now the worker reads it; inf: never, as far as is known")
      .def("buffered_uses", &Candidates::buffered_uses, py::arg("data"),
           "tasks in the worker's buffer that read it")
      .def("random_below", &Candidates::random_below, py::arg("bound"),
           "a whole number in [0, bound) that the seed repeats");
}

}  // namespace damocles
