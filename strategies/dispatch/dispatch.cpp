#include "strategies/dispatch/dispatch.hpp"

#include "models/error.hpp"

namespace damocles {

void Machine::start_return(ProcessorId, DataId) {
  throw NoProgress("this machine does not run tasks that write the data of others");
}

}  // namespace damocles
