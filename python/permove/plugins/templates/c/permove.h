/* The interface between permove and agents in shared libraries, version 1.
 *
 * A plug-in is a shared library that defines the two functions at the end of this file. permove calls `create` once for
 * each problem, `plan` again and again until the agent has arrived, and `destroy` at the end. An agent plans through the
 * world that `plan` gets, and only while it runs; whatever it expands there is counted as it is for every other agent.
 *
 * States are the cells of the map, numbered row by row from the top left: state = y * width + x. Costs and heuristics are
 * whole numbers, so that sums are exact: a cardinal move costs 5741 and a diagonal one 8119, which is the square root of
 * two to eight digits.
 *
 * An instance is used by one thread at a time. Nothing that permove hands over lives longer than the call.
 */
#ifndef PERMOVE_H
#define PERMOVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERMOVE_ABI 1
#define PERMOVE_CARDINAL 5741u
#define PERMOVE_DIAGONAL 8119u
#define PERMOVE_INFINITY UINT32_MAX
#define PERMOVE_MOST_SUCCESSORS 8
/* What expand and reread return past ten times the cutoff: there is no more data, so return from plan. */
#define PERMOVE_STOP UINT32_MAX

typedef struct permove_successor {
    uint32_t state; /* where it leads */
    uint32_t cost;  /* what going there costs */
    uint32_t h;     /* the heuristic of that state: what was learned, or else the initial one */
} permove_successor;

typedef struct permove_world permove_world;
struct permove_world {
    uint32_t at;     /* where the agent stands */
    uint32_t goal;   /* where it wants to go */
    uint32_t h;      /* the heuristic of where it stands, when plan is called */
    uint64_t cutoff; /* how many states may be expanded for a move; UINT64_MAX where that is not limited */

    /* All successors of a state, in the order in which ties break: how many there are, or PERMOVE_STOP. Counts as one
     * expanded state. */
    uint32_t (*expand)(permove_world *world, uint32_t state, permove_successor successors[PERMOVE_MOST_SUCCESSORS]);
    /* The same of a state that was expanded already in this call of plan; counts in `touched` alone. */
    uint32_t (*reread)(permove_world *world, uint32_t state, permove_successor successors[PERMOVE_MOST_SUCCESSORS]);
    /* The heuristic of a state: what was learned, or else the initial one. */
    uint32_t (*heuristic)(permove_world *world, uint32_t state);
    /* The initial heuristic of a state towards any other. */
    uint32_t (*initial)(permove_world *world, uint32_t state, uint32_t goal);
    /* Sets the heuristic of a state; what is below the initial one has no effect. */
    void (*learn)(permove_world *world, uint32_t state, uint32_t value);
    /* Appends a move to the plan. */
    void (*go)(permove_world *world, uint32_t state);
    /* How many states were expanded so far in this call of plan. */
    uint64_t (*expanded)(permove_world *world);

    void *access; /* permove's own */
};

typedef enum permove_kind {
    PERMOVE_INTEGER = 0, /* a whole number; INFINITY where `most` is that */
    PERMOVE_REAL = 1,    /* a number */
    PERMOVE_CHOICE = 2   /* one of `words`; the value is its number, from 0 up */
} permove_kind;

typedef struct permove_parameter {
    const char *name;
    const char *about;
    uint32_t kind;     /* a permove_kind */
    const char *words; /* of a choice, with blanks between them; else NULL */
    double least;
    double most;
    double fallback;   /* the value where a spec says nothing */
} permove_parameter;

typedef struct permove_setup {
    const double *values; /* one for each parameter, in their order */
    uint64_t seed;        /* for whatever the agent draws: decided by the run's seed, the agent and the problem */
    uint32_t width;       /* of the map */
    uint32_t height;
} permove_setup;

typedef struct permove_agent {
    const char *name;  /* as specs name it */
    const char *about; /* what it does, in a sentence */
    const permove_parameter *parameters;
    uint32_t parameter_count;

    /* A fresh instance for a problem; NULL where that is not possible. */
    void *(*create)(const permove_setup *setup);
    /* The agent stands at the start again, with all that it has learned: only where it walks to convergence does that
     * happen more than once. May be NULL. */
    void (*begin_trial)(void *instance);
    /* These cells were believed to be free and were found to be blocked since it last planned. May be NULL. */
    void (*discovered)(void *instance, const uint32_t *states, uint32_t count);
    /* Plans one or more moves from world->at on; none means that there is no way. NULL where all is well, else what is
     * wrong, in a few words that stay where they are until the next call. */
    const char *(*plan)(void *instance, permove_world *world);
    /* The problem is over. May be NULL. */
    void (*destroy)(void *instance);
} permove_agent;

/* To be defined by the plug-in: PERMOVE_ABI, and its agents with their number. */
uint32_t permove_abi(void);
const permove_agent *permove_agents(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
