#include "strategies/listed.hpp"
#include "strategies/panel_order.hpp"

namespace damocles {
namespace {

/// Panels of data stay in memory while the others stream past them, there and back.
///
/// Source: ours; panel_order.hpp says how, docs/limited_memory.md how far from the lower bound.
class PanelStreaming final : public Listed {
 public:
  explicit PanelStreaming(const Setting& setting)
      : Listed(setting,
               panel_order(setting.workload.graph(), memory_beside_prefetch(setting),
                           setting.platform.processors()),
               {.steal = true}) {}
};

const Register entry{{.name = "panel-streaming",
                      .source = "ours",
                      .summary = "panels of data stay while the others stream past, in a snake",
                      .make = make<PanelStreaming>,
                      .tasks_only = true,
                      .eviction = "belady",
                      .fixed_order = true}};

}  // namespace
}  // namespace damocles
