#include <array>
#include <iostream>
#include <string>
#include <string_view>

#include "models/placements/placement.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace {

/// Four tasks that wait for each other, two kinds.
const damocles::Workload& fuzzed_tasks() {
  static const damocles::Workload workload = damocles::Workload::parse("cholesky:n=2,deps=true");
  return workload;
}

}  // namespace

/// Each reader takes what was made up for a placement or refuses it in one line; and so does what
/// puts the tasks together.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using damocles::found;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto read : {damocles::read_recorded_placement, damocles::read_scheduled_placement,
                          damocles::read_json_placement}) {
    try {
      auto placed = read(text, "fuzzed", fuzzed_tasks());
      const auto placement =
          damocles::GivenPlacement::of({"fuzzed", ""}, std::move(placed), fuzzed_tasks().graph());
      std::size_t listed = 0;
      for (const auto& [processor, list] : placement.lists) listed += list.size();
      if (listed > fuzzed_tasks().tasks()) found("a task is on two lists", text);
    } catch (const damocles::InvalidInput& error) {
      const std::string why = error.what();
      if (why.rfind("file 'fuzzed'", 0) != 0) found("an error about another file", why);
      if (why.find('\n') != std::string::npos) found("an error of several lines", why);
    }
  }
  return 0;
}
