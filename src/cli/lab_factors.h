// What experiments of the lab vary, as it is given on the command line: numbers that double, and
// names of models.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/usage_error.h"

namespace drover::cli {

// 1, 2, 4, ... up to `most`, and `most` itself.
std::vector<std::size_t> doubling(std::size_t most);

// The models of these names, of those that `find` knows. Throws UsageError for another name.
template <class Model, std::size_t count>
std::vector<Model> parse_models(const std::vector<std::string>& names,
                                const std::array<Model, count>& all,
                                std::optional<Model> (*find)(std::string_view)) {
  std::vector<Model> models;
  for (const std::string& name : names) {
    const std::optional<Model> model = find(name);
    if (!model) {
      std::vector<std::string_view> known;
      for (const Model one : all) known.push_back(name_of(one));
      throw UsageError(
          fmt::format("--model {}: expected some of {}", name, fmt::join(known, ", ")));
    }
    models.push_back(*model);
  }
  return models;
}

}  // namespace drover::cli
