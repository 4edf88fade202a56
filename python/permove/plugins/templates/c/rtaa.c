/* RTAA* (Koenig and Likhachev 2006): an example with a search and plans of several moves.
 *
 * Build it with `make`, test it with `make test`, and run it with
 *     permove run -a './librtaa.so:rtaa(k={10,100})' astar
 */
#include "permove.h"

#include <stdlib.h>

/* Search data of a state. */
typedef struct node {
    uint32_t search; /* the number of the search that generated it; entries of earlier searches are invalid */
    uint32_t g;
    uint32_t h;
    uint32_t parent;
} node;

/* A state on the open list. The key is f, then the complement of g, so that the larger g wins ties. */
typedef struct entry {
    uint64_t key;
    uint32_t serial; /* the older entry wins remaining ties */
    uint32_t state;
} entry;

typedef struct list {
    entry *entries;
    size_t count;
    size_t capacity;
} list;

typedef struct rtaa {
    double lookahead;
    double max_moves;
    uint32_t search;
    node *nodes;
    list open;
    uint32_t *closed;
    size_t closed_capacity;
    uint32_t *path;
} rtaa;

static const permove_parameter parameters[] = {
    {"k", "the lookahead: number of states to expand", PERMOVE_INTEGER, NULL, 1, INFINITY, 10},
    {"moves", "the maximum number of moves per plan", PERMOVE_INTEGER, NULL, 1, INFINITY, INFINITY},
};

static int precedes(const entry *one, const entry *other) {
    return one->key < other->key || (one->key == other->key && one->serial < other->serial);
}

static int push(list *open, entry added) {
    if (open->count == open->capacity) {
        size_t capacity = open->capacity ? 2 * open->capacity : 256;
        entry *entries = realloc(open->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return 0;
        }
        open->entries = entries;
        open->capacity = capacity;
    }
    size_t at = open->count++;
    while (at > 0 && precedes(&added, &open->entries[(at - 1) / 2])) {
        open->entries[at] = open->entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    open->entries[at] = added;
    return 1;
}

static entry pop(list *open) {
    entry first = open->entries[0];
    entry last = open->entries[--open->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < open->count; at = child) {
        if (child + 1 < open->count && precedes(&open->entries[child + 1], &open->entries[child])) {
            child++;
        }
        if (!precedes(&open->entries[child], &last)) {
            break;
        }
        open->entries[at] = open->entries[child];
    }
    open->entries[at] = last;
    return first;
}

static void destroy(void *instance) {
    rtaa *self = instance;
    free(self->nodes);
    free(self->open.entries);
    free(self->closed);
    free(self->path);
    free(self);
}

static void *create(const permove_setup *setup) {
    size_t states = (size_t)setup->width * setup->height;
    rtaa *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->lookahead = setup->values[0];
    self->max_moves = setup->values[1];
    self->nodes = calloc(states, sizeof *self->nodes);
    self->path = malloc(states * sizeof *self->path);
    if (self->nodes == NULL || self->path == NULL) {
        destroy(self);
        return NULL;
    }
    return self;
}

static const char *plan(void *instance, permove_world *world) {
    rtaa *self = instance;
    node *nodes = self->nodes;
    permove_successor successors[PERMOVE_MAX_SUCCESSORS];
    uint32_t serial = 0, end = PERMOVE_INFINITY;
    size_t closed = 0;

    /* A* from the current state, until the goal or the (k+1)th state is about to be expanded. */
    self->search++;
    self->open.count = 0;
    uint32_t h = world->heuristic(world, world->at);
    nodes[world->at] = (node){self->search, 0, h, world->at};
    if (!push(&self->open, (entry){(uint64_t)h << 32 | UINT32_MAX, serial++, world->at})) {
        return "out of memory";
    }
    while (self->open.count > 0) {
        entry first = pop(&self->open);
        uint32_t state = first.state, g = nodes[state].g;
        if (~(uint32_t)first.key != g) {
            continue; /* a cheaper path was found later */
        }
        if (state == world->goal || (double)closed == self->lookahead) {
            end = state;
            break;
        }
        if (closed == self->closed_capacity) {
            size_t capacity = closed ? 2 * closed : 256;
            uint32_t *states = realloc(self->closed, capacity * sizeof *states);
            if (states == NULL) {
                return "out of memory";
            }
            self->closed = states;
            self->closed_capacity = capacity;
        }
        self->closed[closed++] = state;
        uint32_t count = world->expand(world, state, successors);
        if (count == PERMOVE_STOP) {
            return NULL;
        }
        for (uint32_t i = 0; i < count; i++) {
            permove_successor next = successors[i];
            node *found = &nodes[next.state];
            uint32_t cost = g + next.cost;
            if (found->search == self->search && found->g <= cost) {
                continue;
            }
            *found = (node){self->search, cost, next.h, state};
            uint64_t f = (uint64_t)cost + next.h;
            if (!push(&self->open, (entry){f << 32 | (uint32_t)~cost, serial++, next.state})) {
                return "out of memory";
            }
        }
    }
    if (end == PERMOVE_INFINITY) {
        return NULL; /* no path */
    }

    /* Report the bytes of the tables in use: every entry of the open list has a node, and there may be a path. */
    world->memory(world, serial * (sizeof(node) + sizeof(entry)) + 2 * closed * sizeof(uint32_t));
    /* Set the heuristic of each expanded state to f(end) - g. */
    uint32_t f = nodes[end].g + nodes[end].h;
    for (size_t i = 0; i < closed; i++) {
        world->learn(world, self->closed[i], f - nodes[self->closed[i]].g);
    }
    /* Follow the parents from the end, then append the first moves of the path to the plan. */
    size_t length = 0;
    for (uint32_t state = end; state != world->at; state = nodes[state].parent) {
        self->path[length++] = state;
    }
    for (size_t made = 0; made < length && (double)made < self->max_moves; made++) {
        world->go(world, self->path[length - 1 - made]);
    }
    return NULL;
}

static const permove_agent agents[] = {
    {
        .name = "rtaa",
        .about = "Expands k states like A*, raises their heuristics, moves towards the state that A* would expand next.",
        .parameters = parameters,
        .parameter_count = sizeof parameters / sizeof *parameters,
        .create = create,
        .plan = plan,
        .destroy = destroy,
    },
};

uint32_t permove_abi(void) {
    return PERMOVE_ABI;
}

const permove_agent *permove_agents(uint32_t *count) {
    *count = sizeof agents / sizeof *agents;
    return agents;
}
