/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/filter.h"
#include "filters/hops.h"
#include "filters/tight_estimate.h"
#include "pprec/core.h"

#include <stddef.h>

static const char *const verdicts[] = {
    [PPREC_VERDICT_OK] = "ok",
    [PPREC_VERDICT_COMPRESSED] = "compressed",
    [PPREC_VERDICT_EXPANDED] = "expanded",
    [PPREC_VERDICT_PARTIAL] = "partial",
    [PPREC_VERDICT_REORDERED] = "reordered",
    [PPREC_VERDICT_SENDER_LIMITED] = "sender_limited",
    [PPREC_VERDICT_BATCHED] = "batched",
    [PPREC_VERDICT_LATE] = "late",
    [PPREC_VERDICT_FOREIGN_SIZE] = "foreign_size",
    [PPREC_VERDICT_REACH] = "reach",
};

static const char *const states[] = {
    [PPREC_STATE_INSUFFICIENT] = "insufficient",
    [PPREC_STATE_TENTATIVE] = "tentative",
    [PPREC_STATE_CONVERGED] = "converged",
    [PPREC_STATE_SHAPED] = "shaped",
    [PPREC_STATE_AMBIGUOUS] = "ambiguous",
    [PPREC_STATE_SENDER_LIMITED] = "sender_limited",
    [PPREC_STATE_FAIR] = "fair",
    [PPREC_STATE_POLICED] = "policed",
    [PPREC_STATE_VARYING] = "varying",
};

static const char *const available_states[] = {
    [PPREC_AVAILABLE_UNKNOWN] = "unknown",
    [PPREC_AVAILABLE_TENTATIVE] = "tentative",
    [PPREC_AVAILABLE_AT_LEAST] = "at_least",
    [PPREC_AVAILABLE_CONVERGED] = "converged",
};

static const char *const timestamps_names[] = {
    [PPREC_TIMESTAMPS_NONE] = "none",     [PPREC_TIMESTAMPS_HARDWARE] = "hardware",
    [PPREC_TIMESTAMPS_KERNEL] = "kernel", [PPREC_TIMESTAMPS_PCAP] = "pcap",
    [PPREC_TIMESTAMPS_USER] = "user",
};

static const char *const kinds[] = {
    [PPREC_KIND_PROBE] = "probe", [PPREC_KIND_SRT] = "srt",     [PPREC_KIND_RTP] = "rtp",
    [PPREC_KIND_FLOW] = "flow",   [PPREC_KIND_IPERF] = "iperf", [PPREC_KIND_UDPST] = "udpst",
    [PPREC_KIND_STAMP] = "stamp",
};

static const char *const reasons[] = {
    [PPREC_REASON_UNTAGGED] = "untagged", [PPREC_REASON_BAD_TAG] = "bad_tag",
    [PPREC_REASON_REPLAYED] = "replayed", [PPREC_REASON_STALE] = "stale",
    [PPREC_REASON_SOURCE] = "source",     [PPREC_REASON_STRANGER] = "stranger",
    [PPREC_REASON_CROWD] = "crowd",       [PPREC_REASON_ROOM] = "room",
    [PPREC_REASON_MEMORY] = "memory",
};

/* For programs, and for people. */
struct phrase {
    const char *name, *text;
};

