// The only file that calls MPI. Where it was not built with MPI, it says so.
#include <fmt/format.h>

#include <cstdlib>
#include <list>
#include <utility>

#include "experiments/cluster/ranks.hpp"
#include "models/error.hpp"

#ifdef DAMOCLES_HAS_MPI
#include <mpi.h>
#endif

namespace damocles {
namespace {

/// How many ranks the launcher says there are: of Open MPI; of MPICH, Intel MPI and Slurm. 0: it is
/// none of these.
int ranks_of_launcher() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const size = std::getenv(name);   // NOLINT(concurrency-mt-unsafe): at the start
    if (size != nullptr) return std::atoi(size);  // NOLINT(cert-err34-c): 0 is none
  }
  return 0;
}

#ifdef DAMOCLES_HAS_MPI

/// PMIx tells a rank, but not how many there are.
bool is_started_by_pmix() {
  return std::getenv("PMIX_RANK") != nullptr;  // NOLINT(concurrency-mt-unsafe): at the start
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    (void)MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    // A lost rank must not end the others.
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(RankMessage message) override {
    forget_what_was_sent();
    Sent& sent = sent_.emplace_back();
    sent.text = std::move(message.text);
    const int result = MPI_Isend(sent.text.data(), static_cast<int>(sent.text.size()), MPI_CHAR,
                                 message.rank, tag, MPI_COMM_WORLD, &sent.request);
    if (result != MPI_SUCCESS) sent_.pop_back();
  }

  [[nodiscard]] std::optional<RankMessage> receive() override {
    int is_there = 0;
    MPI_Status status{};
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &status) != MPI_SUCCESS ||
        is_there == 0) {
      return std::nullopt;
    }
    int size = 0;
    (void)MPI_Get_count(&status, MPI_CHAR, &size);
    RankMessage message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    if (MPI_Recv(message.text.data(), size, MPI_CHAR, message.rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      return std::nullopt;
    }
    return message;
  }

  void end(bool together) override {
    if (together) {
      for (Sent& sent : sent_) (void)MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
      (void)MPI_Finalize();
    } else {
      // MPI_Finalize would wait for the lost ranks.
      forget_what_was_sent();
    }
  }

 private:
  static constexpr int tag = 1;
  struct Sent {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void forget_what_was_sent() {
    for (auto sent = sent_.begin(); sent != sent_.end();) {
      int is_sent = 0;
      (void)MPI_Test(&sent->request, &is_sent, MPI_STATUS_IGNORE);
      sent = is_sent != 0 ? sent_.erase(sent) : std::next(sent);
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::list<Sent> sent_;
};

#endif

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  const int size = ranks_of_launcher();
#ifdef DAMOCLES_HAS_MPI
  if (size < 2 && (size == 1 || !is_started_by_pmix())) return nullptr;
  auto ranks = std::make_unique<MpiRanks>();
  if (ranks->size() > 1) return ranks;
  ranks->end(true);
  return nullptr;
#else
  if (size < 2) return nullptr;
  throw InvalidInput(
      fmt::format("it was started as {} ranks, but this program was built without MPI; install "
                  "libopenmpi-dev and build again, or give each machine a part, as --shard 1/{}",
                  size, size));
#endif
}

}  // namespace damocles
