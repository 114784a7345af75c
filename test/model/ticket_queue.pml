/* The slots and segments of runtime/queue/ticket_queue.h: two producers, two consumers, all
 * interleavings. Each step of a process below is one access to shared memory, or one compare-and-
 * swap or fetch-and-add (the atomic blocks), as in the queue; the order of steps is that of the
 * source.
 *
 * Left out: memory orderings weaker than sequential consistency (the thread sanitizer and the
 * argument in the header are for those), and using segments again: each is used once, and the
 * model asserts instead what reclamation needs, that neither end of the list leads to a segment
 * that was retired.
 *
 * What is asserted are the four ways in which a history of a FIFO queue can fail (T. Henzinger, A.
 * Sezgin, V. Vafeiadis, "Aspect-Oriented Linearizability Proofs", 2013): an item that nobody
 * pushed, an item twice, two items in the wrong order, "empty" while the queue never was. And that
 * all items come out: the end is reached, nothing deadlocks.
 *
 * Each of these switches breaks the queue and must be found:
 *   MUTANT_BLIND_EMPTY    a pop says "empty" at an unpublished slot without a look behind it
 *   MUTANT_BLIND_PUBLISH  a push publishes without noticing that its slot was broken
 *   MUTANT_PASS_BY        a pop passes by an unpublished slot without breaking it
 *   MUTANT_LAZY_TAIL      the end of the list may stay at a segment that is retired
 */

#ifndef SLOTS
#define SLOTS 2 /* of a segment */
#endif
#define SEGMENTS 6 /* more are never needed: asserted */
#define WANTED 2 /* items that a pop asks for */
#define ITEMS 4
#define ALL 15 /* a bit for each item */

#define NONE 255
#define UNWRITTEN 0
#define BROKEN 254
#define CLOSED 255
#define IS_RUN(m) ((m) != UNWRITTEN && (m) != BROKEN && (m) != CLOSED)
#define AT(segment, slot) ((segment) * SLOTS + (slot))

/* The queue. */
byte marks[SEGMENTS * SLOTS];
byte items[SEGMENTS * SLOTS];
byte claimed[SEGMENTS];
byte position_slot[SEGMENTS];
byte position_left[SEGMENTS];
byte next[SEGMENTS] = NONE;
byte first = 0;
byte last = 0;

/* The record of what happened, for the assertions. */
byte made = 1;       /* segments */
byte pushed;         /* items whose push has returned */
byte popped;         /* items that were taken */
byte before[ITEMS];  /* items whose push had returned when that of this one was called */
bool was_empty[2];   /* by consumer: in its present pop, at some moment nothing was left */
bool retired[SEGMENTS];

inline move_last(from) {
  atomic {
    if
    :: last == from -> last = next[from]
    :: else
    fi
  }
}

/* Items first_item and, if size is 2, the one after it. */
inline push_run(first_item, size) {
  d_step {
    before[first_item] = pushed;
    if
    :: size == 2 -> before[first_item + 1] = pushed
    :: else
    fi
  }
  done = false;
  do
  :: done -> break
  :: else ->
    atomic { segment = last; assert(!retired[segment]) }
    atomic { slot = claimed[segment]; claimed[segment] = slot + size }
    if
    :: slot + size <= SLOTS ->
      d_step { /* nobody looks there before the mark is set */
        items[AT(segment, slot)] = first_item;
        if
        :: size == 2 -> items[AT(segment, slot + 1)] = first_item + 1
        :: else
        fi
      }
      atomic {
        if
#ifdef MUTANT_BLIND_PUBLISH
        :: true ->
#else
        :: marks[AT(segment, slot)] == UNWRITTEN ->
#endif
          marks[AT(segment, slot)] = size;
          pushed = pushed | (((1 << size) - 1) << first_item);
          done = true
        :: else
        fi
      }
    :: else ->
      if
      :: slot < SLOTS ->
        atomic {
          if
          :: marks[AT(segment, slot)] == UNWRITTEN -> marks[AT(segment, slot)] = CLOSED
          :: else
          fi
        }
      :: else
      fi;
      if
      :: next[segment] != NONE
      :: else ->
        atomic { /* a segment is made and filled before anybody sees it */
          if
          :: next[segment] == NONE ->
            assert(made < SEGMENTS);
            items[AT(made, 0)] = first_item;
            if
            :: size == 2 -> items[AT(made, 1)] = first_item + 1
            :: else
            fi;
            marks[AT(made, 0)] = size;
            claimed[made] = size;
            next[segment] = made;
            made++;
            pushed = pushed | (((1 << size) - 1) << first_item);
            done = true
          :: else
          fi
        }
      fi;
      move_last(segment)
    fi
  od;
  done = false;
  segment = 0;
  slot = 0
}

