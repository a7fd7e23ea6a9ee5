/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/denial.h"

#include "filters/moments.h"
#include "filters/same.h"

/* --- How they left --- */

/* A bound: most of the readings that agree with the gap, and most of all. In doubt: some of these,
 * or others passed at once that left as close (a bucket that is not always empty). One in so many
 * is doubt enough. */
enum { LIMITED_SHARE = 4, PASSED_SHARE = 8 };
#define AT_ONCE_GAP 0.7

struct departures departures_read(const struct readings *readings, unsigned from, uint32_t bytes,
                                  double gap_ns, double same_ns)
{
    double reach_ns = same_reach(gap_ns, SAME_RATE, same_ns);
    unsigned alike = 0, all = 0, agree = 0, limited = 0, passed = 0;
    bool bound;

    EACH_READING_FROM(reading, readings, from) {
        if (reading->bytes != bytes)
            continue;
        alike++;
        all += reading->limited;
        passed += reading->limited && reading->gap_ns < AT_ONCE_GAP * gap_ns;
        if (!same_gap(reading->gap_ns, gap_ns, 0, reach_ns))
            continue;
        agree++;
        limited += reading->limited;
    }
    bound = 2 * limited > agree && 2 * all > alike;
    return (struct departures){bound,
                               !bound && (LIMITED_SHARE * limited > agree || PASSED_SHARE * passed > alike)};
}

/* --- Other sizes --- */

/* What readings of other sizes must say of a gap that nearly all of one size agree
 * on: the same rate. Interrupts that wait, ticks, buckets and turns do not ask for the size. The first that does not say so
 * is a doubt; it takes some to bear the gap out. */
enum { OTHERS_LEAST = 3 };

/* A bucket with room for smaller packets spares all of them, and most of the time they
 * would take; traffic spares some, or a little. */
#define SPARED 0.9
#define SPARED_GAP 0.7

struct others {
    unsigned count, spared, differ, blind;
};

static struct others count_others(const struct readings *readings, unsigned from, const struct floors *floors,
                                  double gap_ns, double noise_ns)
{
    struct others others = {0};

    EACH_READING_FROM(reading, readings, from) {
        double due_ns;
        bool differs;

        if (sizes_alike(reading->bytes, floors->bytes) || reading->segment != floors->segment)
            continue;
        due_ns = gap_ns * reading->bytes / floors->bytes;
        differs = !same_gap(reading->gap_ns, due_ns, SAME_SIZES, noise_ns);
        others.count++;
        others.differ += differs; /* else stamps do not tell the one from the other */
        others.blind += differs && same_gap(reading->gap_ns, gap_ns, SAME_RATE, noise_ns);
        others.spared += reading->gap_ns < SPARED_GAP * due_ns - noise_ns;
    }
    return others;
}

bool denial_sizes_bear_out(const struct readings *readings, const struct floors *floors, double gap_ns,
                           double noise_ns)
{
    struct others others = count_others(readings, 0, floors, gap_ns, noise_ns);

    return others.count >= OTHERS_LEAST && 2 * others.differ <= others.count;
}

/* --- Trains --- */

/* Behind a queue, and nothing else, the last gap of a train is no other than the first,
 * on average. A bucket, or a sender that starts fast, make it longer. */
static bool denial_tails_differ(const struct readings *readings, unsigned from, const struct noise *noise,
                                const struct floors *floors)
{
    struct moments longer = {0};

    EACH_READING_FROM(reading, readings, from)
        if (!isnan(reading->last_ns) && reading->bytes == floors->bytes)
            moments_add(&longer, reading->last_ns - reading->gap_ns);
    return !readings->trains && longer.count >= OTHERS_LEAST
        && floors->mean_ns > BATCHED_TICKS * noise->tick_ns
        && fabs(longer.mean) > BEYOND_CHANCE * moments_error(&longer)
            + same_reach(floors->mean_ns, SAME_RATE, noise_late_ns(noise, floors->mean_ns));
}

/* Whether the trains that the readings are the heads of came in batches. */
static bool are_batched(const struct readings *readings, unsigned from)
{
    unsigned batched = 0;

    EACH_READING_FROM(reading, readings, from)
        batched += reading->batched;
    return 2 * batched > readings->count - from;
}

struct evidence denial_read(const struct readings *readings, unsigned from, const struct noise *noise,
                            const struct floors *floors, double gap_ns)
{
    double reach_ns = fmax(floors->same_ns, noise->tick_ns);
    struct others others = count_others(readings, from, floors, gap_ns, reach_ns);
    bool spared = others.count > 0 && others.spared >= SPARED * others.count;
    bool blind = 2 * others.blind > others.count;
    bool differ = floors->agree && !spared && 2 * others.differ > others.count;
    struct evidence evidence = {0};

    evidence_note(&evidence, AGAINST_SPARED, spared);
    evidence_note(&evidence, AGAINST_SIZES, differ || blind);
    evidence_note(&evidence, AGAINST_BATCHES, are_batched(readings, from));
    evidence_note(&evidence, AGAINST_TAILS, denial_tails_differ(readings, from, noise, floors));
    return evidence;
}
