// Which random numbers a model of limited memory draws.

#pragma once

#include <cstdint>

/// Substreams of Draw::prediction, so that no two things are drawn from the same numbers.
namespace damocles::prediction_stream {

inline constexpr std::uint64_t missing_inputs = 0;  ///< by processor
inline constexpr std::uint64_t deals = 2;           ///< by deal
inline constexpr std::uint64_t choices = 3;         ///< by draw
inline constexpr std::uint64_t partitions = 4;
inline constexpr std::uint64_t random_order = 5;
/// By processor; the draw, at most 16, is added.
inline constexpr std::uint64_t queue_pace = 16;
inline constexpr std::uint64_t grown_boxes = 64;
/// By processor; the draw, at most 16, is added.
inline constexpr std::uint64_t planned_pace = 96;

}  // namespace damocles::prediction_stream
