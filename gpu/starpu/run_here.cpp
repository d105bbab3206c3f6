#include "gpu/starpu/run_here.hpp"

#include <fmt/format.h>
#include <starpu.h>
#include <starpu_profiling.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <limits>
#include <optional>

#include "gpu/host/host_device.hpp"
#include "gpu/host/host_kernels.hpp"
#include "gpu/starpu/strategy_policy.hpp"
#include "gpu/starpu/watchdog.hpp"
#include "gpu/starpu/work.hpp"
#include "models/error.hpp"
#include "models/host_machine.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

using Clock = std::chrono::steady_clock;
using TaskIndex = TaskGraph::Index;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// One run, from data to statistics; StarPU's callbacks find it by their tasks.
class HereRun {
 public:
  HereRun(const StarpuRun& asked, const Workload& workload, const Platform& platform,
          const StrategyChoice* choice)
      : asked_(asked),
        graph_(workload.graph()),
        durations_(workload, platform),
        work_(asked.compute == "factorise"
                  ? factorisation_work(workload, asked)
                  : arithmetic_work(workload, asked, platform.processors())),
        watchdog_(asked.standstill_s, workload.tasks()) {
    if (choice != nullptr) {
      policy_.emplace(StrategyPolicy::StrategyContext{.workload = workload,
                                                      .platform = platform,
                                                      .choice = *choice,
                                                      .seed = asked.seed,
                                                      .replicate = asked.replicate});
      policy_->number_by(number_of);
    }
    workers_.emplace(workload, platform,
                     StarpuWorkers::Settings{.shared = asked.shared,
                                             .home = asked.home,
                                             .policy = policy_ ? policy_->policy() : nullptr,
                                             .policy_name = asked.policy});
  }

  RuntimeAnswer run() {
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    register_data();
    make_codelets();
    busy_.assign(workers_->processors(), {});
    if (policy_) {
      policy_->attach(*workers_, handles_);
      watchdog_.watch_policy(&*policy_);
    }
    starpu_pause();
    submit();
    begin_ = Clock::now();
    if (policy_) policy_->open();
    starpu_resume();
    starpu_task_wait_for_all();
    RuntimeAnswer answer;
    watchdog_.watch_policy(nullptr);
    count(answer.execution);
    unregister_data();
    answer.execution.bytes_summed = work_->end() + read_buses(nullptr);
    answer.execution.total_s = seconds(Clock::now() - begin_);
    workers_.reset();
    answer.verification = work_->verify();
    answer.flops = work_->flops();
    answer.device = {
        .backend = "starpu",
        .name = cpu_name(),
        .driver = fmt::format("StarPU {}.{}.{}, {}", STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION,
                              STARPU_RELEASE_VERSION,
                              asked_.compute == "factorise" ? "Eigen" : host_kernel_library()),
        .parts = {}};
    return answer;
  }

 private:
  /// What StarPU gives back with a task.
  struct Call {
    HereRun* run = nullptr;
    TaskIndex task = 0;
  };
  struct alignas(64) Busy {
    std::uint64_t tasks = 0;
    double s = 0;
    double last_s = 0;  // end of the last task
  };

  static std::optional<TaskId> number_of(const starpu_task* task) {
    if (task->cl == nullptr || task->cl->cpu_funcs[0] != execute) return std::nullopt;
    return TaskId{static_cast<const Call*>(task->cl_arg)->task};
  }

  static void execute(void** buffers, void* argument) {
    const Call& call = *static_cast<const Call*>(argument);
    call.run->compute(buffers, call.task);
  }

  /// A task takes what the platform says: that is all StarPU's policies are told of durations.
  static double expected_us(starpu_task* task, unsigned /*implementation*/) {
    const Call& call = *static_cast<const Call*>(task->cl_arg);
    return 1e6 * call.run->durations_.s(0, call.task);
  }

  void compute(void** buffers, TaskIndex task) {
    const auto worker = static_cast<unsigned>(starpu_worker_get_id());
    const ProcessorId processor = workers_->processor(worker).value_or(ProcessorId{0});
    std::vector<std::byte*> at;
    for (std::size_t i = 0; i < graph_.inputs(task).size(); ++i) {
      // StarPU keeps addresses as numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
      at.push_back(reinterpret_cast<std::byte*>(STARPU_VECTOR_GET_PTR(buffers[i])));
    }
    const auto begin = Clock::now();
    work_->run(TaskId{task}, processor, at);
    const auto end = Clock::now();
    Busy& busy = busy_[raw(processor)];
    ++busy.tasks;
    busy.s += seconds(end - begin);
    busy.last_s = seconds(end - begin_);
    if (policy_) policy_->ended(worker, TaskId{task});
    watchdog_.task_ended();
  }

