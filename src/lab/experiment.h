// Experiment: what an experiment of the lab measured, and all that its table, its JSON document and
// its page say of it.
//
// An experiment measures figures (tasks a second) of subjects (a coroutine, a thread) at settings
// of its factors (the number of terminals), each in several rounds. A cell is one subject at one
// setting. Rounds are the outer loop and cells the inner one: what drifts on the machine drifts for
// all of them alike, and what is compared was measured side by side.
//
// Plain values, free to copy; no thread safety of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/names.h"
#include "measure/host.h"

namespace drover::lab {

// Raised when a field of the JSON document changes its meaning or goes away.
inline constexpr int experiment_schema_version = 1;

// What is measured in each round of a cell.
struct Figure {
  std::string name;   // in JSON: "tasks_per_cpu_second"
  std::string title;  // over a column: "tasks / CPU s"
  std::string unit;   // "1/s", "ns", "bytes"
};

// What is varied.
struct Factor {
  std::string name;   // in JSON: "terminals"
  std::string title;  // over a column
};

// In place of a setting where the subject does not have the factor: a thread has no workers.
inline constexpr std::int64_t no_setting = -1;

// In place of a figure.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

struct Cell {
  std::string subject;                           // "coroutine", "thread"
  std::vector<std::int64_t> settings;            // a value for each factor, or no_setting
  std::vector<std::vector<double>> rounds = {};  // a value for each figure, or not_measured
  std::string note = {};                         // why it stopped, or was not measured at all
};

// A picture of one figure: a curve for each subject over the first factor, or a map of the first
// factor and the second.
struct Picture {
  std::string title;
  std::size_t figure = 0;
  bool logarithmic = false;  // the vertical axis of curves
  std::string subject = {};  // of a map: whose figure; empty: curves
};

// What somebody else published of the same question.
struct Published {
  std::string source;  // "eivanov89/toys, 120 threads of 128 cores"
  std::string text;
};

struct Experiment {
  std::string name;                 // "terminals"
  std::string question;             // what it answers, in a sentence or two
  std::vector<std::string> method;  // how, a sentence each
  std::string command;              // that makes it again
  std::string started_at;           // UTC, ISO 8601
  std::string tool;                 // version, commit, compiler, build type
  measure::Host host;
  double round_seconds = 0;  // how long a cell is measured in a round; 0: as long as its work takes
  std::vector<Factor> factors;
  std::vector<Figure> figures;
  std::vector<Cell> cells;
  std::vector<Picture> pictures;
  std::vector<Published> published;
  std::vector<std::string> findings;  // what it comes to, a sentence each, made of the figures
  bool interrupted = false;           // by the user: there are fewer rounds than were asked for
};

// The median of the rounds, and what they spread over.
struct Spread {
  double median = 0;
  double low = 0;   // the lowest round
  double high = 0;  // the highest
  std::size_t rounds = 0;
};

// Over the rounds in which the figure was measured; nothing if it was in none.
std::optional<Spread> spread_of(const Cell& cell, std::size_t figure);

// The cell whose figure has the highest median, of those that `among` takes; nullptr if there is
// none above 0.
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

// Whether a cell was measured more than once.
bool has_spread(const Experiment& experiment);

// "1.23M", "956", "12.5k": four characters of figures, so that columns stay narrow.
std::string short_number(double value);

// "1.23M ±4%": half of what the rounds spread over, of the median; only with two rounds and more.
std::string spread_text(const Spread& spread);

// Returns the title of a figure with its unit, unless the title already contains the unit: "timer
// lag p99, µs", "tasks/s".
std::string title_with_unit(const Figure& figure);

// A cell's line of a table: subject, settings (a dash in place of no_setting), and figures, with
// `missing` in place of those that were not measured.
std::vector<std::string> row_of(const Experiment& experiment, const Cell& cell,
                                const char* missing);

// "thread 4096": which cell it is.
std::string cell_name(const Cell& cell);

// The table for a terminal: a line a cell, medians with their spread.
std::string experiment_text(const Experiment& experiment);

// The document that docs/lab.schema.json describes.
std::string experiment_json(const Experiment& experiment);

// A page of its own, with charts.
std::string experiment_html(const Experiment& experiment);

}  // namespace drover::lab