/* A new word is a row here, and a number in the enums of filters/estimate.h and pprec.h. */
static const struct phrase whys[] = {
    [PPREC_WHY_NONE] = {NULL, NULL},
    [PPREC_WHY_FEW_TRAINS] = {"few_trains", "too few usable trains yet, or too few as long as the longest"},
    [PPREC_WHY_PAIRS_ALONE] = {"pairs_alone", "no long trains: a bucket may hide the link"},
    [PPREC_WHY_NO_SEND_TIMES] = {"no_send_times", "how trains left is not known"},
    [PPREC_WHY_TRAINS_SLOWER] = {"trains_slower", "long trains are slower than pairs"},
    [PPREC_WHY_BATCHES] = {"batches", "packets came in batches: their gaps are not the path's"},
    [PPREC_WHY_TWO_RATES] = {"two_rates", "several rates, each with something for it"},
    [PPREC_WHY_SENDER] = {"sender", "trains arrived as they left: the path may be faster"},
    [PPREC_WHY_OWN_LOAD] = {"own_load", "the trains themselves load the link by over half"},
    [PPREC_WHY_LATE_FIRST_STAMP] = {"late_first_stamp", "first packets are stamped late"},
    [PPREC_WHY_TRAINS_FASTER] = {"trains_faster", "long trains are faster than pairs"},
    [PPREC_WHY_LAST_GAPS_LONGER] = {"last_gaps_longer", "trains end slower than they begin"},
    [PPREC_WHY_HEAD_PAUSE] = {"head_pause", "trains pause at their head, and go on at one rate"},
    [PPREC_WHY_NEVER_IDLE] = {"never_idle", "too few packets reached the least delay again"},
    [PPREC_WHY_STAMPS_COARSE] = {"stamps_coarse", "stamps are too coarse for these gaps"},
    [PPREC_WHY_TICKS] = {"ticks", "packets leave at the ticks of a clock"},
    [PPREC_WHY_RATE_VARIES] = {"rate_varies", "the rate changes from train to train"},
    [PPREC_WHY_FAIR_QUEUE] = {"fair_queue", "others take turns with ours, or it looks like that"},
    [PPREC_WHY_CONTENTION] = {"contention", "each packet waits for the medium by itself"},
    [PPREC_WHY_LOSSES] = {"losses", "long trains lose what a bucket or a full queue does not hold"},
    [PPREC_WHY_SHORT_BURSTS] = {"short_bursts", "bursts are short: a bucket may hide the link"},
};

static const struct phrase advices[] = {
    [PPREC_ADVICE_NONE] = {NULL, NULL},
    [PPREC_ADVICE_WAIT] = {"wait", "wait for more trains"},
    [PPREC_ADVICE_SEND_MIX] = {"send_mix", "send the default pattern"},
    [PPREC_ADVICE_SEND_LONGER_TRAINS] = {"send_longer_trains", "send longer trains (pptrans --mix -n 256)"},
    [PPREC_ADVICE_SEND_TIMES] = {"send_times", "tell when trains leave (pptrans, or RTP's abs-send-time)"},
    [PPREC_ADVICE_SEND_LESS] = {"send_less", "send less often (pptrans -d) or shorter trains (--mix -n 16)"},
    [PPREC_ADVICE_SEND_LARGER] = {"send_larger", "send larger packets (pptrans -s)"},
    [PPREC_ADVICE_SEND_BURSTS] = {"send_bursts", "let large frames leave at once"},
};

static const char *const hop_states[] = {
    [PPREC_HOP_INSUFFICIENT] = "insufficient",
    [PPREC_HOP_TENTATIVE] = "tentative",
    [PPREC_HOP_AT_LEAST] = "at_least",
    [PPREC_HOP_CONVERGED] = "converged",
};

static const struct phrase hops_whys[] = {
    [PPREC_HOPS_WHY_NONE] = {NULL, NULL},
    [PPREC_HOPS_WHY_FEW_TRAINS] = {"few_trains", "too few trains of some hop yet"},
    [PPREC_HOPS_WHY_NO_CAPACITY] = {"no_capacity", "the capacity of the whole path is not sure"},
    [PPREC_HOPS_WHY_BUCKET] = {"bucket", "a bucket lets these trains pass: they do not show the narrow link"},
    [PPREC_HOPS_WHY_NEAR] = {"near", "links too much alike, or trains too much disturbed, to tell apart"},
    [PPREC_HOPS_WHY_BEYOND] = {"beyond", "beyond the last hop that trains were sent to"},
    [PPREC_HOPS_WHY_HOP_LIMITS] = {"hop_limits", "hop limits are changed on the way"},
    [PPREC_HOPS_WHY_PATHS_VARY] = {"paths_vary", "packets come over paths of several lengths"},
    [PPREC_HOPS_WHY_ROOM] = {"room", "no room to keep these trains"},
};

static const struct phrase tight_whys[] = {
    [PPREC_TIGHT_WHY_NONE] = {NULL, NULL},
    [PPREC_TIGHT_WHY_FEW_TRAINS] = {"few_trains", "too few paced trains yet"},
    [PPREC_TIGHT_WHY_LENGTH] = {"length", "how many links there are is not known"},
    [PPREC_TIGHT_WHY_BUCKET] = {"bucket", "a bucket lets trains pass for as long as it holds"},
    [PPREC_TIGHT_WHY_SLOW] = {"slow", "no train was faster than what all links have free"},
    [PPREC_TIGHT_WHY_NEAR] = {"near", "links with about as much free, or trains too much disturbed"},
    [PPREC_TIGHT_WHY_FAST] = {"fast", "even the slowest trains may have been faster than what is free"},
    [PPREC_TIGHT_WHY_ROOM] = {"room", "no room to keep paced trains"},
};

