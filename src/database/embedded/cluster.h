// Makes the cluster of the private server, whole or not at all: initdb works in a folder of
// another name, the database is made in it, and only then it gets its name. A killed initdb
// leaves a folder that the next start removes.
//
// The cluster: superuser and database `drover`, locale C and UTF-8 (comparisons by byte, the
// same on each machine), local connections trusted and no others (the socket's folder is closed
// to everybody else), and no data checksums: the data of a benchmark is made again rather than
// repaired, and the published figures of other tools are without them.
#pragma once

#include "database/embedded/account.h"
#include "database/embedded/installation.h"
#include "database/embedded/layout.h"

namespace drover::database::embedded {

// Requires the lock of the layout and its folders. Does nothing when the cluster is there.
// `durable` false leaves out the flush to disk. Throws ServerError.
void ensure_cluster(const Installation& installation, const Layout& layout, const Account& account,
                    bool durable);

}  // namespace drover::database::embedded
