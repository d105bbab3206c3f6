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

  /// Recursive: as deep as `events` lets it go.
  bool value(ondemand::value value) {
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
  bool object(Value&& value) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    events_.start_object(unknown_size);
    for (auto field : object) {
      ondemand::raw_json_string raw;
      std::string_view key;
      if (field.key().get(raw) != simdjson::SUCCESS) return false;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
      at_ = raw.raw();
      text_ = key;
      events_.key(text_);
      ondemand::value inner;
      if (field.value().get(inner) != simdjson::SUCCESS || !this->value(inner)) return false;
    }
    events_.end_object();
    return true;
  }

 private:
  static constexpr std::size_t unknown_size = static_cast<std::size_t>(-1);

  bool array(ondemand::value& value) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    events_.start_array(unknown_size);
    for (auto item : array) {
      ondemand::value inner;
      if (item.get(inner) != simdjson::SUCCESS || !this->value(inner)) return false;
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
    text_ = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    return events_.number_float(real, text_);
  }
  bool boolean(ondemand::value& value) {
    bool said = false;
    return value.get_bool().get(said) == simdjson::SUCCESS && events_.boolean(said);
  }
  bool string(ondemand::value& value) {
    std::string_view said;
    if (value.get_string().get(said) != simdjson::SUCCESS) return false;
    text_ = said;
    return events_.string(text_);
  }

  JsonText::Events& events_;
  const char*& at_;
  std::string text_;
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
