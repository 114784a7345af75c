// The results of an experiment of the lab, and the table, JSON document and page made from them.
//
// An experiment measures figures (tasks per second) of subjects (a coroutine, a thread) at settings
// of its factors (the number of terminals). A cell is one subject at one setting. Each round
// measures all cells one after the other, so that a drift of the machine affects all cells alike.
//
// Plain values without a lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/process.h"

namespace drover::lab {

// ---- Enumerations whose values have names, on the command line and in documents

// The names in the order of the values, which count from 0. Specialised beside each enumeration.
template <class Kind>
inline constexpr std::array<std::string_view, 0> names{};

template <class Kind>
constexpr std::size_t index_of(Kind kind) {
  return static_cast<std::size_t>(kind);
}

template <class Kind>
constexpr std::string_view name_of(Kind kind) {
  return names<Kind>.at(index_of(kind));
}

// Returns all values in order.
template <class Kind>
constexpr auto all_of() {
  std::array<Kind, names<Kind>.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Kind>(i);
  return all;
}

// Returns nullopt if no value has this name.
template <class Kind>
constexpr std::optional<Kind> named(std::string_view name) {
  for (const Kind kind : all_of<Kind>()) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

// ---- Results

// Incremented when a field of the JSON document changes its meaning or is removed.
inline constexpr int experiment_schema_version = 1;

// A figure that each round of a cell measures.
struct Figure {
  std::string name;   // in JSON: "tasks_per_cpu_second"
  std::string title;  // heading of a column: "tasks/CPU s"
  std::string unit;   // "1/s", "ns", "bytes"
};

// A quantity that the experiment varies.
struct Factor {
  std::string name;   // in JSON: "terminals"
  std::string title;  // heading of a column
};

// The setting of a subject that does not have the factor: a thread has no workers.
inline constexpr std::int64_t no_setting = -1;

// The value of a figure that was not measured.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

struct Cell {
  std::string subject;                           // "coroutine", "thread"
  std::vector<std::int64_t> settings;            // a value for each factor, or no_setting
  std::vector<std::vector<double>> rounds = {};  // a value for each figure, or not_measured
  std::string note = {};  // the reason why the cell was not measured, or not to the end
};

// A picture of one figure: a curve for each subject over the first factor, or a map of one subject
// over the first two factors.
struct Picture {
  std::string title;
  std::size_t figure = 0;
  bool logarithmic = false;  // the vertical axis of curves
  std::string subject = {};  // subject of a map; empty: curves
};

// A published result of another program about the same question.
struct Published {
  std::string source;  // "eivanov89/toys, 120 threads of 128 cores"
  std::string text;
};

struct Experiment {
  std::string name;                 // "terminals"
  std::string question;             // one or two sentences
  std::vector<std::string> method;  // sentences
  std::string command;              // command line that repeats the experiment
  std::string started_at;           // UTC, ISO 8601
  std::string tool;                 // version, commit, compiler, build type
  measure::Host host;
  double round_seconds = 0;  // time of a cell in a round; 0: until its work is done
  std::vector<Factor> factors;
  std::vector<Figure> figures;
  std::vector<Cell> cells;
  std::vector<Picture> pictures;
  std::vector<Published> published;
  std::vector<std::string> findings;  // conclusions from the figures, one sentence each
  bool interrupted = false;           // the user ended the experiment before its last round
};

// The median of the rounds, with the lowest and the highest round.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
  std::size_t rounds = 0;
};

// Returns the spread over the rounds that measured the figure, or nullopt if none did.
std::optional<Spread> spread_of(const Cell& cell, std::size_t figure);

// Returns the cell with the highest median of the figure among the cells that `among` accepts, or
// nullptr if no median is above 0.
template <class Among>
const Cell* highest(const Experiment& experiment, std::size_t figure, Among among) {
  const Cell* best = nullptr;
  double best_value = 0;
  for (const Cell& cell : experiment.cells) {
    const auto spread = among(cell) ? spread_of(cell, figure) : std::nullopt;
    if (!spread || spread->median <= best_value) continue;
    best = &cell;
    best_value = spread->median;
  }
  return best;
}

inline constexpr std::string_view interrupted_sentence =
    "INTERRUPTED: fewer rounds were measured than requested.";

// Returns true if a cell was measured more than once.
bool has_spread(const Experiment& experiment);

// Returns at most four digits, so that columns stay narrow: "1.23M", "956", "12.5k".
std::string short_number(double value);

// Returns the median and, with two rounds and more, half the range of the rounds in percent of the
// median: "1.23M ±4%".
std::string spread_text(const Spread& spread);

// Returns the title of a figure with its unit, unless the title already contains the unit: "timer
// lag p99, µs", "tasks/s".
std::string title_with_unit(const Figure& figure);

// Returns a row of a table: the subject, the settings ("-" for no_setting) and the figures of a
// cell, with `missing` for each figure that was not measured.
std::vector<std::string> row_of(const Experiment& experiment, const Cell& cell,
                                const char* missing);

// Returns the subject and the settings: "thread 4096".
std::string cell_name(const Cell& cell);

// Returns the table for a terminal, with one line per cell.
std::string experiment_text(const Experiment& experiment);

// Returns the document that docs/lab.schema.json describes.
std::string experiment_json(const Experiment& experiment);

// Returns an HTML page with charts.
std::string experiment_html(const Experiment& experiment);

}  // namespace drover::lab
