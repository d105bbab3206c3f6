// What rank 0 and the ranks that compute say to one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "gpu/kernel.hpp"

namespace damocles {

/// A message is a head and what follows it. All machines of a job have the same kind of processor:
/// numbers are sent as they lie in memory.
enum class RankVerb : std::uint8_t {
  // Rank 0 says:
  describe,   ///< answer described
  allocate,   ///< `bytes` of memory; answer done, with the address, or failed
  release,    ///< what lies at `address`
  clear,      ///< `bytes` at `address`
  prepare,    ///< for the kernel that follows; answer done or failed
  begin,      ///< the run of that number; answer done
  cancel,     ///< that run: drop what was asked for
  load,       ///< put the bytes that follow at `address`; another rank may say so too
  lend,       ///< send `bytes` at `address` to a rank, to an address there: both follow
  send_back,  ///< send `bytes` at `address` to rank 0
  compute,    ///< the task that follows
  end,        ///< leave the job together
  leave,      ///< leave it alone, as another rank is lost
  // The others answer:
  described,  ///< a PartDescription follows
  done,       ///< what a request asked for; `address` of an allocation
  loaded,     ///< a load has arrived
  computed,   ///< a task has ended; seconds that it took follow
  sent_back,  ///< the bytes of send_back follow
  failed,     ///< why follows
  // All say, every second:
  here,  ///< it lives
};

struct MessageHead {
  RankVerb verb = RankVerb::end;
  std::uint32_t run = 0;      ///< copies and tasks of another run are dropped
  std::uint64_t work = 0;     ///< names what was asked for; its answer says the same
  std::uint64_t address = 0;  ///< in the memory of the rank that is told
  std::uint64_t bytes = 0;
};

/// What rank 0 tells of another rank.
struct PartDescription {
  std::string host;
  std::string processor;
  std::string library;  ///< of kernels
  std::uint32_t threads = 1;
};

/// Writes numbers one after the other into a message.
class MessageWriter {
 public:
  explicit MessageWriter(const MessageHead& head);
  template <typename Number>
  void put(const Number& number) {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    text_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  void put_text(std::string_view text);
  /// Room for `bytes` at the end, for the caller to fill.
  [[nodiscard]] std::byte* put_room(std::size_t bytes);
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Reads them in the same order. @throws DeviceError where the message ends early
class MessageReader {
 public:
  explicit MessageReader(std::string_view text);
  [[nodiscard]] const MessageHead& head() const { return head_; }
  template <typename Number>
  [[nodiscard]] Number get() {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    Number number{};
    std::memcpy(&number, next(sizeof(number)).data(), sizeof(number));
    return number;
  }
  [[nodiscard]] std::string get_text();
  /// All that has not been read.
  [[nodiscard]] std::string_view rest() const { return rest_; }
  /// The same, which has to be that long.
  [[nodiscard]] const std::byte* content(std::uint64_t bytes);

 private:
  std::string_view next(std::size_t bytes);

  std::string_view rest_;
  MessageHead head_;
};

[[nodiscard]] inline std::uint64_t number_of(const std::byte* address) {
  return reinterpret_cast<std::uint64_t>(address);
}
[[nodiscard]] inline std::byte* address_of(std::uint64_t number) {
  return reinterpret_cast<std::byte*>(number);  // NOLINT(performance-no-int-to-ptr)
}

void put_kernel(MessageWriter& message, const Kernel& kernel);
[[nodiscard]] Kernel get_kernel(MessageReader& message);
/// A whole task, not a part of one: those are of cores, which share a memory.
void put_call(MessageWriter& message, const TaskCall& call);
[[nodiscard]] TaskCall get_call(MessageReader& message);
void put_description(MessageWriter& message, const PartDescription& part);
[[nodiscard]] PartDescription get_description(MessageReader& message);

}  // namespace damocles
