#include "support/small_population.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace drover::test {

std::string small_population() {
  constexpr const char* path = DROVER_TEST_FOLDER "/support/small_population.sql";
  const std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
  std::stringstream script;
  script << file.rdbuf();
  return script.str();
}

}  // namespace drover::test
