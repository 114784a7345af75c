// Settings of the private server: one that is taken is one line of the configuration file, and
// says there what was asked for.
#include <algorithm>

#include "database/embedded/layout.h"
#include "database/embedded/program.h"
#include "fuzz.h"

using namespace drover;
using namespace drover::database::embedded;

namespace {

// What the server reads in a quoted value of its configuration: quotes are doubled, and a
// backslash takes the next character as it is (or begins an escape, which must not be there).
std::string unquoted(std::string_view text) {
  fuzz::require(text.size() >= 2 && text.front() == '\'' && text.back() == '\'', "it is quoted",
                text);
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\'' || text[i] == '\\') {
      ++i;
      fuzz::require(i + 1 < text.size() && text[i] == text[i - 1], "signs are doubled", text);
    }
    result += text[i];
  }
  return result;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> texts;
  std::string text(fuzz::text_of(data, size));
  // At 0x01, so that a value may hold a line break.
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = text.find('\x01', from);
    texts.push_back(text.substr(from, to == std::string::npos ? to : to - from));
  }
  std::vector<Setting> settings;
  for (const std::string& one : texts) {
    try {
      settings.push_back(parse_setting(one));
    } catch (const ServerError&) {
    }
  }
  const std::uint64_t memory = std::uint64_t{8} << 30;
  const std::string plain = configuration_text(memory, {});
  const std::string whole = configuration_text(memory, settings);
  fuzz::require(whole.starts_with(plain), "ours come first", whole);
  std::string_view rest = std::string_view(whole).substr(plain.size());
  if (!settings.empty()) rest.remove_prefix(rest.find('\n') + 1);  // the comment above them
  for (const Setting& setting : settings) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::string before = setting.name + " = ";
    fuzz::require(line.starts_with(before), "a line a setting", line);
    fuzz::require(unquoted(line.substr(before.size())) == setting.value, "the value is the same",
                  line);
  }
  fuzz::require(rest.empty(), "nothing more", rest);
  return 0;
}
