/* An agent that makes three moves like LRTA* and then misbehaves. */
#include "permove.h"

#include <stdlib.h>
#include <unistd.h>

enum what { WALL, JUMP, RAISE, CRASH, EXIT, HANG, OVERPLAN };

typedef struct bad {
    enum what what;
    double left;
    uint32_t width;
} bad;

static const permove_parameter parameters[] = {
    {"what", "kind of misbehaviour", PERMOVE_CHOICE, "wall jump raise crash exit hang overplan", 0, 0, RAISE},
    {"after", "number of moves before it", PERMOVE_INTEGER, NULL, 0, INFINITY, 3},
};

static void *create(const permove_setup *setup) {
    bad *self = malloc(sizeof *self);
    *self = (bad){(enum what)setup->values[0], setup->values[1], setup->width};
    return self;
}

static const char *plan(void *instance, permove_world *world) {
    bad *self = instance;
    permove_successor successors[PERMOVE_MOST_SUCCESSORS];
    uint32_t at = world->at, best = 0, f = PERMOVE_INFINITY;
    uint32_t count = world->expand(world, at, successors);
    if (--self->left < 0) {
        uint32_t adjacent[4] = {at - 1, at + 1, at - self->width, at + self->width};
        volatile uint32_t *nowhere = NULL;
        switch (self->what) {
        case WALL:
            for (int i = 0; i < 4; i++) {
                uint32_t j = 0;
                while (j < count && successors[j].state != adjacent[i]) {
                    j++;
                }
                if (j == count) {
                    world->go(world, adjacent[i]);
                    return NULL;
                }
            }
            break;
        case JUMP:
            world->go(world, world->goal);
            return NULL;
        case RAISE:
            return "no idea";
        case CRASH:
            *nowhere = 1;
            break;
        case EXIT:
            _exit(3);
        case HANG:
            for (volatile int forever = 1; forever;) {
            }
            break;
        case OVERPLAN:
            while (world->expand(world, at, successors) != PERMOVE_STOP) {
            }
            return NULL;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (successors[i].cost + successors[i].h < f) {
            f = successors[i].cost + successors[i].h;
            best = successors[i].state;
        }
    }
    world->learn(world, at, f);
    world->go(world, best);
    return NULL;
}

static const permove_agent agents[] = {
    {"bad", "Misbehaves at its fourth move.", parameters, 2, create, NULL, NULL, plan, free},
};

uint32_t permove_abi(void) {
    return PERMOVE_ABI;
}

const permove_agent *permove_agents(uint32_t *count) {
    *count = 1;
    return agents;
}
