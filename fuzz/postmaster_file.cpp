// postmaster.pid, as a server writes it or a disk makes of it: no server is believed that is none,
// and readiness only by its own line.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "database/embedded/postmaster.h"
#include "database/embedded/program.h"
#include "fuzz.h"

using namespace drover;
using database::embedded::Postmaster;

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string name = fs::temp_directory_path() / "drover-fuzz-XXXXXX";
    fuzz::require(mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

// A number of our own process stands for SELF.
std::string with_own_pid(std::string text) {
  if (text.starts_with("SELF")) text.replace(0, 4, std::to_string(getpid()));
  return text;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string text = with_own_pid(std::string(fuzz::text_of(data, size)));
  std::ofstream(folder.path / "postmaster.pid", std::ios::binary | std::ios::trunc) << text;
  try {
    // No process works in the folder, whatever numbers the file has.
    fuzz::require(!Postmaster::find(folder.path), "no server is found", text);
  } catch (const database::embedded::ServerError&) {
    // The number is that of a process that the system does not let us watch.
  }
  const bool ready = Postmaster::of_child(getpid(), folder.path).is_ready();
  const bool could_be = text.starts_with(std::to_string(getpid()) + "\n") &&
                        text.find("\nready") != std::string::npos;
  fuzz::require(!ready || could_be, "ready by its own line only", text);
  return 0;
}
