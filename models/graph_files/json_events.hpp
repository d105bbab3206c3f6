#pragma once

#include <cstddef>
#include <cstdlib>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

namespace damocles {

/// A whole JSON text in memory, and where its reader is, so that errors can name lines.
///
/// A large file is read by simdjson, where that is installed: several times as fast. What simdjson
/// refuses is read once more by nlohmann-json, from the beginning: its errors say what is wrong,
/// and a text that only simdjson refuses is read all the same.
class JsonText {
 public:
  /// Everything that the stream gives, without a byte-order mark.
  explicit JsonText(std::istream& in);

  /// Where the token begins that was read last.
  [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(at_ - begin()); }
  /// How many bytes come from there on.
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end() - at_); }
  /// The line of a place, from 1.
  [[nodiscard]] std::size_t line_of(std::size_t place) const;
  [[nodiscard]] std::size_t line() const { return line_of(place()); }

  /// What both readers tell; strings without copying them.
  struct Events : nlohmann::json_sax<nlohmann::json> {
    virtual bool name(std::string_view key) = 0;
    virtual bool text(std::string_view value) = 0;
    bool key(string_t& name) final { return this->name(name); }
    bool string(string_t& value) final { return text(value); }
  };

  /// Tells what the text says, in order, by simdjson. An object or a list has no known size.
  /// @return  whether it told everything; false where simdjson is not built or refuses the text,
  ///          which may be after it has told a part
  /// @throws  whatever `events` throws
  [[nodiscard]] bool tell_fast(Events& events);
  /// Tells what the text says, in order, by nlohmann-json; last of all what is wrong
  /// (Events::parse_error). @throws whatever `events` throws
  void tell(Events& events);

 private:
  class Cursor;

  /// What simdjson reads beyond the end, and does not look at.
  static constexpr std::size_t room_behind = 64;

  [[nodiscard]] const char* begin() const { return bytes_.get() + begin_; }
  [[nodiscard]] const char* end() const { return bytes_.get() + end_; }

  struct Free {
    // NOLINTNEXTLINE(*-no-malloc,*-owning-memory): what realloc gave
    void operator()(char* bytes) const { std::free(bytes); }
  };
  /// From malloc, as realloc moves large blocks without touching them.
  std::unique_ptr<char, Free> bytes_;
  std::size_t begin_ = 0;  ///< behind the mark
  std::size_t end_ = 0;
  const char* at_ = nullptr;
};

}  // namespace damocles
