// Addresses of YDB databases: what is read is written as the same, and whatever surrounds a
// password, it is in no message. The first line is the address; a password stands between it and
// the second line.
#include <fmt/format.h>

#include <optional>

#include "database/ydb/target.h"
#include "fuzz.h"

using namespace drover;
using database::ydb::is_ydb_url;
using database::ydb::parse_target;
using database::ydb::Target;
using database::ydb::TargetError;

namespace {

std::optional<Target> read(std::string_view text) {
  try {
    return parse_target(text);
  } catch (const TargetError& error) {
    fuzz::require_message(error.what());
    fuzz::require(!fuzz::holds_secret(error.what()), "a message holds no password", error.what());
    return std::nullopt;
  }
}

void require_sound(const Target& target) {
  fuzz::require(!target.host.empty() && target.host.size() <= 255, "a host", target.host);
  fuzz::require(target.port != 0, "a port", target.url());
  fuzz::require(target.database.starts_with('/') && !target.database.ends_with('/'),
                "the path of a database", target.database);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (fuzz::holds_secret(fuzz::text_of(data, size))) return 0;
  std::vector<std::string> pieces = fuzz::lines_of(data, size);
  pieces.resize(2);

  if (const auto target = read(pieces[0])) {
    fuzz::require(is_ydb_url(pieces[0]), "what is read is for us", pieces[0]);
    require_sound(*target);
    const auto again = read(target->url());
    fuzz::require(again && again->url() == target->url() && again->host == target->host &&
                      again->port == target->port && again->database == target->database &&
                      again->tls == target->tls,
                  "what is written is read as the same", target->url());
  }

  // As people write it who know other addresses: user:password@host.
  const std::string guarded = fmt::format("{}{}@{}", pieces[0], fuzz::secret, pieces[1]);
  fuzz::require(!read(guarded), "an address with a password is refused", guarded);
  return 0;
}
