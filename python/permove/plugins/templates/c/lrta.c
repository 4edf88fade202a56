/* LRTA* with a lookahead of one move (Korf 1990): an example as a starting point.
 *
 * Build it with `make`, test it with `make test`, and run it with
 *     permove run -a './liblrta.so:lrta(gamma={0.5,1})' astar
 */
#include "permove.h"

#include <stdlib.h>

/* State of the agent between moves. permove creates one instance per problem. */
typedef struct lrta {
    uint32_t cardinal; /* weighted costs of moves */
    uint32_t diagonal;
} lrta;

/* The parameters: name, description, kind, words of a choice, minimum, maximum, default. Specs can sweep them. */
static const permove_parameter parameters[] = {
    {"gamma", "the weight of the cost of a move", PERMOVE_REAL, NULL, 0.001, 1, 1},
};

/* Create an instance for a problem. The values are in the order of the parameters. */
static void *create(const permove_setup *setup) {
    lrta *self = malloc(sizeof *self);
    if (self != NULL) {
        double gamma = setup->values[0];
        self->cardinal = (uint32_t)(gamma * PERMOVE_CARDINAL + 0.5);
        self->diagonal = (uint32_t)(gamma * PERMOVE_DIAGONAL + 0.5);
    }
    return self;
}

/* Plan one move. */
static const char *plan(void *instance, permove_world *world) {
    const lrta *self = instance;
    permove_successor successors[PERMOVE_MAX_SUCCESSORS];
    /* Generate all neighbours, which counts as one expanded state. */
    uint32_t count = world->expand(world, world->at, successors);
    if (count == PERMOVE_STOP) {
        return NULL;
    }
    /* The best neighbour minimizes the weighted cost of the move plus its heuristic; the first one wins ties. */
    uint32_t best = 0;
    uint32_t f = PERMOVE_INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cost = successors[i].cost == PERMOVE_CARDINAL ? self->cardinal : self->diagonal;
        uint32_t value = cost + successors[i].h;
        best = value < f ? successors[i].state : best;
        f = value < f ? value : f;
    }
    if (f == PERMOVE_INFINITY) {
        return NULL; /* no neighbour: the agent is stuck */
    }
    /* The heuristic of the current state rises to that value and never falls. */
    world->learn(world, world->at, f > world->h ? f : world->h);
    world->go(world, best);
    /* permove counts what the agent learns. It has no tables of its own, whose bytes it would report here. */
    world->memory(world, 0);
    return NULL; /* no error */
}

static const permove_agent agents[] = {
    {
        .name = "lrta",
        .about = "Looks one move ahead, raises the heuristic of the current state, moves to the best neighbour.",
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
