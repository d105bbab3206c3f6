// `damocles merge`: several stores of rows become one.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/commands/command_rows.hpp"
#include "experiments/message.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/store.hpp"
#include "experiments/results/stored_rows.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// A store that was made for a merge that failed is not left behind.
void remove_without_studies(const std::filesystem::path& store) {
  if (ResultStore(store, ResultStore::Use::read).studies().empty()) {
    std::filesystem::remove(store);
  }
}

}  // namespace

std::string merge_answer(const MergeOptions& options) {
  if (options.files.empty()) throw InvalidInput("merge what? give stores, as part1.db part2.db");
  if (options.store.empty()) throw InvalidInput("name the store of all rows: --store all.db");
  check_store_name(options.store);
  std::vector<std::filesystem::path> others;
  std::vector<RoleOfFile> inputs;
  for (const std::string& file : options.files) {
    others.emplace_back(file);
    inputs.push_back({"store to merge", file});
    (void)ResultStore(file, ResultStore::Use::read);  // refuses before anything is written
  }
  check_outputs({{"--store", options.store}}, inputs);
  const bool is_new = !std::filesystem::exists(options.store);
  std::uint64_t made = 0;
  std::size_t studies = 0;
  std::uint64_t rows = 0;
  try {
    ResultStore store(options.store, ResultStore::Use::write);
    made = store.merge(others);
    for (const StoredStudy& study : store.studies()) {
      ++studies;
      rows += study.rows;
    }
    for (const MissingRows& missing : store.missing_rows()) {
      note("note: " + missing.text(options.store));
    }
  } catch (...) {
    if (is_new) remove_without_studies(options.store);
    throw;
  }
  return fmt::format("{} of {} in {}: {} kept, {} new", counted(rows, "row"),
                     studies == 1 ? "1 study" : fmt::format("{} studies", studies), options.store,
                     rows - made, made);
}

namespace {

void set_up_merge(Command command) {
  const auto options = std::make_shared<MergeOptions>();
  command.optional_arguments("FILE.db", options->files,
                             "stores of rows, as `damocles sweep --shard` writes them");
  command.option("--store", options->store, "FILE.db",
                 "the store of all rows; it may exist and have some of them");
  command.footer(
      "EXAMPLES\n"
      "  damocles merge part1.db part2.db --store study.db\n"
      "  damocles merge part*.db --store study.db\n");
  command.runs([options] { fmt::print("{}\n", merge_answer(*options)); });
}

const Register merge_command{CommandEntry{
    .name = "merge",
    .place = 103,
    .description =
        "Make one store of several, as of the shards of a sweep. Rows get the order of the whole "
        "sweep, whichever store is named first, and none is there twice. "
        "Stores that have different values in one row are refused.",
    .set_up = set_up_merge}};

}  // namespace
}  // namespace damocles