proctype Producer(byte item; byte first_size; byte second_size) {
  byte segment, slot;
  bool done;
  push_run(item, first_size);
  if
  :: second_size > 0 -> push_run(item + first_size, second_size)
  :: else
  fi
}

/* To be called where `popped` has grown. */
inline note_if_empty() {
  if
  :: (pushed & (ALL - popped)) == 0 -> was_empty[0] = true; was_empty[1] = true
  :: else
  fi
}

inline take_item(place) {
  taken = items[place];
  assert((popped & (1 << taken)) == 0);                /* not twice */
  assert((before[taken] & (ALL - popped)) == 0);       /* not before an earlier one */
  popped = popped | (1 << taken)
}

proctype Consumer(byte me) {
  byte segment, from_slot, from_left, slot, left, mark, end, count, taken;
  byte got[WANTED];
  do
  :: popped == ALL -> break
  :: else ->
    atomic { was_empty[me] = ((pushed & (ALL - popped)) == 0) } /* a pop is called */
again:
    atomic { segment = first; assert(!retired[segment]) }
    atomic {
      from_slot = position_slot[segment];
      from_left = position_left[segment];
      slot = from_slot;
      left = from_left;
      count = 0;
      mark = UNWRITTEN
    }
    /* Over what is there. */
    do
    :: count == WANTED -> break
    :: count < WANTED && left > 0 ->
      d_step { got[count] = AT(segment, slot); count++; slot++; left-- }
    :: count < WANTED && left == 0 && slot == SLOTS -> mark = CLOSED; break
    :: count < WANTED && left == 0 && slot < SLOTS ->
      mark = marks[AT(segment, slot)];
      if
      :: mark == BROKEN -> slot++
#ifdef MUTANT_PASS_BY
      :: mark == UNWRITTEN && slot + 1 < SLOTS && IS_RUN(marks[AT(segment, slot + 1)]) -> slot++
#endif
      :: IS_RUN(mark) -> left = mark
      :: else -> break
      fi
    od;
    if
    :: count > 0 ->
      atomic {
        if
        :: position_slot[segment] == from_slot && position_left[segment] == from_left ->
          position_slot[segment] = slot;
          position_left[segment] = left;
          take_item(got[0]);
          if
          :: count == 2 -> take_item(got[1])
          :: else
          fi;
          note_if_empty();
          goto returned
        :: else -> goto again
        fi
      }
    :: count == 0 && mark == CLOSED ->
      end = next[segment];
      if
      :: end == NONE -> goto nothing
      :: else
      fi;
#ifndef MUTANT_LAZY_TAIL
      move_last(segment);
#endif
      atomic {
        if
        :: first == segment -> first = end; retired[segment] = true; assert(last != segment)
        :: else
        fi
      }
      goto again
    :: count == 0 && mark == UNWRITTEN ->
#ifdef MUTANT_BLIND_EMPTY
      goto nothing;
#endif
      /* Is anything published behind it? */
      end = claimed[segment];
      if
      :: end > SLOTS -> end = SLOTS
      :: else
      fi;
      from_slot = slot + 1;
      do
      :: from_slot >= end -> end = NONE; break
      :: else ->
        mark = marks[AT(segment, from_slot)];
        if
        :: IS_RUN(mark) -> end = from_slot; break
        :: else -> from_slot++
        fi
      od;
      if
      :: end == NONE ->
        if
        :: next[segment] == NONE -> goto nothing
        :: else -> end = SLOTS
        fi
      :: else
      fi;
      /* Then the slots up to there are broken, in order, unless one was published meanwhile. */
      do
      :: slot >= end -> break
      :: else ->
        atomic {
          if
          :: marks[AT(segment, slot)] == UNWRITTEN -> marks[AT(segment, slot)] = BROKEN
          :: else
          fi;
          mark = marks[AT(segment, slot)]
        }
        if
        :: mark == BROKEN -> slot++
        :: else -> break
        fi
      od;
      goto again
    fi;
nothing:
    assert(was_empty[me]);
returned:
    atomic {
      segment = 0; from_slot = 0; from_left = 0; slot = 0; left = 0; mark = 0; end = 0; count = 0;
      taken = 0; got[0] = 0; got[1] = 0
    }
  od
}

init {
  atomic {
    run Producer(0, 2, 0);
    run Producer(2, 1, 1);
    run Consumer(0);
    run Consumer(1)
  }
}
