// The sections of a run's page. Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

// run_charts.cpp. `id` begins the ids of the section and of its chart.
Section time_section(const Result& result, const std::string& id);
Section latency_section(const Result& result, const std::string& id);

// The charts of several results over each other, with a switch and a curve for each result.
Section overlay_section(const std::vector<NamedResult>& results);

// run_sections.cpp: all sections below the charts.
Blocks detail_sections(const Result& result, const std::string& id);

}  // namespace drover::report
