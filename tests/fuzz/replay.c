/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay [-m COUNT] FILE...: runs a fuzz target on each file, then on COUNT mutations of
 * them: bytes changed, runs of them set, parts cut out, doubled or taken from another.
 * PP_SEED repeats a run; each mutation can be made alone from it and its number.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MOST_BYTES = 1 << 20, CHANGES_MOST = 8 };

struct input {
    uint8_t *data;
    size_t bytes;
};

static struct input *inputs;
static size_t inputs_count;

static struct input read_input(const char *path)
{
    struct input input = {malloc(INPUT_MOST_BYTES), 0};
    FILE *file = fopen(path, "rb");

    if (file == NULL || input.data == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    input.bytes = fread(input.data, 1, INPUT_MOST_BYTES, file);
    fclose(file);
    return input;
}

/* --- Mutations --- */

static uint8_t interesting(struct rng *rng)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, 4, 6, 17, 44, 0x45, 0x60};

    return rng_below(rng, 2) ? (uint8_t)rng_next(rng) : values[rng_below(rng, sizeof values)];
}

static void set_bytes(struct rng *rng, struct input *input)
{
    size_t at = (size_t)rng_below(rng, (uint32_t)input->bytes);
    size_t count = 1 + (size_t)rng_below(rng, 4);
    uint8_t value = interesting(rng);

    for (size_t i = at; i < at + count && i < input->bytes; i++)
        input->data[i] = value;
}

static void cut_out(struct rng *rng, struct input *input)
{
    size_t at = (size_t)rng_below(rng, (uint32_t)input->bytes);
    size_t count = 1 + (size_t)rng_below(rng, (uint32_t)(input->bytes - at));

    if (rng_below(rng, 2) && count > 16)
        count = 16;
    memmove(input->data + at, input->data + at + count, input->bytes - at - count);
    input->bytes -= count;
}

/* A part of another input, over what is here or in between. */
static void take_over(struct rng *rng, struct input *input)
{
    const struct input *from = &inputs[rng_below(rng, (uint32_t)inputs_count)];
    size_t at = (size_t)rng_below(rng, (uint32_t)input->bytes);
    size_t start, count;

    if (from->bytes == 0)
        return;
    start = (size_t)rng_below(rng, (uint32_t)from->bytes);
    count = 1 + (size_t)rng_below(rng, (uint32_t)(from->bytes - start));
    if (rng_below(rng, 2) && input->bytes + count <= INPUT_MOST_BYTES) {
        memmove(input->data + at + count, input->data + at, input->bytes - at);
        input->bytes += count;
    }
    if (count > input->bytes - at)
        count = input->bytes - at;
    memcpy(input->data + at, from->data + start, count);
}

static void replay_mutate(struct rng *rng, struct input *input)
{
    const struct input *seed = &inputs[rng_below(rng, (uint32_t)inputs_count)];
    uint32_t changes = 1 + rng_below(rng, CHANGES_MOST);

    memcpy(input->data, seed->data, seed->bytes);
    input->bytes = seed->bytes;
    for (uint32_t i = 0; i < changes && input->bytes > 0; i++) {
        uint32_t kind = rng_below(rng, 8);

        if (kind < 6)
            set_bytes(rng, input);
        else if (kind == 6)
            cut_out(rng, input);
        else
            take_over(rng, input);
    }
}

/* In memory of the exact size: a sanitizer sees a step beyond it. */
static void fuzz_replay_run(const struct input *input)
{
    uint8_t *exact = malloc(input->bytes > 0 ? input->bytes : 1);

    if (exact == NULL)
        exit(EXIT_FAILURE);
    memcpy(exact, input->data, input->bytes);
    LLVMFuzzerTestOneInput(exact, input->bytes);
    free(exact);
}

static void run_mutations(unsigned long count)
{
    struct rng rng = rng_start("replay");
    struct input input = {malloc(INPUT_MOST_BYTES), 0};

    if (input.data == NULL)
        exit(EXIT_FAILURE);
    for (unsigned long i = 0; i < count; i++) {
        replay_mutate(&rng, &input);
        fuzz_replay_run(&input);
    }
    free(input.data);
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    int first = 1;

    if (argc > 2 && strcmp(argv[1], "-m") == 0) {
        count = strtoul(argv[2], NULL, 10);
        first = 3;
    }
    inputs = calloc((size_t)argc, sizeof *inputs);
    if (inputs == NULL || first == argc) {
        fprintf(stderr, "usage: replay [-m COUNT] FILE...\n");
        return 2;
    }
    for (int i = first; i < argc; i++) {
        inputs[inputs_count] = read_input(argv[i]);
        fuzz_replay_run(&inputs[inputs_count++]);
    }
    if (count > 0)
        run_mutations(count);
    printf("replay: %zu inputs, %lu mutations\n", inputs_count, count);
    return EXIT_SUCCESS;
}
