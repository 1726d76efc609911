/* Workspaces: arrays carved one after the other from a few blocks, and released together.

   Whoever carves states kind and length of each array where it is named, and asks once, at the end, whether `failed`
   is set; an array that could not be had is NULL. With -DISEGORIA_DEBUG every array has a block of its own between
   guard words, is filled with bytes that are no number, and a word that was overwritten ends the program. */

#ifndef ISEGORIA_ARENA_H
#define ISEGORIA_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(place, bytes) ((void) (place))
#define ASAN_UNPOISON_MEMORY_REGION(place, bytes) ((void) (place))
#endif

#ifdef ISEGORIA_DEBUG
enum { GUARDED = 1 };
#else
enum { GUARDED = 0 };
#endif

enum { ALIGNED = 16, FIRST = 1008, CHUNK = 16384, GUARD = 32 }; /* malloc hands out 1 KB at once: chunks begin so, and double */

static const unsigned char GUARD_BYTE = 0xA7;

typedef struct Chunk {
    struct Chunk *before;
    size_t bytes; /* behind this head */
} Chunk;

typedef struct {
    Chunk *newest;
    char *next; /* where the next array would begin */
    size_t left, size; /* bytes left of the last chunk, and how long that is */
    int failed;
    long *countdown; /* of every arena: the allocation that is to fail, for tests; 0: none */
} Arena;

/* An arena without arrays, which costs nothing; whatever it held before is not released. */
static inline void arena_open(Arena *arena, long *countdown)
{
    memset(arena, 0, sizeof(Arena));
    arena->countdown = countdown;
}

static inline Chunk *arena_chunk(Arena *arena, size_t bytes)
{
    Chunk *chunk = NULL;
    if (!(*arena->countdown > 0 && --*arena->countdown == 0))
        chunk = malloc(sizeof(Chunk) + bytes);
    if (chunk == NULL) {
        arena->failed = 1;
        return NULL;
    }
    chunk->before = arena->newest;
    chunk->bytes = bytes;
    arena->newest = chunk;
    return chunk;
}

/* An array between guard words, in a block of its own. */
static inline void *arena_guarded(Arena *arena, size_t bytes)
{
    Chunk *chunk = arena_chunk(arena, bytes + 2 * GUARD);
    char *first = (char *) (chunk + 1);
    if (chunk == NULL)
        return NULL;
    memset(first, GUARD_BYTE, GUARD);
    memset(first + GUARD, 0xFF, bytes);
    memset(first + GUARD + bytes, GUARD_BYTE, GUARD);
    ASAN_POISON_MEMORY_REGION(first, GUARD);
    ASAN_POISON_MEMORY_REGION(first + GUARD + bytes, GUARD);
    return first + GUARD;
}

/* An array of `count` things of `size` bytes, not filled in; NULL once memory was short or `count` negative. */
static inline void *arena_carve(Arena *arena, ptrdiff_t count, size_t size)
{
    size_t bytes = (size_t) count * size, whole = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    Chunk *chunk;
    char *place;
    if (arena->failed || count < 0 || (size_t) count > (PTRDIFF_MAX - CHUNK) / size) {
        arena->failed = 1;
        return NULL;
    }
    if (GUARDED)
        return arena_guarded(arena, bytes);
    if (whole > CHUNK / 4) { /* a long array gets a chunk of its own, and the rest of the last one is kept */
        chunk = arena_chunk(arena, whole);
        return chunk == NULL ? NULL : (void *) (chunk + 1);
    }
    if (whole > arena->left) {
        do
            arena->size = arena->size == 0 ? FIRST : arena->size >= CHUNK ? CHUNK : 2 * arena->size;
        while (whole > arena->size);
        chunk = arena_chunk(arena, arena->size);
        if (chunk == NULL)
            return NULL;
        arena->next = (char *) (chunk + 1);
        arena->left = arena->size;
    }
    place = arena->next;
    arena->next += whole;
    arena->left -= whole;
    return place;
}

/* The same, filled with 0. */
static inline void *arena_zeros(Arena *arena, ptrdiff_t count, size_t size)
{
    void *found = arena_carve(arena, count, size);
    return found == NULL ? NULL : memset(found, 0, (size_t) count * size);
}

/* Several arrays of `count` things of one kind, one for each pointer named, which must be to that kind. */
#define ARENA_EACH(kind, carve, arena, count, ...)                            \
    do {                                                                      \
        kind **named_[] = {__VA_ARGS__};                                      \
        for (size_t i_ = 0; i_ < sizeof named_ / sizeof *named_; i_++)        \
            *named_[i_] = (kind *) carve((arena), (count), sizeof(kind));     \
    } while (0)

#define ARENA_DOUBLES(arena, count, ...) ARENA_EACH(double, arena_carve, arena, count, __VA_ARGS__)
#define ARENA_ZEROS(arena, count, ...) ARENA_EACH(double, arena_zeros, arena, count, __VA_ARGS__)
#define ARENA_INTEGERS(arena, count, ...) ARENA_EACH(int, arena_carve, arena, count, __VA_ARGS__)

static inline void arena_check(Chunk *chunk)
{
    unsigned char *first = (unsigned char *) (chunk + 1), *last = first + chunk->bytes - GUARD;
    ASAN_UNPOISON_MEMORY_REGION(first, GUARD);
    ASAN_UNPOISON_MEMORY_REGION(last, GUARD);
    for (int i = 0; i < GUARD; i++)
        if (first[i] != GUARD_BYTE || last[i] != GUARD_BYTE) {
            fprintf(stderr, "isegoria: a kernel wrote outside an array of %zu bytes\n", chunk->bytes - 2 * GUARD);
            abort();
        }
}

/* Release every array; the arena is as new. */
static inline void arena_close(Arena *arena)
{
    while (arena->newest != NULL) {
        Chunk *chunk = arena->newest;
        arena->newest = chunk->before;
        if (GUARDED)
            arena_check(chunk);
        free(chunk);
    }
    arena_open(arena, arena->countdown);
}

#endif
