#include "gpu/backend.hpp"
#include "gpu/starpu_run.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

const Register starpu_backend{BackendEntry{
    .name = "starpu",
    .place = 3,
    .summary = []() -> std::string {
      return "workers of StarPU, which moves the data itself; by the program damocles-starpu, "
             "built where StarPU is installed";
    },
    .make = [](const DeviceRequest& /*request*/) -> std::unique_ptr<Device> {
      throw InvalidInput("backend starpu works only with `compare` and `run`; use --backend host");
    },
    .run = [](const RuntimeRequest& request) { return run_on_starpu({request}); }}};

}  // namespace
}  // namespace damocles
