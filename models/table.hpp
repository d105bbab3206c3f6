#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/error.hpp"

namespace damocles {

/// All there is of one kind: strategies, evictions, workload families, commands, claims, ...
///
/// An `Entry` has a `name`, and its type says what errors call it:
/// `static constexpr const char* what = "strategy"`. If `damocles list` shows the entries, the type
/// names their list: `static constexpr const char* list = "strategies"`. It may have a `place`, a
/// number; entries come in the order of their places, equal ones by name, whatever the order in
/// which files are linked.
template <typename Entry>
class Table {
 public:
  [[nodiscard]] static const std::vector<Entry>& entries() { return all(); }

  [[nodiscard]] static std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const Entry& entry : all()) result.push_back(entry.name);
    return result;
  }

  /// The entry of this name, or nothing.
  [[nodiscard]] static const Entry* find(std::string_view name) {
    const auto at = std::find_if(all().begin(), all().end(),
                                 [&](const Entry& entry) { return entry.name == name; });
    return at == all().end() ? nullptr : &*at;
  }

  /// @throws InvalidInput on an unknown name
  [[nodiscard]] static const Entry& named(std::string_view name) {
    if (const Entry* const entry = find(name)) return *entry;
    refuse(name);
  }

  /// Refuses an unknown name, with the nearest one and the others or the command that lists them.
  /// @throws InvalidInput always
  [[noreturn]] static void refuse(std::string_view name) {
    if constexpr (requires { Entry::list; }) {
      refuse_unknown(Entry::what, name, names(), command_to_list(Entry::list));
    } else {
      refuse_unknown(Entry::what, name, names());
    }
  }

  /// @throws std::logic_error where the name is taken
  static void add(Entry entry) {
    if (find(entry.name) != nullptr) {
      throw std::logic_error(std::string(Entry::what) + " '" + entry.name + "' is there twice");
    }
    const auto at = std::upper_bound(all().begin(), all().end(), entry, comes_before);
    all().insert(at, std::move(entry));
  }

  /// Adds the entry, in the place of the one of its name if there is one: for what is defined while
  /// the program runs. Pointers to entries are invalid then.
  static void put(Entry entry) {
    std::erase_if(all(), [&](const Entry& other) { return other.name == entry.name; });
    add(std::move(entry));
  }

 private:
  // In a function, as files register before main() in no order that is known.
  static std::vector<Entry>& all() {
    static std::vector<Entry> entries;
    return entries;
  }

  static bool comes_before(const Entry& a, const Entry& b) {
    if constexpr (requires { a.place; }) {
      if (a.place != b.place) return a.place < b.place;
    }
    return a.name < b.name;
  }
};

/// An entry of a plug-in, which waits until all its entries are known: they are added together or
/// not at all.
struct WaitingEntry {
  std::string what;  ///< "strategy"
  std::string name;
  std::function<bool()> is_taken;
  std::function<void()> add;
};

/// Where Register leaves entries while a plug-in is loaded; else nowhere, and they are added at
/// once. Nothing may be thrown from within dlopen().
inline std::vector<WaitingEntry>*& waiting_entries() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of one thread, as dlopen()
  static std::vector<WaitingEntry>* entries = nullptr;
  return entries;
}

/// Publishes entries, each below its own code in its own file:
/// `const Register lru_entry{EvictionEntry{.name = "lru", ...}};`
struct Register {
  template <typename... Entry>
  explicit Register(Entry... entry) {
    (publish(std::move(entry)), ...);
  }

 private:
  template <typename Entry>
  static void publish(Entry entry) {
    auto* const waiting = waiting_entries();
    if (waiting == nullptr) return Table<Entry>::add(std::move(entry));
    const std::string name = entry.name;
    waiting->push_back({Entry::what, name, [name] { return Table<Entry>::find(name) != nullptr; },
                        [entry = std::move(entry)] { Table<Entry>::add(entry); }});
  }
};

}  // namespace damocles
