#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "models/platforms/platform.hpp"
#include "sim/copy_streams.hpp"

namespace damocles {

/// What copies cost the tasks beside them (MachineModel::interference).
///
/// A copy that is on its way for D seconds, for C of which its processor computes, costs it
/// interference * copy_s * C / D: its own time, spread evenly over its way. The task that runs when
/// the copy ends pays for those before it too; where none runs, the processor waits anyway. Copies
/// between processors cost nothing, also those that go over the bus and take their turns on
/// streams.
class Interference {
 public:
  explicit Interference(const MachineModel& machine)
      : machine_(machine),
        begun_s_(machine.processors.size(), std::numeric_limits<double>::infinity()),
        computed_s_(machine.processors.size(), 0),
        streams_(2 * machine.processors.size()) {}

  void task_begins(std::size_t processor, double at_s) { begun_s_[processor] = at_s; }
  void task_ends(std::size_t processor, double at_s);

  /// Copies of a stream begin in the order in which they are asked for, each when the one before
  /// has ended.
  void copy_asked_for(const CopyStreams::Copy& copy, double at_s);
  /// By how much the task that runs takes longer [s], 0 where none runs.
  double copy_ends(const CopyStreams::Copy& copy, double at_s);

 private:
  struct Stream {
    std::size_t copies = 0;  // asked for and not ended
    double begun_s = 0;      // the first of them
    double computed_s = 0;   // by its processor until then
  };

  Stream& stream(std::size_t processor, bool out);
  void asked_for(std::size_t processor, bool out, double at_s);
  void ends(std::size_t processor, bool out, double at_s);
  void begin(Stream& stream, std::size_t processor, double at_s) const;
  /// What the processor has computed so far [s].
  [[nodiscard]] double computed_s(std::size_t processor, double until_s) const;

  const MachineModel& machine_;
  std::vector<double> begun_s_;     // when each processor's task began; infinity: none runs
  std::vector<double> computed_s_;  // of each processor, by tasks that have ended
  std::vector<Stream> streams_;     // one a processor and direction, or one a processor
};

}  // namespace damocles
