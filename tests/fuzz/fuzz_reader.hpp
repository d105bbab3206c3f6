#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "tests/models/graph_files/graph_parts.hpp"

namespace damocles {

using GraphReader = TaskGraph (*)(std::istream&, const std::string&, const GraphDefaults&);

[[noreturn]] inline void found(const char* what, const std::string& text) {
  std::cerr << "found: " << what << '\n' << text << '\n';
  std::abort();
}

/// A file is read or refused in one line by InvalidInput, nothing else; and a graph that was read
/// survives the way through JSON with equal parts, and through .hgr with equal sizes and flops.
inline void check_reader(GraphReader reader, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t small = 1000;  // a header may ask for 2^20 tasks without entries: slow
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    std::istringstream in(text);
    const TaskGraph graph = reader(in, "fuzzed", {});
    if (graph.tasks() > small || graph.data() > small) return;

    std::stringstream json;
    write_json(graph, json);
    if (!equal_parts(graph, read_json(json, "json", {}))) found("JSON differs", json.str());

    std::stringstream hgr;
    write_hgr(graph, hgr);
    const TaskGraph again = read_hmetis(hgr, "hgr", {});
    if (graph.parts().bytes != again.parts().bytes || graph.parts().flops != again.parts().flops ||
        graph.edges() != again.edges()) {
      found("hgr differs", hgr.str());
    }
  } catch (const InvalidInput& error) {
    const std::string why = error.what();
    if (why.rfind("file 'fuzzed'", 0) != 0) found("an error about another file", why);
    if (why.find('\n') != std::string::npos) found("an error of several lines", why);
  }
}

}  // namespace damocles
