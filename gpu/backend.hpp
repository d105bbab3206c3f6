#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "models/platforms/platform.hpp"
#include "models/table.hpp"

namespace damocles {

/// The processors that a run needs.
struct DeviceRequest {
  std::size_t processors = 1;
  /// Of them, those that compute in the memory that holds all data, as cores do, shape
  /// (processors); empty: none has to.
  std::vector<bool> in_host_memory{};
  // Of a backend that throttles copies, or paces tasks:
  /// Loads take as long as on this bus; nothing: as long as they take.
  std::optional<MachineModel> bus{};
  /// Tasks are paced (TaskCall::paced_s), so copies without a bus keep to that time too.
  bool paced = false;
  /// Results travel back over that bus too.
  bool writes_on_bus = false;
  // Of a backend whose processors share GPUs:
  /// Streaming multiprocessors of each processor but cores, in their order; empty: equal shares.
  std::vector<unsigned> multiprocessors{};
};

struct RuntimeRequest;
struct RuntimeAnswer;

/// A kind of devices to execute on; it registers itself beside what makes them.
struct BackendEntry {
  static constexpr const char* what = "backend";
  static constexpr const char* list = "backends";
  std::string name;
  int place = 0;  ///< in lists
  std::string (*summary)();
  std::unique_ptr<Device> (*make)(const DeviceRequest& request);
  /// Whether tasks can be slowed down to a platform's times (TaskCall::paced_s).
  bool paces_tasks = false;
  /// Whether copies are slowed down to its bus (DeviceRequest::bus).
  bool throttles_copies = false;
  bool shares_multiprocessors = false;
  bool data_of_any_sizes = true;
  /// Of a runtime in the place of a device: a run, its results checked. Then make() refuses.
  RuntimeAnswer (*run)(const RuntimeRequest& request) = nullptr;
};

}  // namespace damocles
