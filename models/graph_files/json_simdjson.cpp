// Reads JSON texts by simdjson, where that is installed.

#include "models/graph_files/json_events.hpp"

#ifdef DAMOCLES_SIMDJSON

#include <simdjson.h>

#include <algorithm>

namespace damocles {
namespace {

namespace ondemand = simdjson::ondemand;

/// Walks a document and tells what it finds. Each function returns whether simdjson found no fault.
class Walk {
 public:
  Walk(JsonText::Events& events, const char*& at) : events_(events), at_(at) {}

  /// Recursive: as deep as `events` lets it go. Inlined, and object() and array() not, so that a
  /// number or a text needs no copy of `value` in memory.
  simdjson_inline bool value(ondemand::value& value) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    const std::string_view token = value.raw_json_token();
    at_ = token.data();
    switch (type) {
      case ondemand::json_type::object:
        return object(value);
      case ondemand::json_type::array:
        return array(value);
      case ondemand::json_type::number:
        return number(value, token);
      case ondemand::json_type::string:
        return string(value);
      case ondemand::json_type::boolean:
        return boolean(value);
      default:
        return false;  // nowhere in a task graph
    }
  }
  template <typename Value>
  [[gnu::noinline]] bool object(Value&& value) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    events_.start_object(unknown_size);
    for (auto field : object) {
      ondemand::raw_json_string key;
      if (field.key().get(key) != simdjson::SUCCESS) return false;
      at_ = key.raw();
      std::string_view name = plain(at_);
      if (name.data() == nullptr && field.unescaped_key().get(name) != simdjson::SUCCESS) {
        return false;
      }
      events_.name(name);
      ondemand::value inner;
      if (field.value().get(inner) != simdjson::SUCCESS || !this->value(inner)) return false;
    }
    events_.end_object();
    return true;
  }

 private:
  static constexpr std::size_t unknown_size = static_cast<std::size_t>(-1);

  [[gnu::noinline]] bool array(ondemand::value value) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    events_.start_array(unknown_size);
    for (auto item : array) {
      ondemand::value inner;
      if (item.get(inner) != simdjson::SUCCESS) return false;
      at_ = inner.raw_json_token().data();
      std::uint64_t whole = 0;  // as most items are
      if (inner.get_uint64().get(whole) == simdjson::SUCCESS) {
        events_.number_unsigned(whole);
      } else if (!this->value(inner)) {
        return false;
      }
    }
    events_.end_array();
    return true;
  }
  bool number(ondemand::value& value, std::string_view token) {
    std::uint64_t whole = 0;
    if (value.get_uint64().get(whole) == simdjson::SUCCESS) return events_.number_unsigned(whole);
    std::int64_t negative = 0;
    if (value.get_int64().get(negative) == simdjson::SUCCESS) {
      return events_.number_integer(negative);
    }
    double real = 0;
    if (value.get_double().get(real) != simdjson::SUCCESS) return false;
    const std::string text(token.substr(0, token.find_last_not_of(" \t\r\n") + 1));
    return events_.number_float(real, text);
  }
  bool boolean(ondemand::value& value) {
    bool said = false;
    return value.get_bool().get(said) == simdjson::SUCCESS && events_.boolean(said);
  }
  bool string(ondemand::value& value) {
    std::string_view said = plain(at_ + 1);
    ondemand::raw_json_string passed;
    const auto error = said.data() == nullptr ? value.get_string().get(said)
                                              : value.get_raw_json_string().get(passed);
    return error == simdjson::SUCCESS && events_.text(said);
  }
  /// A string as it stands, which is faster than to unescape it; nothing where there is an escape.
  /// simdjson has found its end before.
  static std::string_view plain(const char* begin) {
    const char* end = begin;
    while (*end != '"' && *end != '\\') ++end;
    return *end == '"' ? std::string_view(begin, static_cast<std::size_t>(end - begin))
                       : std::string_view();
  }

  JsonText::Events& events_;
  const char*& at_;
};

}  // namespace

bool JsonText::tell_fast(Events& events) {
  static_assert(simdjson::SIMDJSON_PADDING <= room_behind);
  ondemand::parser parser;
  ondemand::document document;
  const auto size = static_cast<std::size_t>(end() - begin());
  const simdjson::padded_string_view padded(begin(), size, size + room_behind);
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
  at_ = std::find(begin(), end(), '{');  // with which a task graph begins
  return Walk(events, at_).object(document) &&
         document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

}  // namespace damocles

#else

namespace damocles {

bool JsonText::tell_fast(Events&) { return false; }

}  // namespace damocles

#endif
