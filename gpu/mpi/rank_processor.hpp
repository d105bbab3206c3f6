// A rank that computes: what it does from when it joins until rank 0 ends the job.
#pragma once

#include "gpu/device.hpp"
#include "gpu/mpi/message_pump.hpp"
#include "models/ranks.hpp"

namespace damocles {

/// Serves rank 0 as a processor with a memory of its own, until that says end; then leaves the job
/// with it. Rank 0 alone knows workload, strategy and files: this rank knows addresses, bytes and
/// kernels, prints nothing and writes nothing.
///
/// A device of one processor computes and has the memory. The calling thread sends, receives and
/// copies; a second one waits for tasks, so bytes arrive while a task computes.
/// @param device  its processor 0 is the one
/// @param silence_s  after so long rank 0 is lost, if nothing is heard of it
/// @throws DeviceError where rank 0 is lost; the job is left then too
void serve_as_processor(Ranks& ranks, Device& device,
                        double silence_s = MessagePump::Watch::usual_silence_s);

}  // namespace damocles
