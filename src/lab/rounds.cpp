#include "lab/rounds.h"

#include <utility>

#include "lab/apart.h"

namespace drover::lab {

void measure_rounds(Experiment& experiment, std::vector<Measurement> measurements,
                    std::size_t rounds, const OnMeasured& on_measured,
                    const std::function<bool()>& interrupted) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Measurement& one : measurements) {
      if (interrupted()) break;
      if (!one.cell.note.empty()) continue;
      std::vector<double> figures;
      try {
        figures = measured_apart(one.measure);
        one.cell.rounds.push_back(figures);
      } catch (const MeasurementFailed& error) {
        if (interrupted()) break;  // the interrupt ended its process, too
        one.cell.note = error.what();
      }
      on_measured(one.cell, round, figures);
    }
  }
  for (Measurement& one : measurements) experiment.cells.push_back(std::move(one.cell));
}

}  // namespace drover::lab
