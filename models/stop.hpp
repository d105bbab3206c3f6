#pragma once

namespace damocles {

/// To be called now and then by work that lasts seconds outside of runs and parallel loops.
/// @throws LoopStopped where the loops of this thread are to stop (StoppableLoops)
void stop_if_asked();

}  // namespace damocles
