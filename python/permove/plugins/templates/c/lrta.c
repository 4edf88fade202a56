/* LRTA* with a lookahead of one move (Korf 1990): an example to start from.
 *
 * Build it with `make`, test it with `make test`, and run it with
 *     permove run -a './liblrta.so:lrta(gamma={0.5,1})' astar
 */
#include "permove.h"

#include <stdlib.h>

/* What an agent keeps from move to move. There is one for each problem. */
typedef struct lrta {
    uint32_t cardinal; /* what moves cost, weighed */
    uint32_t diagonal;
} lrta;

/* The parameters: name, what it does, kind, words of a choice, least, most, default. They can be swept in specs. */
static const permove_parameter parameters[] = {
    {"gamma", "the weight of the cost of a move", PERMOVE_REAL, NULL, 0.001, 1, 1},
};

/* A problem begins. The values come in the order of the parameters. */
static void *create(const permove_setup *setup) {
    lrta *self = malloc(sizeof *self);
    if (self != NULL) {
        double gamma = setup->values[0];
        self->cardinal = (uint32_t)(gamma * PERMOVE_CARDINAL + 0.5);
        self->diagonal = (uint32_t)(gamma * PERMOVE_DIAGONAL + 0.5);
    }
    return self;
}

/* One move is planned. */
static const char *plan(void *instance, permove_world *world) {
    const lrta *self = instance;
    permove_successor successors[PERMOVE_MOST_SUCCESSORS];
    /* Look at all neighbours: this counts as one state expanded. */
    uint32_t count = world->expand(world, world->at, successors);
    if (count == PERMOVE_STOP) {
        return NULL;
    }
    /* The best is the first with the least cost of going there plus heuristic. */
    uint32_t best = 0;
    uint32_t f = PERMOVE_INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cost = successors[i].cost == PERMOVE_CARDINAL ? self->cardinal : self->diagonal;
        uint32_t value = cost + successors[i].h;
        best = value < f ? successors[i].state : best;
        f = value < f ? value : f;
    }
    if (f == PERMOVE_INFINITY) {
        return NULL; /* no neighbour, no move: the agent is stuck */
    }
    /* The heuristic of where it stands rises to that, and never falls. */
    world->learn(world, world->at, f > world->h ? f : world->h);
    world->go(world, best);
    return NULL; /* all is well */
}

static const permove_agent agents[] = {
    {
        .name = "lrta",
        .about = "Looks one move ahead, raises the heuristic of where it stands, makes one move to the best.",
        .parameters = parameters,
        .parameter_count = sizeof parameters / sizeof *parameters,
        .create = create,
        .plan = plan,
        .destroy = free,
    },
};

uint32_t permove_abi(void) {
    return PERMOVE_ABI;
}

const permove_agent *permove_agents(uint32_t *count) {
    *count = sizeof agents / sizeof *agents;
    return agents;
}
