// MpiMeeting: exchanges a text between the processes that MPI started (mpirun, srun, a Kubernetes
// operator), before a run. Then MPI is not used any more, because it would wait forever for a lost
// rank during the run.
//
//   if (started_by_mpi()) {
//     MpiMeeting meeting;
//     std::vector<std::string> hosts = meeting.exchange(host_and_version);      // by rank
//     std::string addresses = meeting.exchange(meeting.rank() == 0 ? mine : "").front();
//     meeting.end();
//   }
//
// libdrover_mpi.so (mpi/mpi_part.h) contains the MPI calls. It is loaded only here, and never
// unloaded. To be used once in a process, before it has other threads. Each step waits for the same
// step of all ranks. A rank that finds an error must therefore send it as its text instead of
// ending.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace drover::ranks {

// The message says what is missing, or is MPI's own message.
class MpiError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the value of an environment variable, or null, as std::getenv does.
using Variables = std::function<const char*(const char* name)>;
const char* variable_of_process(const char* name);

// Returns true if MPI has started this process as one of several: by mpirun, srun --mpi=pmix, or
// another program that speaks PMI. A step of srun without PMIx is a job (job.h).
bool started_by_mpi(const Variables& variables = variable_of_process);

// Return the number of ranks and the rank of this process, by these variables; nothing if they are
// not set.
std::optional<int> ranks_by_variables(const Variables& variables = variable_of_process);
std::optional<int> rank_by_variables(const Variables& variables = variable_of_process);

// Returns the places where libdrover_mpi.so is looked for, in this order. The last one is a bare
// name, for the search of the system.
std::vector<std::string> mpi_library_places(const std::filesystem::path& executable);

class MpiMeeting {
 public:
  // Meets all other ranks. Throws MpiError if libdrover_mpi.so or MPI is missing, or if MPI reports
  // another number of ranks than were started.
  MpiMeeting();
  MpiMeeting(const MpiMeeting&) = delete;
  MpiMeeting& operator=(const MpiMeeting&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Returns the texts of all ranks, by rank. A text may contain any bytes.
  std::vector<std::string> exchange(const std::string& mine);

  // Ends MPI in this process.
  void end();

 private:
  void* library_ = nullptr;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace drover::ranks
