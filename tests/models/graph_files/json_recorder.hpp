#pragma once

// Writes down what the two readers of JSON tell, so that tests can compare them.

#include <fmt/format.h>

#include <sstream>
#include <string>

#include "models/graph_files/json_events.hpp"

namespace damocles {

/// The events of a text, one a line, each with the line that it was told at.
class JsonRecorder : public JsonText::Events {
 public:
  explicit JsonRecorder(const JsonText& text) : text_(text) {}

  bool null() override { return note("null"); }
  bool boolean(bool value) override { return note(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return note("integer", value); }
  bool number_unsigned(number_unsigned_t value) override { return note("unsigned", value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return note("float", fmt::format("{} {}", value, text));
  }
  bool text(std::string_view value) override { return note("string", value); }
  bool binary(binary_t& /*value*/) override { return note("binary"); }
  bool start_object(std::size_t /*size*/) override { return note("{"); }
  bool name(std::string_view value) override { return note("key", value); }
  bool end_object() override { return note("}", "", false); }
  bool start_array(std::size_t /*size*/) override { return note("["); }
  bool end_array() override { return note("]", "", false); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    refused_ = true;
    return false;
  }

  [[nodiscard]] const std::string& told() const { return told_; }
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  template <typename Value = const char*>
  bool note(const char* what, const Value& value = "", bool with_line = true) {
    told_ += fmt::format("{} {} {}\n", with_line ? text_.line() : 0, what, value);
    return true;
  }

  const JsonText& text_;
  std::string told_;
  bool refused_ = false;
};

/// Whether simdjson tells what nlohmann-json does, or refuses the text.
inline bool readers_agree(const std::string& json) {
  std::istringstream in(json);
  JsonText text(in);
  JsonRecorder fast(text);
  if (!text.tell_fast(fast)) return true;  // then nlohmann-json alone is asked
  JsonRecorder slow(text);
  text.tell(slow);
  return !slow.refused() && fast.told() == slow.told();
}

}  // namespace damocles
