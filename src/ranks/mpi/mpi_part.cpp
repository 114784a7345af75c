#include "ranks/mpi/mpi_part.h"

#include <mpi.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

int answer(int code, char* error) {
  if (code == MPI_SUCCESS) return 0;
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, words, &length);
  std::snprintf(error, drover_mpi_error_bytes, "%s", words);
  return code;
}

// A few hundred bytes are exchanged once: TCP, which the ranks need in any case, is enough for
// that, and a fast network's own library would stay in memory for the whole run. Whoever has set
// these has his reasons.
void prefer_tcp() {
  ::setenv("OMPI_MCA_pml", "ob1", 0);
  ::setenv("OMPI_MCA_btl", "self,tcp", 0);
}

int gather(const std::vector<char>& mine, drover_mpi_taker take, void* to) {
  int size = 0;
  if (int code = MPI_Comm_size(MPI_COMM_WORLD, &size)) return code;
  const int bytes = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<size_t>(size));
  if (int code = MPI_Allgather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD)) {
    return code;
  }
  std::vector<int> starts;
  size_t all_bytes = 0;
  for (const int length : lengths) {
    starts.push_back(static_cast<int>(all_bytes));
    all_bytes += static_cast<size_t>(length);
    if (all_bytes > INT_MAX) return MPI_ERR_COUNT;
  }
  std::vector<char> all(all_bytes);
  if (int code = MPI_Allgatherv(mine.data(), bytes, MPI_CHAR, all.data(), lengths.data(),
                                starts.data(), MPI_CHAR, MPI_COMM_WORLD)) {
    return code;
  }
  for (size_t rank = 0; rank < lengths.size(); ++rank) {
    take(to, all.data() + starts[rank], static_cast<size_t>(lengths[rank]));
  }
  return MPI_SUCCESS;
}

}  // namespace

int drover_mpi_begin(int* rank, int* size, char* error) {
  prefer_tcp();
  int given = 0;
  if (int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given)) {
    return answer(code, error);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (int code = MPI_Comm_rank(MPI_COMM_WORLD, rank)) return answer(code, error);
  return answer(MPI_Comm_size(MPI_COMM_WORLD, size), error);
}

int drover_mpi_gather(const char* mine, size_t mine_bytes, drover_mpi_taker take, void* to,
                      char* error) {
  if (mine_bytes > INT_MAX) return answer(MPI_ERR_COUNT, error);
  return answer(gather({mine, mine + mine_bytes}, take, to), error);
}

int drover_mpi_end(char* error) {
  return answer(MPI_Finalize(), error);
}
