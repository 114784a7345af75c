/* What libdrover_mpi.so is to Drover: the only part of it that knows MPI, in plain C, so that it
   can be loaded where MPI has started the process, and is missed nowhere else (ranks/mpi_meeting.h
   loads it).

   All from one thread, in this order, once a process: begin, gather as often as is wanted, end.
   begin, gather and end wait for the same call of all other ranks, for ever if one never makes it.
   Each returns 0, or another number and then MPI's words in `error` (drover_mpi_error_bytes with
   its final zero). MPI itself ends the process where it cannot even begin, after having said why on
   stderr. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { drover_mpi_error_bytes = 512 };

/* Called once a rank, in their order, with what that rank has given; the text is only lent. */
typedef void (*drover_mpi_taker)(void* to, const char* text, size_t text_bytes);

int drover_mpi_begin(int* rank, int* size, char* error);
int drover_mpi_gather(const char* mine, size_t mine_bytes, drover_mpi_taker take, void* to,
                      char* error);
int drover_mpi_end(char* error);

#ifdef __cplusplus
}
#endif
