// The meeting of the ranks that MPI has started (mpirun, srun, an operator of Kubernetes): who each is, how many there
// are, and a text of each for all. After that MPI is left: in a run it would wait for ever for a rank that is lost.
//
//   if (started_by_mpi()) {
//     MpiMeeting meeting;
//     std::vector<std::string> hosts = meeting.exchange(host_and_version);      // by rank
//     std::string addresses = meeting.exchange(meeting.rank() == 0 ? mine : "").front();
//     meeting.end();
//   }
//
// The part that talks MPI is libdrover_mpi.so (mpi/mpi_part.h), loaded only here, and never unloaded. Once a process,
// before it has other threads. Each step waits for the same step of all ranks. So whoever finds something wrong gives
// that to the others as its text: if it ended instead, they would wait until mpirun ends them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace drover::ranks {

// A sentence that says what is missing, or MPI's own words.
class MpiError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// As std::getenv: the variable's value, or null.
using Variables = std::function<const char*(const char* name)>;
const char* variable_of_process(const char* name);

// Returns true if MPI has started this process as one of several: by mpirun, srun --mpi=pmix, or
// another program that speaks PMI. A step of srun without PMIx is a job (job.h).
bool started_by_mpi(const Variables& variables = variable_of_process);

// Return the number of ranks and the rank of this process, by these variables; nothing if they are
// not set.
std::optional<int> ranks_by_variables(const Variables& variables = variable_of_process);
std::optional<int> rank_by_variables(const Variables& variables = variable_of_process);

// Where libdrover_mpi.so is looked for, in this order; the last is a name for the system's own search.
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

  // What each rank gives, by rank. Any bytes.
  std::vector<std::string> exchange(const std::string& mine);

  // The end of MPI in this process.
  void end();

 private:
  void* library_ = nullptr;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace drover::ranks
