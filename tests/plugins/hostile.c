/* An agent that attacks the run at its fourth move and otherwise moves like LRTA*. */
#include "permove.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum what { ABORT, STACK, HEAP, MEMORY, OUTSIDE, UNKNOWN, ENDLESS, SOCKET, WORLD, NOTEXT };

typedef struct hostile {
    enum what what;
    double left;
} hostile;

static const permove_parameter parameters[] = {
    {"what", "kind of attack", PERMOVE_CHOICE, "abort stack heap memory outside unknown endless socket world notext", 0,
     0, ABORT},
    {"after", "number of moves before it", PERMOVE_INTEGER, NULL, 0, INFINITY, 3},
};

static void *create(const permove_setup *setup) {
    hostile *self = malloc(sizeof *self);
    *self = (hostile){(enum what)setup->values[0], setup->values[1]};
    return self;
}

static int deep(volatile char *before) {
    volatile char here[1024];
    here[0] = before ? before[0] : 0;
    return deep(here) + here[0];
}

static const char *attack(enum what what, permove_world *world) {
    permove_successor successors[PERMOVE_MAX_SUCCESSORS];
    static const char invalid[] = {'\x1b', '[', '3', '1', 'm', '\xff', '\xfe', 0};
    char *volatile inner;
    switch (what) {
    case ABORT:
        abort();
    case STACK:
        return deep(NULL) ? "deep" : NULL;
    case HEAP:
        inner = malloc(64);
        free(inner + 8);
        break;
    case MEMORY:
        while ((inner = malloc(100000000)) != NULL) {
            inner[0] = 1;
        }
        abort();
    case OUTSIDE:
        world->go(world, UINT32_MAX);
        return NULL;
    case UNKNOWN:
        world->expand(world, UINT32_MAX - 1, successors);
        return NULL;
    case ENDLESS:
        for (;;) {
            world->go(world, world->at);
            if (world->expanded(world) > 0) {
                return NULL;
            }
        }
    case SOCKET:
        for (int number = 3; number < 64; number++) {
            send(number, "\x02\xff\xff\xff\xff\xff\xff\xff\x7f", 9, 0);
        }
        break;
    case WORLD:
        world->access = NULL;
        world->expand(world, world->at, successors);
        break;
    case NOTEXT:
        return invalid;
    }
    return NULL;
}

static const char *plan(void *instance, permove_world *world) {
    hostile *self = instance;
    permove_successor successors[PERMOVE_MAX_SUCCESSORS];
    uint32_t best = 0, f = PERMOVE_INFINITY;
    if (--self->left < 0 && self->what != SOCKET) {
        return attack(self->what, world);
    }
    if (self->left < 0) {
        attack(self->what, world);
    }
    uint32_t count = world->expand(world, world->at, successors);
    for (uint32_t i = 0; i < count; i++) {
        if (successors[i].cost + successors[i].h < f) {
            f = successors[i].cost + successors[i].h;
            best = successors[i].state;
        }
    }
    world->learn(world, world->at, f);
    world->go(world, best);
    return NULL;
}

static const permove_agent agents[] = {
    {"hostile", "Attacks the run.", parameters, 2, create, NULL, NULL, plan, free},
};

uint32_t permove_abi(void) {
    return PERMOVE_ABI;
}

const permove_agent *permove_agents(uint32_t *count) {
    *count = 1;
    return agents;
}
