// The command `measured`, of the module papers.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/measured/comparison.hpp"
#include "experiments/measured/page.hpp"
#include "experiments/measured/peer.hpp"
#include "experiments/measured/peer_programs.hpp"
#include "experiments/measured/views.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

struct MeasuredOptions {
  CommonOptions common;
  std::string figure = "all";
  std::string sessions = "published";
  std::string gpus = "all";
  std::string strategies = "all";
  bool markdown = false;
  bool peer = false;
};

/// The value of one field that is asked for, refused where no measurement has it.
class Filter {
 public:
  Filter(std::string what, std::string wanted)
      : what_(std::move(what)), wanted_(std::move(wanted)) {}

  bool passes(const std::string& value) {
    const bool is_new = std::find(seen_.begin(), seen_.end(), value) == seen_.end();
    if (is_new && !value.empty()) seen_.push_back(value);  // a study is of no figure
    return wanted_ == "all" || wanted_ == value;
  }
  /// @throws InvalidInput where nothing passed and nothing could
  void check() const {
    if (wanted_ == "all") return;
    if (std::find(seen_.begin(), seen_.end(), wanted_) == seen_.end()) {
      refuse_unknown(what_, wanted_, seen_);
    }
  }

 private:
  std::string what_;
  std::string wanted_;
  std::vector<std::string> seen_;
};

/// The names of a list, split at commas.
std::vector<std::string> parts_of_list(const std::string& list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const auto end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::vector<const Measurement*> chosen(const MeasuredOptions& options) {
  Filter session("session", options.sessions);
  Filter figure("figure of the measurements", options.figure);
  Filter gpus("number of GPUs measured:", options.gpus);
  std::vector<Filter> strategies;
  for (const auto& name : parts_of_list(options.strategies)) {
    strategies.emplace_back("strategy of the measurements", name);
  }
  std::vector<const Measurement*> points;
  for (const auto& point : measurements()) {
    // Each is asked, so that each knows what there is.
    const bool of_session = session.passes(point.run);
    const bool of_figure = figure.passes(point.figure);
    const bool of_gpus = gpus.passes(std::to_string(point.gpus));
    bool of_strategy = false;
    for (auto& strategy : strategies) of_strategy |= strategy.passes(point.strategy);
    if (of_session && of_figure && of_gpus && of_strategy) points.push_back(&point);
  }
  for (const auto* filter : {&session, &figure, &gpus}) filter->check();
  for (const auto& strategy : strategies) strategy.check();
  if (points.empty()) {
    throw InvalidInput(
        "no measurement matches all filters; leave out --gpus or --strategies, or add --sessions all");
  }
  return points;
}

/// The command that writes this page again.
std::string command_words(const MeasuredOptions& options) {
  std::string text = "damocles measured";
  const auto add = [&](const char* option, const std::string& value, const char* usual) {
    if (value != usual) text += fmt::format(" {}{}", option, value);
  };
  add("", options.figure, "all");
  add("--sessions ", options.sessions, "published");
  add("--gpus ", options.gpus, "all");
  add("--strategies ", options.strategies, "all");
  add("--replicates ", options.common.replicates, "10");
  add("--seed ", options.common.seed, "1");
  return text + " --markdown" +
         (options.common.output.empty() ? "" : " -o " + options.common.output);
}

/// Of the tables, where no page of Markdown is asked for.
Format format_of(const MeasuredOptions& options) {
  if (!options.markdown) return options.common.chosen_format();
  if (!options.common.format.empty()) {
    throw InvalidInput("--markdown is a format of its own; leave out --format");
  }
  check_ending("-o", options.common.output, {".md", ".txt"});
  return Format::table;
}

std::string answer_about_peer(const MeasuredOptions& options, const ComparisonRuns& runs) {
  if (options.figure != "all" || options.sessions != "published" || options.gpus != "all" ||
      options.strategies != "all" || options.common.summary) {
    throw InvalidInput(
        "--peer is one table; leave out FIGURE, --sessions, --gpus, --strategies and --summary");
  }
  const Format format = format_of(options);
  const TableStyle style = style_for(options.common.output);
  std::vector<PeerPoint> points = peer_points();
  points.insert(points.end(), peer_programs().begin(), peer_programs().end());
  const auto compared = compare_with_peer(points, runs.runs, runs.seed, runs.threads);
  return options.markdown ? peer_markdown(compared) : peer_view(compared, format, style);
}

std::string answer_about_points(const MeasuredOptions& options) {
  ComparisonRuns runs;
  runs.runs = parse_integer_option("--replicates", options.common.replicates, 1, 1000);
  runs.seed = parse_integer_option("--seed", options.common.seed, 0,
                                   std::numeric_limits<std::uint64_t>::max());
  runs.threads = options.common.threads();
  if (options.peer) return answer_about_peer(options, runs);
  const Format format = format_of(options);
  const TableStyle style = style_for(options.common.output);
  const auto compared =
      compare_with_measured(chosen(options), runs, terminal_progress(options.common.quiet));
  if (options.markdown) return measured_page(compared, command_words(options));
  const auto groups = grouped(compared);
  if (format != Format::table) {
    return options.common.summary ? groups_view(groups, format, style)
                                  : points_view(compared, format, style);
  }
  const auto points = options.common.summary ? "" : points_view(compared, format, style) + "\n";
  return points + groups_view(groups, format, style);
}

/// Which points are asked for.
void add_filters(Command command, MeasuredOptions& options) {
  command.optional_argument(
      "FIGURE", options.figure,
      "an id of `damocles list claims` that was measured, as ipdps22.fig3-4 (default: all)");
  command.option(
      "--sessions", options.sessions, "NAME",
      "published (the runs whose averages the paper prints), another session by its name, or all (default published)");
  command.option("--gpus", options.gpus, "K", "only runs on K GPUs (default all)");
  command.option(
      "--strategies,--strategy", options.strategies, "LIST",
      "all, or a comma-separated list of the authors' names, as EAGER,DARTS+LUF (default all)");
}

}  // namespace

extern "C" void damocles_set_up_measured(Command& command) {
  const auto options = std::make_shared<MeasuredOptions>();
  add_filters(command, *options);
  options->common.add_runs(command);
  command.option("--seed", options->common.seed, "N", "seed of all random numbers (default 1)");
  options->common.add_output(command);
  command.flag(
      "--markdown", options->markdown,
      "the whole page docs/explanation/measured.md: deviations, causes, how each is simulated");
  command.flag(
      "--peer", options->peer,
      "compare with StarPU on SimGrid instead; with --markdown, the table of docs/explanation/peers.md");
  command.describe("--summary",
                   "only the table of deviations, in CSV and JSON too: a row for each figure, "
                   "strategy and number of GPUs");
  command.footer(
      "EXAMPLES\n"
      "  damocles measured\n"
      "  damocles measured ipdps22.fig3-4 --strategies DARTS+LUF\n"
      "  damocles measured --sessions all --summary --gpus 1\n"
      "  damocles measured --sessions all --markdown -o docs/explanation/measured.md\n"
      "  damocles measured --peer\n");
  command.runs([options] {
    check_writable(options->common.output);
    write_output(options->common.output, answer_about_points(*options));
  });
}

}  // namespace damocles
