/* Who sleeps and who is woken in runtime/coro/detail/idle_workers.h, with the queues of
 * runtime/coro/stealing_pool.cpp that it is for: workers, a thread outside of the pool, all
 * interleavings. Each step is one access to shared memory, a read-modify-write, or what is done
 * under a lock (the atomic blocks), in the order of the source.
 *
 * What is left out: the tasks' identity (queues are counts), the order in which victims are tried,
 * turns of fairness, and overflow of the ring. A store that is followed by a load of something else
 * may come after it unless a fence is between: where the source has its two fences the mutants
 * choose either order.
 *
 * What is asserted: with as many tasks as workers that all wait for each other, all come to run, so
 * a burst wakes as many workers as it has work for; and the pool ends, not before all tasks have
 * run. Else nothing can go on any more at some point, or `finished` comes too early.
 *
 * Two workers take seconds. Three (-DWORKERS=3 -DFOREIGN=2, 49 million states) take minutes, found
 * nothing, and are not part of the tests.
 *
 * Each of these switches breaks the pool and must be found:
 *   MUTANT_NO_PUSH_FENCE   a push looks for sleepers before its task is visible
 *   MUTANT_NO_SLEEP_FENCE  a worker looks through the queues before it is off the count
 *   MUTANT_NO_LOOK         it does not look again at all
 *   MUTANT_FORGETS_RELAY   it looks again, but not into the relay (with RELAY)
 *   MUTANT_QUIET_SEARCHER  the last searcher that has found work wakes nobody
 *   MUTANT_QUIET_MOVE      who moves tasks from the global list to its ring wakes nobody
 *   MUTANT_QUIET_LOOK      who finds work in its second look goes to sleep and wakes nobody
 *   MUTANT_BLIND_END       the pool ends when a worker falls asleep, be others awake or not
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FOREIGN
#define FOREIGN 3 /* tasks that come from outside */
#endif
#define SPAWNED 1           /* tasks that the first task to run spawns */
#define TOTAL (FOREIGN + SPAWNED)
#define SHORT (TOTAL - WORKERS) /* the first so many end at once, the others when all have begun */
#define NOBODY 255

/* The queues. */
byte global_list;
byte relay;
byte ring[WORKERS];
bool slot[WORKERS];
bool theft[WORKERS]; /* a thief is copying from the ring */

/* The state word, the sleepers under their lock, and the words that they sleep on. */
byte searching = 0;
byte awake = WORKERS;
byte sleepers[WORKERS];
byte asleep = 0;
bool woken[WORKERS];

bool stopping;
bool finished;
byte begun;

inline load_state() {
  seen = (searching == 0 && awake < WORKERS)
}

inline wake_sleeper() {
  if
  :: seen ->
    atomic {
      if
      :: asleep > 0 && searching == 0 ->
        asleep--;
        who = sleepers[asleep];
        awake++;
        searching++
      :: else -> who = NOBODY
      fi
    }
    if
    :: who != NOBODY -> woken[who] = true
    :: else
    fi
  :: else
  fi;
  seen = false;
  who = 0
}

/* What wake_one() does after `store`, which makes work visible. */
#ifdef MUTANT_NO_PUSH_FENCE
#define PUBLISH(store) \
  if                   \
  :: store;            \
     load_state()      \
  :: load_state();     \
     store             \
  fi;                  \
  wake_sleeper()
#else
#define PUBLISH(store) \
  store;               \
  load_state();        \
  wake_sleeper()
#endif

inline wake_one() {
  load_state();
  wake_sleeper()
}

inline take_shared() {
  if
  :: !found && relay > 0 ->
    atomic {
      if
      :: relay > 0 -> relay--; found = true
      :: else
      fi
    }
  :: else
  fi;
  if
  :: !found && global_list > 0 ->
    atomic {
      if
      :: global_list > 0 ->
        batch = global_list / WORKERS + 1;
        if
        :: batch > global_list -> batch = global_list
        :: else
        fi;
        global_list = global_list - batch;
        found = true
      :: else
      fi
    }
    if
    :: batch > 1 ->
#ifdef MUTANT_QUIET_MOVE
      ring[me] = ring[me] + batch - 1
#else
      PUBLISH(ring[me] = ring[me] + batch - 1)
#endif
    :: else
    fi;
    batch = 0
  :: else
  fi
}

/* Half of the ring, rounded up, in three steps. */
inline steal() {
  atomic {
    if
    :: victim != me && !theft[victim] && ring[victim] > 0 ->
      batch = ring[victim] - ring[victim] / 2;
      ring[victim] = ring[victim] - batch;
      theft[victim] = true
    :: else
    fi
  }
  if
  :: batch > 0 ->
    theft[victim] = false;
    ring[me] = ring[me] + batch - 1;
    found = true;
    batch = 0
  :: else
  fi
}

