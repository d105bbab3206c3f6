#include "gpu/backend.hpp"

#include "gpu/host/host_device.hpp"

namespace damocles {
namespace {

/// Of another machine, devices are made here that implement gpu/device.hpp.
std::unique_ptr<Device> make_plain_device(const DeviceRequest& request) {
  return make_host_device({.processors = request.processors});
}

const Register plain_backend{
    BackendEntry{.name = "plain",
                 .place = 100,
                 .summary = [] { return std::string("threads, never paced"); },
                 .make = make_plain_device}};

}  // namespace
}  // namespace damocles
