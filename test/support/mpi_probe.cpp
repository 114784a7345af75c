// A program for mpirun to start: meets the other ranks, leaves MPI, and says in one line of JSON
// what it was told and what MPI has left behind in the process. Its words are what it gives to the
// others, one exchange each.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "ranks/mpi_meeting.h"

namespace {

long entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

long sockets() {
  long count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(file.path(), error);
    if (target.string().starts_with("socket:")) ++count;
  }
  return count;
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:" && status >> word) return std::stol(word);
  }
  return 0;
}

nlohmann::json owned() {
  return {{"threads", entries("/proc/self/task")},
          {"files", entries("/proc/self/fd")},
          {"sockets", sockets()},
          {"resident_kib", resident_kib()}};
}

}  // namespace

int main(int count, char** words) {
  nlohmann::json said = {{"several", drover::ranks::started_by_mpi()}, {"before", owned()}};
  try {
    drover::ranks::MpiMeeting meeting;
    said["rank"] = meeting.rank();
    said["size"] = meeting.size();
    for (int i = 1; i < count; ++i) {
      // Of different lengths, the first of none.
      std::string mine;
      for (int times = 0; times < meeting.rank(); ++times) mine += words[i];
      said["exchanged"].push_back(meeting.exchange(mine));
    }
    said["during"] = owned();
    meeting.end();
    said["after"] = owned();
  } catch (const drover::ranks::MpiError& error) {
    said["error"] = error.what();
  }
  // In one piece: others write to the same pipe.
  std::cout << said.dump() + "\n" << std::flush;
  return said.contains("error") ? 1 : 0;
}
