/* The interface between permove and agents in shared libraries, version 2. Libraries for version 1 still work.
 *
 * A plug-in is a shared library that defines the two functions at the end of this file. For each problem permove calls
 * `create`, then `plan` repeatedly until the agent arrives, then `destroy`. An agent reads the map only through the world
 * that `plan` receives, and only during that call. Its expansions are counted like those of built-in agents.
 *
 * States are the cells of the map, numbered row by row from the top left: state = y * width + x. Costs and heuristics are
 * integers, so that sums are exact: a cardinal move costs 5741 and a diagonal one 8119, a ratio that equals the square
 * root of two to eight digits.
 *
 * An instance is used by one thread at a time. Pointers that permove passes are valid only during the call.
 */
#ifndef PERMOVE_H
#define PERMOVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERMOVE_ABI 2
#define PERMOVE_CARDINAL 5741u
#define PERMOVE_DIAGONAL 8119u
#define PERMOVE_INFINITY UINT32_MAX
#define PERMOVE_MAX_SUCCESSORS 8
#define PERMOVE_MOST_SUCCESSORS PERMOVE_MAX_SUCCESSORS /* old name, kept for existing plug-ins */
/* Result of expand and reread after ten times the cutoff: no more successors are available, so return from plan. */
#define PERMOVE_STOP UINT32_MAX

typedef struct permove_successor {
    uint32_t state;
    uint32_t cost; /* cost of the move to it */
    uint32_t h;    /* its heuristic: the learned value, or the initial one */
} permove_successor;

typedef struct permove_world permove_world;
struct permove_world {
    uint32_t at;     /* current state */
    uint32_t goal;
    uint32_t h;      /* heuristic of the current state when plan is called */
    uint64_t cutoff; /* maximum number of expanded states per move; UINT64_MAX if there is no limit */

    /* Writes all successors of a state, in tie-breaking order, and returns their number or PERMOVE_STOP. Counts as one
     * expanded state. */
    uint32_t (*expand)(permove_world *world, uint32_t state, permove_successor successors[PERMOVE_MAX_SUCCESSORS]);
    /* Like expand, for a state that was already expanded in this call of plan. Counts only as touched. */
    uint32_t (*reread)(permove_world *world, uint32_t state, permove_successor successors[PERMOVE_MAX_SUCCESSORS]);
    /* Returns the heuristic of a state: the learned value, or the initial one. */
    uint32_t (*heuristic)(permove_world *world, uint32_t state);
    /* Returns the initial heuristic between two states. */
    uint32_t (*initial)(permove_world *world, uint32_t state, uint32_t goal);
    /* Sets the heuristic of a state. Values below the initial heuristic have no effect. */
    void (*learn)(permove_world *world, uint32_t state, uint32_t value);
    /* Appends a move to the plan. */
    void (*go)(permove_world *world, uint32_t state);
    /* Returns the number of states expanded so far in this call of plan. */
    uint64_t (*expanded)(permove_world *world);

    void *access; /* internal */

    /* Reports the bytes that the agent's own tables use now, without learned heuristics, which permove counts. permove
     * records the maximum; without a report the memory of the agent is unknown. Since version 2. */
    void (*memory)(permove_world *world, uint64_t bytes);
};

typedef enum permove_kind {
    PERMOVE_INTEGER = 0, /* an integer; may be INFINITY if `max` is INFINITY */
    PERMOVE_REAL = 1,    /* a number */
    PERMOVE_CHOICE = 2   /* one of `words`; the value is its index, starting at 0 */
} permove_kind;

#ifdef __GNUC__
/* A list of values without names may initialize a parameter, in spite of the unions below. */
#pragma GCC diagnostic ignored "-Wmissing-braces"
#endif

typedef struct permove_parameter {
    const char *name;
    const char *about;
    uint32_t kind;     /* a permove_kind */
    const char *words; /* choices, separated by spaces; NULL for other kinds */
    union {
        double min;
        double least;  /* old name, kept for existing plug-ins */
    };
    union {
        double max;
        double most;   /* old name, kept for existing plug-ins */
    };
    double fallback;   /* the default value */
} permove_parameter;

typedef struct permove_setup {
    const double *values; /* one per parameter, in their order */
    uint64_t seed;        /* for random choices: derived from the seed of the run, the agent and the problem */
    uint32_t width;       /* of the map */
    uint32_t height;
} permove_setup;

typedef struct permove_agent {
    const char *name;  /* the name in specs */
    const char *about; /* a description in one sentence */
    const permove_parameter *parameters;
    uint32_t parameter_count;

    /* Creates an instance for a problem, or returns NULL on failure. */
    void *(*create)(const permove_setup *setup);
    /* Called when the agent is at the start. Runs to convergence call it again before each trial; learned heuristics are
     * kept. May be NULL. */
    void (*begin_trial)(void *instance);
    /* Called with the cells that were assumed to be free and discovered to be blocked since the last plan. May be NULL. */
    void (*discovered)(void *instance, const uint32_t *states, uint32_t count);
    /* Plans one or more moves from world->at; no move means that there is no path. Returns NULL, or an error message
     * that must stay valid until the next call. */
    const char *(*plan)(void *instance, permove_world *world);
    /* Called at the end of the problem. May be NULL. */
    void (*destroy)(void *instance);
} permove_agent;

/* Functions that the plug-in must define: they return PERMOVE_ABI, and the agents with their number. */
uint32_t permove_abi(void);
const permove_agent *permove_agents(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
