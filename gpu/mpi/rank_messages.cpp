#include "gpu/mpi/rank_messages.hpp"

#include <cassert>

#include "gpu/device.hpp"

namespace damocles {

MessageWriter::MessageWriter(const MessageHead& head) {
  put(head.verb);
  put(head.run);
  put(head.work);
  put(head.address);
  put(head.bytes);
}

void MessageWriter::put_text(std::string_view text) {
  put(std::uint64_t{text.size()});
  text_ += text;
}

std::byte* MessageWriter::put_room(std::size_t bytes) {
  const std::size_t before = text_.size();
  text_.resize(before + bytes);
  return reinterpret_cast<std::byte*>(text_.data()) + before;
}

MessageReader::MessageReader(std::string_view text) : rest_(text) {
  head_.verb = get<RankVerb>();
  head_.run = get<std::uint32_t>();
  head_.work = get<std::uint64_t>();
  head_.address = get<std::uint64_t>();
  head_.bytes = get<std::uint64_t>();
}

std::string_view MessageReader::next(std::size_t bytes) {
  if (bytes > rest_.size()) {
    throw DeviceError("mpi: a message ends early; all ranks must run the same program");
  }
  const std::string_view result = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return result;
}

std::string MessageReader::get_text() { return std::string(next(get<std::uint64_t>())); }

const std::byte* MessageReader::content(std::uint64_t bytes) {
  return reinterpret_cast<const std::byte*>(next(bytes).data());
}

void put_kernel(MessageWriter& message, const Kernel& kernel) {
  message.put(kernel.kind);
  message.put(kernel.precision);
  for (const std::size_t extent : {kernel.m, kernel.n, kernel.k}) {
    message.put(std::uint64_t{extent});
  }
}

Kernel get_kernel(MessageReader& message) {
  Kernel kernel;
  kernel.kind = message.get<Kernel::Kind>();
  kernel.precision = message.get<Precision>();
  for (std::size_t* const extent : {&kernel.m, &kernel.n, &kernel.k}) {
    *extent = message.get<std::uint64_t>();
  }
  return kernel;
}

void put_call(MessageWriter& message, const TaskCall& call) {
  assert(call.parts == 1);
  message.put(raw(call.task));
  message.put(std::uint64_t{call.inputs.size()});
  for (const auto& input : call.inputs) {
    message.put(number_of(input.at));
    message.put(std::uint64_t{input.bytes});
  }
  message.put(std::uint64_t{call.written.size()});
  for (const auto& data : call.written) {
    assert(data.shared == nullptr);
    message.put(number_of(data.at));
    message.put(std::uint64_t{data.bytes});
    message.put(data.position);
    message.put(data.adds);
    message.put(data.fresh);
  }
  message.put(number_of(call.output));
  message.put(call.accumulate);
  message.put(call.paced_s);
}

TaskCall get_call(MessageReader& message) {
  TaskCall call;
  call.task = TaskId{message.get<std::uint64_t>()};
  for (auto inputs = message.get<std::uint64_t>(); inputs > 0; --inputs) {
    const std::byte* const at = address_of(message.get<std::uint64_t>());
    call.inputs.push_back({at, message.get<std::uint64_t>()});
  }
  for (auto written = message.get<std::uint64_t>(); written > 0; --written) {
    TaskCall::Written& data = call.written.emplace_back();
    data.at = address_of(message.get<std::uint64_t>());
    data.bytes = message.get<std::uint64_t>();
    data.position = message.get<std::uint64_t>();
    data.adds = message.get<bool>();
    data.fresh = message.get<bool>();
  }
  call.output = address_of(message.get<std::uint64_t>());
  call.accumulate = message.get<bool>();
  call.paced_s = message.get<double>();
  return call;
}

void put_description(MessageWriter& message, const PartDescription& part) {
  for (const auto& text : {part.host, part.processor, part.library}) message.put_text(text);
  message.put(part.threads);
}

PartDescription get_description(MessageReader& message) {
  PartDescription part;
  for (auto* const text : {&part.host, &part.processor, &part.library}) *text = message.get_text();
  part.threads = message.get<std::uint32_t>();
  return part;
}

}  // namespace damocles
