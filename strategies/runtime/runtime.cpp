#include "strategies/runtime/runtime.hpp"

#include "models/error.hpp"

namespace damocles {

void ExecutionBackend::start_return(ProcessorId, DataId) {
  throw NoProgress("this machine does not run tasks that write the data of others");
}

void ExecutionBackend::join(ProcessorId, TaskId) {
  throw NoProgress("this machine runs each task on one processor");
}

}  // namespace damocles
