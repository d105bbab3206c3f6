#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph_files/graph_text.hpp"

namespace damocles {

/// The records of a file of GNU recutils, as StarPU writes and reads them: fields `Key: value`, an
/// empty line between records. Lines that begin with # or % are comments. Of the fields only those
/// of known keys are kept; no record has one of these twice.
class RecRecords {
 public:
  /// `file` is what errors call it. Keys are then meant by their place; they outlive it.
  RecRecords(std::istream& in, const std::string& file, std::span<const std::string_view> keys)
      : lines_(in, file), keys_(keys), fields_(keys.size()) {}

  /// Goes to the next record; false after the last. @throws InvalidInput on a line that is no field
  bool next();
  /// Where the record begins.
  [[nodiscard]] std::size_t line() const { return begin_; }
  [[nodiscard]] const std::string& file() const { return lines_.name(); }

  [[nodiscard]] bool has(std::size_t key) const { return fields_[key].line != 0; }
  /// All that stands behind the colon; "" where the record has no such field.
  [[nodiscard]] std::string_view text(std::size_t key) const { return fields_[key].text; }
  /// The same without blanks around it.
  [[nodiscard]] std::string_view value(std::size_t key) const;
  /// Where the field stands; 0 where the record has none.
  [[nodiscard]] std::size_t line_of(std::size_t key) const { return fields_[key].line; }
  /// Its value as a whole number, or as any, where the record has the field. @throws InvalidInput
  /// where it is none
  [[nodiscard]] std::optional<std::uint64_t> whole(std::size_t key) const;
  [[nodiscard]] std::optional<double> number(std::size_t key) const;

  /// "file 'x.rec', line 7: Key why".
  [[noreturn]] void refuse(std::size_t key, std::string_view why) const;
  [[noreturn]] void refuse_at(std::size_t line, std::string_view why) const {
    lines_.refuse_at(line, why);
  }

 private:
  struct Field {
    std::string text{};
    std::size_t line = 0;
  };

  void read_field();

  TextLines lines_;
  std::span<const std::string_view> keys_;
  std::vector<Field> fields_;
  std::size_t begin_ = 0;
};

/// `text` without blanks around it.
[[nodiscard]] std::string_view without_blanks(std::string_view text);

/// The numbers under which the tasks of StarPU's tasks.rec were submitted (SubmitOrder), ascending:
/// that of task k of read_tasks_rec() in place k; 0 where the file does not say. Calls of
/// starpu_data_wont_use() count, but are no tasks. `name` is what errors call the file.
[[nodiscard]] std::vector<std::uint64_t> read_submit_orders(std::istream& in,
                                                            const std::string& name);

}  // namespace damocles