  void register_data() {
    handles_.resize(graph_.data());
    for (std::size_t d = 0; d < graph_.data(); ++d) {
      const DataId data{d};
      starpu_vector_data_register(&handles_[d], STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(work_->place(data)),
                                  static_cast<std::uint32_t>(work_->bytes(data)), 1);
    }
  }

  /// All come home but temporary data, which are gone.
  void unregister_data() {
    for (std::size_t d = 0; d < graph_.data(); ++d) {
      if (graph_.temporary(static_cast<TaskIndex>(d))) {
        starpu_data_unregister_no_coherency(handles_[d]);
      } else {
        starpu_data_unregister(handles_[d]);
      }
    }
  }

  /// One a kind of task, so that StarPU's policies tell them apart.
  void make_codelets() {
    const std::size_t kinds = std::max<std::size_t>(1, graph_.parts().kind_names.size());
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      names_.push_back(graph_.parts().kind_names.empty() ? "task"
                                                         : graph_.parts().kind_names[kind]);
      starpu_perfmodel& model = models_.emplace_back();
      model.type = STARPU_COMMON;
      model.symbol = names_.back().c_str();
      model.cost_function = expected_us;
      starpu_codelet& codelet = codelets_.emplace_back();
      codelet.where = STARPU_CPU;
      codelet.cpu_funcs[0] = execute;
      codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
      codelet.model = &model;
      codelet.name = names_.back().c_str();
    }
  }

  static starpu_data_access_mode mode_of(Access access) {
    if (commutes(access) || reduces(access)) {
      return static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
    }
    if (!writes(access)) return STARPU_R;
    return reads(access) ? STARPU_RW : STARPU_W;
  }

  /// All are made before the first is submitted, as a task may wait for one of a higher number. In
  /// the order of submission what StarPU infers from their accesses is what the graph does.
  void submit() {
    mask_ = workers_->mask();
    calls_.resize(graph_.tasks());
    const PriorityRanks ranks(graph_, starpu_sched_get_min_priority(),
                              starpu_sched_get_max_priority());
    std::vector<starpu_task*> tasks;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      calls_[t] = {this, static_cast<TaskIndex>(t)};
      tasks.push_back(make_task(calls_[t], ranks));
    }
    for (const auto& [task, before] : graph_.parts().dependencies) {
      if (graph_.ordered()) starpu_task_declare_deps_array(tasks[task], 1, &tasks[before]);
    }
    std::vector<Uses> left = uses_of_data();
    for (const TaskIndex t : graph_.dependencies().order(graph_.tasks())) {
      if (const int status = starpu_task_submit(tasks[t]); status != 0) {
        throw DeviceError(
            fmt::format("StarPU does not take task {}: error {}", graph_.task_name(t), -status));
      }
      say_what_is_over(t, left);
    }
  }

  /// Tasks that are still to be submitted and access a data item, or write it.
  struct Uses {
    std::size_t any = 0;
    std::size_t writes = 0;
  };
  [[nodiscard]] std::vector<Uses> uses_of_data() const {
    std::vector<Uses> uses;
    for (const TaskIndex writers : graph_.writers()) {
      uses.push_back({graph_.users(static_cast<TaskIndex>(uses.size())).size(), writers});
    }
    return uses;
  }

  /// Of what the task accesses, which was just submitted: temporary data are dropped after the last
  /// access, and what goes home early does so after the last write. StarPU waits for the tasks.
  void say_what_is_over(TaskIndex task, std::vector<Uses>& left) {
    graph_.for_each_access(task, [&](TaskIndex data, Access access) {
      if (--left[data].any == 0 && graph_.temporary(data)) {
        starpu_data_invalidate_submit(handles_[data]);
      }
      if (writes(access) && --left[data].writes == 0 && graph_.early_home(data)) {
        starpu_data_wont_use(handles_[data]);
      }
    });
  }

  /// Priorities in as many steps as StarPU's policy has.
  class PriorityRanks {
   public:
    PriorityRanks(const TaskGraph& graph, int least, int most)
        : graph_(graph), least_(least), steps_(static_cast<double>(most) - least) {
      for (std::size_t t = 0; t < graph.tasks(); ++t) {
        const double priority = graph.priority(static_cast<TaskIndex>(t));
        low_ = std::min(low_, priority);
        high_ = std::max(high_, priority);
      }
    }
    [[nodiscard]] int of(TaskIndex task) const {
      if (!(high_ > low_)) return 0;
      const double share = (graph_.priority(task) - low_) / (high_ - low_);
      return static_cast<int>(least_ + share * std::min(steps_, most_steps));
    }

   private:
    static constexpr double most_steps = 1e6;  // policies may take any int
    const TaskGraph& graph_;
    double least_;
    double steps_;
    double low_ = std::numeric_limits<double>::max();
    double high_ = std::numeric_limits<double>::lowest();
  };

  starpu_task* make_task(Call& call, const PriorityRanks& ranks) {
    const auto& kinds = graph_.parts().task_kinds;
    starpu_task* const task = starpu_task_create();
    task->cl = &codelets_[kinds.empty() ? 0 : kinds[call.task]];
    task->cl_arg = &call;
    task->priority = ranks.of(call.task);
    task->workerids = &mask_;
    task->workerids_len = 1;
    const std::size_t count = graph_.inputs(call.task).size();
    task->nbuffers = static_cast<int>(count);
    auto* handles = task->handles;
    auto* modes = task->modes;
    if (count > STARPU_NMAXBUFS) {
      // StarPU frees them with the task.
      // NOLINTBEGIN(*-no-malloc, *-owning-memory, bugprone-sizeof-expression)
      handles = static_cast<starpu_data_handle_t*>(std::calloc(count, sizeof(*handles)));
      modes = static_cast<starpu_data_access_mode*>(std::calloc(count, sizeof(*modes)));
      // NOLINTEND(*-no-malloc, *-owning-memory, bugprone-sizeof-expression)
      task->dyn_handles = handles;
      task->dyn_modes = modes;
    }
    std::size_t at = 0;
    graph_.for_each_access(call.task, [&](TaskIndex data, Access access) {
      handles[at] = handles_[data];
      modes[at++] = mode_of(access);
    });
    return task;
  }

  /// Bytes that came home; what came elsewhere goes to `execution`.
  std::uint64_t read_buses(Execution* execution) {
    std::uint64_t home = 0;
    for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
      starpu_profiling_bus_info info{};
      starpu_bus_get_profiling_info(bus, &info);
      const auto to = static_cast<unsigned>(starpu_bus_get_dst(bus));
      const auto from = static_cast<unsigned>(starpu_bus_get_src(bus));
      const auto bytes = static_cast<std::uint64_t>(info.transferred_bytes);
      if (to == 0) home += bytes;
      if (execution == nullptr) continue;
      for (std::size_t p = 0; p < workers_->processors(); ++p) {
        const unsigned node = workers_->node(ProcessorId{static_cast<std::uint32_t>(p)});
        if (node == 0) continue;
        if (node == to) {
          execution->trace.loads[p] += static_cast<std::uint64_t>(info.transfer_count);
          execution->trace.bytes_loaded[p] += bytes;
        }
        if (node == from && to == 0) execution->trace.bytes_written[p] += bytes;
      }
    }
    return home;
  }

  void count(Execution& execution) {
    Trace& trace = execution.trace;
    const std::size_t processors = workers_->processors();
    for (auto* const counts :
         {&trace.loads, &trace.bytes_loaded, &trace.bytes_written, &trace.evictions}) {
      counts->assign(processors, 0);
    }
    for (const Busy& busy : busy_) {
      trace.tasks.push_back(busy.tasks);
      trace.busy_s.push_back(busy.s);
      trace.makespan_s = std::max(trace.makespan_s, busy.last_s);
    }
    if (policy_) {
      trace.scheduling_s = policy_->scheduling_s();
      trace.evictions = policy_->evictions();
    }
    static_cast<void>(read_buses(&execution));
  }

  const StarpuRun& asked_;
  const TaskGraph& graph_;
  Durations durations_;
  std::unique_ptr<Work> work_;
  Watchdog watchdog_;
  std::optional<StrategyPolicy> policy_;
  std::optional<StarpuWorkers> workers_;
  std::vector<starpu_data_handle_t> handles_;
  std::deque<std::string> names_;
  std::deque<starpu_perfmodel> models_;
  std::deque<starpu_codelet> codelets_;
  std::vector<Call> calls_;
  std::vector<Busy> busy_;  // by processor
  std::uint32_t mask_ = 0;
  Clock::time_point begin_;
};

}  // namespace

RuntimeAnswer run_here(const StarpuRun& run) {
  const Workload workload = Workload::parse(run.workload);
  refuse_unlimited(workload);
  const Scenario scenario = Scenario::parse(run.platform).for_tasks_of(workload);
  const Platform platform = scenario.draw(run.seed, run.replicate);
  refuse_for_starpu(platform, run.shared);
  if (!run.strategy.empty()) {
    const auto choice = StrategyChoice::parse(run.strategy, workload);
    HereRun here(run, workload, platform, &choice);
    return here.run();
  }
  const auto policies = starpu_policies();
  if (std::find(policies.begin(), policies.end(), run.policy) == policies.end()) {
    refuse_unknown("policy of StarPU's", run.policy, policies);
  }
  HereRun here(run, workload, platform, nullptr);
  return here.run();
}

int answer_one(std::span<const std::string> words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    fmt::print("{}", answer_text(run_here(starpu_run_of(words))));
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace damocles
