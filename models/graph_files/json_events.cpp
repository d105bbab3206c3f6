// Reads JSON texts by nlohmann-json, and counts lines where somebody asks for one.

#include "models/graph_files/json_events.hpp"

#include <algorithm>
#include <new>
#include <string_view>

#include "models/graph_files/graph_text.hpp"

namespace damocles {

JsonText::JsonText(std::istream& in) {
  constexpr std::size_t first_piece = std::size_t{1} << 16U;
  for (std::size_t piece = first_piece;; piece = end_) {
    // NOLINTNEXTLINE(*-no-malloc,*-owning-memory): bytes_ owns it, in the next lines
    auto* const larger = static_cast<char*>(std::realloc(bytes_.get(), end_ + piece + room_behind));
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(bytes_.release());
    bytes_.reset(larger);
    const auto got = static_cast<std::size_t>(
        in.rdbuf()->sgetn(larger + end_, static_cast<std::streamsize>(piece)));
    end_ += got;
    if (got < piece) break;
  }
  std::fill_n(bytes_.get() + end_, room_behind, '\0');
  if (std::string_view(begin(), end_).starts_with(utf8_mark)) begin_ = utf8_mark.size();
  at_ = begin();
}

std::size_t JsonText::line_of(std::size_t place) const {
  return 1 + static_cast<std::size_t>(std::count(begin(), std::min(begin() + place, end()), '\n'));
}

/// An iterator over the text that notes the character read last. A number ends only when the next
/// character is seen: where that is the line's end, it still counts to the line.
class JsonText::Cursor {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  Cursor(const char* next, const char*& last) : next_(next), last_(&last) {}
  reference operator*() const { return *next_; }
  Cursor& operator++() {
    *last_ = next_++;
    return *this;
  }
  bool operator==(const Cursor& other) const { return next_ == other.next_; }

 private:
  const char* next_;
  const char** last_;
};

void JsonText::tell(Events& events) {
  at_ = begin();
  nlohmann::json::sax_parse(Cursor(begin(), at_), Cursor(end(), at_), &events);
}

}  // namespace damocles
