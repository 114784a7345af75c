// `drover lab` and its experiments, a file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace drover::cli {

void add_lab_queues(CLI::App& lab, std::function<int()>& chosen);
void add_lab_scheduler(CLI::App& lab, std::function<int()>& chosen);
void add_lab_steps(CLI::App& lab, std::function<int()>& chosen);
void add_lab_switch(CLI::App& lab, std::function<int()>& chosen);
void add_lab_terminals(CLI::App& lab, std::function<int()>& chosen);

}  // namespace drover::cli
