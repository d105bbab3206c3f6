#include "tests/fuzz/fuzz_reader.hpp"
#include "tests/models/graph_files/json_recorder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  damocles::check_reader(damocles::read_json, data, size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!damocles::readers_agree(text)) damocles::found("readers differ", text);
  return 0;
}
