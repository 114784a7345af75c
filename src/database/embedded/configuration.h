// The settings of the private server: ours, fitted to the machine, and the user's, which come
// after ours and therefore win. Pure functions but for memory_bytes_of_machine().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::database::embedded {

struct Setting {
  std::string name;
  std::string value;
};

// From "NAME=VALUE". Throws ServerError when it is not of that form, or names a setting by which
// the server would leave its folder or its socket (listen_addresses, port, data_directory ...).
Setting parse_setting(std::string_view text);
std::vector<Setting> parse_settings(const std::vector<std::string>& texts);

// The smaller of the machine's memory and the limit of our control group.
uint64_t memory_bytes_of_machine();

// The whole of drover.conf.
std::string configuration_text(uint64_t memory_bytes, const std::vector<Setting>& settings);

}  // namespace drover::database::embedded
