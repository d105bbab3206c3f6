// The only file that calls MPI. A module (models/modules.hpp).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <list>
#include <set>
#include <utility>

#include "models/ranks.hpp"

namespace damocles {
namespace {

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    // One thread sends and receives, but not always the one that plans, and Zoltan calls MPI too.
    (void)MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    // A lost rank must not end the others.
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::string library() const override {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    (void)MPI_Get_library_version(text.data(), &length);
    const std::string whole(text.data(), static_cast<std::size_t>(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }

  void send(RankMessage message) override {
    sent_.emplace_back().content = std::move(message);
    advance_what_was_sent();
  }

  [[nodiscard]] std::optional<RankMessage> receive() override {
    while (begin_to_receive()) continue;
    for (auto one = arriving_.begin(); one != arriving_.end(); ++one) {
      if (!is_complete(*one) || has_older(one)) continue;
      RankMessage message = std::move(one->content);
      arriving_.erase(one);
      return message;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool has_messages_under_way() override {
    advance_what_was_sent();
    return !sent_.empty() || !arriving_.empty();
  }

  void end(bool together) override {
    if (together) {
      while (!sent_.empty()) advance_what_was_sent();
      (void)MPI_Finalize();
    } else {
      // MPI_Finalize would wait for the lost ranks.
      advance_what_was_sent();
    }
  }

 private:
  static constexpr int tag = 1;
  static constexpr int bulk_tag = 2;
  struct Message {
    RankMessage content;
    MPI_Request request = MPI_REQUEST_NULL;
    bool begun = false;
    bool complete = false;
  };
  using Messages = std::list<Message>;

  static bool is_complete(Message& message) {
    if (message.complete || !message.begun) return message.complete;
    int is_there = 0;
    (void)MPI_Test(&message.request, &is_there, MPI_STATUS_IGNORE);
    message.complete = is_there != 0;
    return message.complete;
  }

  /// Bulk to one rank leaves one message after the other, as copies of one processor do; MPI would
  /// send parts of each in turn, so that all of them arrive late.
  void advance_what_was_sent() {
    sent_.remove_if(is_complete);
    std::set<int> busy;
    for (Message& message : sent_) {
      const bool may_begin = !message.content.bulk || busy.insert(message.content.rank).second;
      if (may_begin && !message.begun) begin_to_send(message);
    }
  }

  void begin_to_send(Message& message) {
    const std::string& text = message.content.text;
    const int result =
        MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, message.content.rank,
                  message.content.bulk ? bulk_tag : tag, MPI_COMM_WORLD, &message.request);
    message.begun = true;
    message.complete = result != MPI_SUCCESS;
  }

  /// Never waits for the content: a large one is on its way for long, and waiting takes the core.
  bool begin_to_receive() {
    int is_there = 0;
    MPI_Status status{};
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status) !=
            MPI_SUCCESS ||
        is_there == 0) {
      return false;
    }
    int size = 0;
    (void)MPI_Get_count(&status, MPI_CHAR, &size);
    Message& message = arriving_.emplace_back();
    message.content = {status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0'),
                       status.MPI_TAG == bulk_tag};
    const int result = MPI_Irecv(message.content.text.data(), size, MPI_CHAR, status.MPI_SOURCE,
                                 status.MPI_TAG, MPI_COMM_WORLD, &message.request);
    message.begun = true;
    if (result != MPI_SUCCESS) arriving_.pop_back();
    return result == MPI_SUCCESS;
  }

  /// Whether a message of the same rank has to be handed out before.
  [[nodiscard]] bool has_older(Messages::iterator message) {
    if (message->content.bulk) return false;
    return std::any_of(arriving_.begin(), message, [&](const Message& older) {
      return !older.content.bulk && older.content.rank == message->content.rank;
    });
  }

  int rank_ = 0;
  int size_ = 1;
  Messages sent_;
  Messages arriving_;  // in the order in which they were found
};

}  // namespace
}  // namespace damocles

extern "C" void damocles_join_mpi(std::unique_ptr<damocles::Ranks>& ranks) {
  ranks = std::make_unique<damocles::MpiRanks>();
}
