#include "ranks/mpi_meeting.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "ranks/mpi/mpi_part.h"
#include "text/plain_text.h"

namespace drover::ranks {
namespace {

constexpr const char* library_name = "libdrover_mpi.so";

// The variables that hold a rank and the number of ranks. PMIx has no variable for the number.
struct MpiStarter {
  const char* rank;
  const char* size;
};
constexpr std::array<MpiStarter, 3> starters = {{
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
    {"PMI_RANK", "PMI_SIZE"},
}};

const MpiStarter* starter_of(const Variables& variables) {
  for (const MpiStarter& starter : starters) {
    // srun --mpi=pmi2 sets PMI_RANK; Debian's Open MPI does not support PMI2.
    const bool is_of_srun = std::string_view(starter.rank) == "PMI_RANK" &&
                            variables("SLURM_STEP_NUM_TASKS") != nullptr;
    if (variables(starter.rank) != nullptr && !is_of_srun) return &starter;
  }
  return nullptr;
}

std::optional<int> whole_number(const char* text, int least) {
  const auto number = text != nullptr ? text::number_of<int>(text) : std::nullopt;
  return number && *number >= least ? number : std::nullopt;
}

void* load_library() {
  std::string refused;
  for (const std::string& place :
       mpi_library_places(std::filesystem::read_symlink("/proc/self/exe"))) {
    if (place.find('/') != std::string::npos && !std::filesystem::exists(place)) continue;
    // RTLD_GLOBAL: Open MPI loads components that need its functions.
    if (void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    refused = ::dlerror();
    // A file that exists but cannot be loaded ends the search.
    if (place.find('/') != std::string::npos) break;
  }
  throw MpiError(fmt::format(
      "MPI has started this process as one of several, but drover cannot load its library for MPI: "
      "{}. Install Open MPI on this host (Debian: apt install openmpi-bin) and put {} beside the "
      "program or in ../lib/drover. Or use --hosts without mpirun",
      refused, library_name));
}

template <class Function>
Function* function(void* library, const char* name) {
  void* found = ::dlsym(library, name);
  if (found == nullptr) {
    throw MpiError(
        fmt::format("{} belongs to another version of drover, because {} is missing in it",
                    library_name, name));
  }
  return reinterpret_cast<Function*>(found);
}

// Calls a function of the library, whose last argument receives MPI's error message.
template <class Function, class... Arguments>
void call(void* library, const char* name, const char* what, Arguments... arguments) {
  std::array<char, drover_mpi_error_bytes> error{};
  if (function<Function>(library, name)(arguments..., error.data()) != 0) {
    throw MpiError(fmt::format("MPI cannot {}: {}", what, error.data()));
  }
}

}  // namespace

const char* variable_of_process(const char* name) {
  return std::getenv(name);
}

std::optional<int> ranks_by_variables(const Variables& variables) {
  const MpiStarter* starter = starter_of(variables);
  if (starter == nullptr) return std::nullopt;
  return whole_number(variables(starter->size), 1);
}

std::optional<int> rank_by_variables(const Variables& variables) {
  const MpiStarter* starter = starter_of(variables);
  return starter == nullptr ? std::nullopt : whole_number(variables(starter->rank), 0);
}

bool started_by_mpi(const Variables& variables) {
  return starter_of(variables) != nullptr && ranks_by_variables(variables) != 1;
}

std::vector<std::string> mpi_library_places(const std::filesystem::path& executable) {
  const std::filesystem::path folder = executable.parent_path();
  return {folder / library_name, folder.parent_path() / "lib" / "drover" / library_name,
          library_name};
}

MpiMeeting::MpiMeeting() {
  library_ = load_library();
  // Read before MPI begins, because MPI changes these variables if it finds no other process.
  const std::optional<int> expected = ranks_by_variables();
  call<decltype(drover_mpi_begin)>(library_, "drover_mpi_begin", "begin", &rank_, &size_);
  if (expected && *expected != size_) {
    throw MpiError(fmt::format(
        "this process was started as one of {}, but its MPI library reports {}. Another MPI "
        "implementation started it. Use the mpirun of Open MPI, or srun --mpi=pmix",
        *expected, size_));
  }
}

std::vector<std::string> MpiMeeting::exchange(const std::string& mine) {
  std::vector<std::string> all;
  const drover_mpi_taker take = [](void* to, const char* text, size_t text_bytes) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(text, text_bytes);
  };
  call<decltype(drover_mpi_gather)>(library_, "drover_mpi_gather", "exchange texts", mine.data(),
                                    mine.size(), take, static_cast<void*>(&all));
  return all;
}

void MpiMeeting::end() {
  call<decltype(drover_mpi_end)>(library_, "drover_mpi_end", "end");
}

}  // namespace drover::ranks