inline look_again() {
  if
  :: global_list > 0 -> found = true
  :: else
  fi;
#ifndef MUTANT_FORGETS_RELAY
  if
  :: relay > 0 -> found = true
  :: else
  fi;
#endif
  victim = 0;
  do
  :: victim == WORKERS || found -> break
  :: else ->
    if
    :: slot[victim] -> found = true
    :: else
    fi;
    atomic {
      if
      :: ring[victim] > 0 && !theft[victim] -> found = true
      :: else
      fi;
      victim++
    }
  od;
  victim = 0
}

inline announce_sleep() {
  atomic {
    sleepers[asleep] = me;
    asleep++;
    awake--;
    searching = searching - (my_search -> 1 : 0);
    all_asleep = (awake == 0);
    my_search = false
  }
}

inline run_task() {
  atomic { begun++; number = begun }
  if
  :: number == 1 -> PUBLISH(slot[me] = true)
  :: else
  fi;
  if
  :: number > SHORT -> begun == TOTAL
  :: else
  fi;
  number = 0
}

proctype Worker(byte me) {
  byte victim, batch, number, who;
  bool found, seen, my_search, all_asleep, stop_seen;
again:
  atomic {
    if
    :: slot[me] -> slot[me] = false; found = true
    :: else
    fi
  }
  if
  :: !found ->
    atomic {
      if
      :: ring[me] > 0 -> ring[me]--; found = true
      :: else
      fi
    }
  :: else
  fi;
  take_shared();
  if
  :: found -> goto execute
  :: else
  fi;
  /* The search. */
  if
  :: !my_search ->
    if
    :: 2 * searching >= WORKERS -> goto fall_asleep
    :: else
    fi;
    searching++;
    my_search = true
  :: else
  fi;
  do
  :: victim == WORKERS || found -> break
  :: else -> steal(); victim++
  od;
  victim = 0;
  do
  :: victim == WORKERS || found -> break
  :: else ->
    atomic {
      if
      :: victim != me && slot[victim] -> slot[victim] = false; found = true
      :: else
      fi;
      victim++
    }
  od;
  victim = 0;
  take_shared();
  if
  :: !found -> goto fall_asleep
  :: else
  fi;
execute:
  found = false;
  if
  :: my_search ->
    my_search = false;
    atomic { searching--; number = searching }
#ifndef MUTANT_QUIET_SEARCHER
    if
    :: number == 0 -> wake_one()
    :: else
    fi;
#endif
    number = 0
  :: else
  fi;
  run_task();
  goto again;
fall_asleep:
#ifdef MUTANT_NO_LOOK
  announce_sleep();
  stop_seen = stopping;
#elif defined(MUTANT_NO_SLEEP_FENCE)
  if
  :: true -> announce_sleep(); stop_seen = stopping; look_again()
  :: true -> look_again(); announce_sleep(); stop_seen = stopping
  fi;
#else
  announce_sleep();
  stop_seen = stopping;
  look_again();
#endif
  if
  :: found ->
    found = false;
#ifndef MUTANT_QUIET_LOOK
    wake_one()
#endif
#ifdef MUTANT_BLIND_END
  :: !found && stop_seen ->
#else
  :: !found && all_asleep && stop_seen ->
#endif
    atomic {
      assert(begun == TOTAL);
      finished = true;
      woken[0] = true;
      woken[1] = true;
#if WORKERS > 2
      woken[2] = true
#endif
    }
  :: else
  fi;
  all_asleep = false;
  stop_seen = false;
end_asleep:
  atomic { woken[me]; woken[me] = false; my_search = true }
  if
  :: !finished -> goto again
  :: else
  fi
}

/* A thread outside of the pool, which then joins it. */
proctype Outside() {
  byte pushed, who;
  bool seen, patient;
  do
  :: pushed == FOREIGN -> break
  :: else ->
#ifdef RELAY
    if
    :: global_list > 0 -> PUBLISH(relay++) /* the oldest of the list moves on in its place */
    :: else -> PUBLISH(global_list++)
    fi;
#else
    PUBLISH(global_list++);
#endif
    pushed++
  od;
  /* It may wait for its tasks before it joins the pool: no wake-up of the join saves them then. */
  if
  :: patient = true
  :: patient = false
  fi;
  if
  :: patient -> begun == TOTAL
  :: else
  fi;
  stopping = true;
  wake_one()
}

proctype Watch() {
  timeout -> assert(finished && begun == TOTAL)
}

init {
  byte worker;
  atomic {
    do
    :: worker == WORKERS -> break
    :: else -> run Worker(worker); worker++
    od;
    run Outside();
    run Watch()
  }
}