_Static_assert(sizeof tight_whys / sizeof tight_whys[0] == TIGHT_WHY_COUNT, "a row for every why of tight");
_Static_assert(sizeof hop_states / sizeof hop_states[0] == HOP_STATE_COUNT,
               "a word for every state of a hop");
_Static_assert(sizeof hops_whys / sizeof hops_whys[0] == HOPS_WHY_COUNT, "a row for every why of hops");
_Static_assert(sizeof whys / sizeof whys[0] == WHY_COUNT, "a row for every why");
_Static_assert(sizeof advices / sizeof advices[0] == ADVICE_COUNT, "a row for every advice");

static const char *word(const char *const *words, size_t count, size_t i)
{
    return i < count ? words[i] : "unknown";
}

#define WORD(words, i) word(words, sizeof words / sizeof words[0], (size_t)(i))

const char *pprec_verdict_name(enum pprec_verdict verdict)
{
    return WORD(verdicts, verdict);
}

const char *pprec_state_name(enum pprec_state state)
{
    return WORD(states, state);
}

int pprec_state_is_sure(enum pprec_state state)
{
    switch (state) {
    case PPREC_STATE_CONVERGED:
    case PPREC_STATE_SHAPED:
    case PPREC_STATE_FAIR:
    case PPREC_STATE_POLICED:
    case PPREC_STATE_VARYING: return 1;
    case PPREC_STATE_INSUFFICIENT:
    case PPREC_STATE_TENTATIVE:
    case PPREC_STATE_AMBIGUOUS:
    case PPREC_STATE_SENDER_LIMITED: break;
    }
    return 0;
}

const char *pprec_available_state_name(enum pprec_available_state state)
{
    return WORD(available_states, state);
}

const char *pprec_hop_state_name(enum pprec_hop_state state)
{
    return WORD(hop_states, state);
}

const char *pprec_timestamps_name(enum pprec_timestamps timestamps)
{
    return WORD(timestamps_names, timestamps);
}

const char *pprec_kind_name(enum pprec_kind kind)
{
    return WORD(kinds, kind);
}

const char *pprec_reason_name(enum pprec_reason reason)
{
    return WORD(reasons, reason);
}

static const struct phrase *phrase(const struct phrase *phrases, size_t count, size_t i)
{
    static const struct phrase unknown = {"unknown", "unknown"};

    return i < count ? &phrases[i] : &unknown;
}

#define PHRASE(phrases, i) phrase(phrases, sizeof phrases / sizeof phrases[0], (size_t)(i))

const char *pprec_hops_why_name(enum pprec_hops_why why)
{
    return PHRASE(hops_whys, why)->name;
}

const char *pprec_hops_why_text(enum pprec_hops_why why)
{
    return PHRASE(hops_whys, why)->text;
}

const char *pprec_tight_why_name(enum pprec_tight_why why)
{
    return PHRASE(tight_whys, why)->name;
}

const char *pprec_tight_why_text(enum pprec_tight_why why)
{
    return PHRASE(tight_whys, why)->text;
}

const char *pprec_why_name(enum pprec_why why)
{
    return PHRASE(whys, why)->name;
}

const char *pprec_why_text(enum pprec_why why)
{
    return PHRASE(whys, why)->text;
}

const char *pprec_advice_name(enum pprec_advice advice)
{
    return PHRASE(advices, advice)->name;
}

const char *pprec_advice_text(enum pprec_advice advice)
{
    return PHRASE(advices, advice)->text;
}

const char *pprec_version(void)
{
    return PPREC_VERSION;
}

static const struct filter *filter_at(size_t i)
{
    for (size_t at = 0; at < i; at++)
        if (filter_table[at] == NULL)
            return NULL;
    return filter_table[i];
}

const char *pprec_filter_name(size_t i)
{
    return filter_at(i) != NULL ? filter_at(i)->name : NULL;
}

const char *pprec_filter_usage(size_t i)
{
    return filter_at(i) != NULL ? filter_at(i)->usage : NULL;
}
