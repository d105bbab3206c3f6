// List schedulers that place the whole graph before the start, from costs alone. static_entry()
// runs the schedule of that name (orders/static_plan.hpp) as a strategy.
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

const Register list_schedules{
    // Oh & Ha, Euro-Par 1996.
    static_entry(
        {.name = "bil",
         .source = "Euro-Par 1996",
         .summary = "Static list scheduling by best imaginary level; for unrelated processors"}),
    // Topcuoglu, Hariri & Wu, TPDS 2002.
    static_entry(
        {.name = "cpop",
         .source = "TPDS 2002, 4.3",
         .summary =
             "Static: run the critical path on one processor, the rest by earliest finish time"}),
    // Sih & Lee, TPDS 1993.
    static_entry(
        {.name = "dls",
         .source = "TPDS 1993",
         .summary = "Static list scheduling by dynamic level: high levels and early starts first"}),
    // Hwang, Chow, Anger & Lee, SIAM J. Computing 1989.
    static_entry({.name = "etf",
                  .source = "SICOMP 1989",
                  .summary = "Static list scheduling by earliest start time"}),
    // Topcuoglu, Hariri & Wu, TPDS 2002.
    static_entry(
        {.name = "heft",
         .source = "TPDS 2002, 4.2 (StarPU's heft is our dmda)",
         .summary =
             "Static list scheduling by upward rank and earliest finish time; ignores memory",
         .representative = true}),
    // Adam, Chandy & Dickson, CACM 1974.
    static_entry({.name = "hlfet",
                  .source = "CACM 1974",
                  .summary = "Static list scheduling by level, earliest start time"}),
    // Bittencourt, Sakellariou & Madeira, PDP 2010.
    static_entry(
        {.name = "lookahead",
         .source = "PDP 2010, 3",
         .summary = "HEFT that also minimises the finish times of each task's successors; static"}),
    // Ibarra & Kim, JACM 1977; Maheswaran et al., JPDC 1999.
    static_entry({.name = "max-min",
                  .source = "JACM 1977; JPDC 1999, 4",
                  .summary = "Assign the task with the latest best finish time first; static"}),
    // Ibarra & Kim, JACM 1977; Maheswaran et al., JPDC 1999.
    static_entry({.name = "min-min",
                  .source = "JACM 1977; JPDC 1999, 4",
                  .summary = "Assign the task with the earliest finish time first; static"}),
    // Arabnejad & Barbosa, TPDS 2014.
    static_entry(
        {.name = "peft",
         .source = "TPDS 2014, 4",
         .summary = "HEFT with an optimistic cost table: least remaining time first; static"}),
    // Maheswaran et al., JPDC 1999.
    static_entry(
        {.name = "sufferage",
         .source = "JPDC 1999, 4",
         .summary = "Assign first the task that loses most on its second-best processor; static"})};

}  // namespace
}  // namespace damocles
