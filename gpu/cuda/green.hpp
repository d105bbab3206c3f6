#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/cuda/handles.hpp"

namespace damocles::cuda {

/// Parts of one GPU: green contexts, each with a stream and multiprocessors that no other has.
///
/// The driver is asked at run time: nothing links libcuda, and an older driver is no error.
/// No green context is ever made current: work goes to their streams, while the GPU's primary
/// context stays current on every thread. A green context may be current to one thread at a time
/// only (cuda.h at cuGreenCtxCreate), but its stream is like any other.
class GreenContexts {
 public:
  /// Splits a GPU, which becomes the calling thread's current one.
  ///
  /// @param gpu     ordinal
  /// @param name    of the GPU, for errors
  /// @param asked   as in groups_of()
  /// @param reason  why there are none, where that is so
  /// @return        nothing where the driver or the GPU has no green contexts
  /// @throws InvalidInput as groups_of()
  static std::optional<GreenContexts> split(int gpu, const std::string& name,
                                            const std::vector<unsigned>& asked,
                                            std::string& reason);

  GreenContexts(GreenContexts&&) noexcept;
  GreenContexts& operator=(GreenContexts&&) noexcept;
  /// All streams taken must be gone.
  ~GreenContexts();

  [[nodiscard]] std::size_t size() const;
  /// How many multiprocessors a part really has.
  [[nodiscard]] unsigned multiprocessors(std::size_t part) const;
  /// To how many the kernel came that tried it out: the same, as far as is known.
  [[nodiscard]] std::size_t seen(std::size_t part) const;
  /// The stream of a part. Once each.
  [[nodiscard]] Stream take_stream(std::size_t part);

 private:
  struct Parts;
  explicit GreenContexts(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace damocles::cuda
