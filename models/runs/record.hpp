#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/runs/status.hpp"

namespace damocles {

/// One tidy row: predicted, simulated and executed results share these columns. Absent values are
/// empty in CSV and null in JSON, never 0.
struct Record {
  using Text = std::string;
  using Count = std::optional<std::uint64_t>;
  using Real = std::optional<double>;

  Text source;    ///< predicted | simulated | executed
  Text model;     ///< of a prediction
  Text strategy;  ///< name and options, as asked for
  Text eviction;  ///< policy, where memory is limited
  Text workload;
  Text platform;
  Count processors;
  Count tasks;
  Count data;  ///< distinct data of the workload
  Count seed;
  Count replicate;
  Real beta;   ///< threshold of dynamic-2phases: phase 2 starts with e^-beta of the tasks open
  Real loads;  ///< data sent to processors, counted where they move
  Real bytes_loaded;
  Real lower_bound;     ///< on the loads of any schedule there
  Real balanced_bound;  ///< on those of schedules in perfect balance, where memory is unlimited
  Real heterogeneity;   ///< of the speeds, where they differ (models/platforms/heterogeneity.hpp)
  Real volume_ratio;    ///< loads / balanced_bound, or loads / lower_bound where there is none
  Real makespan_s;
  Real makespan_lower_bound_s;  ///< of any schedule there, where memory is limited
  Real makespan_ratio;          ///< makespan_s / makespan_lower_bound_s
  Real flops;
  Real gflops;
  Count evictions;      ///< of data items from memories, to make room
  Count invalidations;  ///< of copies: by writes elsewhere, or as temporary data are over
  Count loads_first;    ///< these three causes add up to the loads of a run
  Count loads_after_eviction;
  Count loads_after_invalidation;
  Count loads_from_peers;   ///< of the loads, those from another processor
  Count bytes_written;      ///< that came to host memory
  Real energy_j;            ///< of all processors, where the platform says what they draw
  Real planned_makespan_s;  ///< of a static schedule, before anything ran
  Real busy_fraction;       ///< computing time over processors times makespan
  Real scheduling_s;        ///< wall time inside the strategy, where it was measured
  Status status;            ///< ok, or why there is no result
  Count n;                  ///< rows a summary stands for
  Real mean;                ///< of volume_ratio over them
  Real sd;              ///< of volume_ratio; for a prediction, the predicted one of a single run
  Real ci95;            ///< half-width of the 95 % confidence interval of the mean
  Text kernel_times;    ///< whose kernels were measured, joined by plus; "": others, or by flops
  Text domain;          ///< of a prediction: inside, or how it lies outside, the validated domain
  Real expected_error;  ///< of a prediction inside: nine of ten are nearer, relative
  Text inputs;          ///< what the row depends on that no other column says: contents of files
  Text version;         ///< of the program that made the row, and of its sources
};

/// Who writes a column: everybody; where any row has a summary; where any row has a value of this
/// column; files that are added to later.
enum class Group { row, summary, if_any, origin };

/// A column: its name, its place in Record, what it means, and who writes it.
struct Column {
  std::string_view name;
  std::variant<Record::Text Record::*, Record::Count Record::*, Record::Real Record::*,
               Status Record::*>
      member;
  Group group;
};

/// All columns in the order in which they are written.
[[nodiscard]] const std::vector<Column>& columns();

/// A number that is not finite is no result: it becomes absent, and a status of ok says which one
/// it was. Every row passes here before it leaves the program.
void refuse_infinite(Record& record);

/// The value as text, "" where absent or not finite; numbers in the shortest form that reads back
/// the same.
[[nodiscard]] std::string cell(const Record& record, const Column& column);
/// Sets the value from that text. @throws InvalidInput if it is not of the column's type
void set_cell(Record& record, const Column& column, std::string_view text);

}  // namespace damocles
