// A job that starts the same command on several hosts without MPI: a Slurm step (srun) or an
// indexed Kubernetes Job. Its first process coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ranks/mpi_meeting.h"

namespace drover::ranks {

struct JobPlace {
  std::size_t index = 0;            // of this process
  std::optional<std::size_t> size;  // tasks of a Slurm step; unknown in an indexed Job
  std::string coordinator;          // of a Slurm step: HOST:PORT, by its first node and its number
};

// Returns the position of this process, from the variables that srun or Kubernetes set. Returns
// nothing for a process that is alone in its step.
std::optional<JobPlace> place_in_job(const Variables& variables = variable_of_process);

// Returns the first host of a Slurm node list: for "rack[1-2]-n[07,09-12],gpu3" "rack1-n07".
std::string first_node(std::string_view nodes);

}  // namespace drover::ranks
