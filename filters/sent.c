/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/sent.h"

/* pptrans's default pattern begins with 24 trains of up to 16 packets, and then one of eight is long. So three of the
 * longest have come after 41 trains; whoever has not sent longer ones by then will not. */
enum { SENT_LONGEST_ENOUGH = 3, SENT_MOST = 48 };

/* The longest of that pattern. Shorter ones a bucket passes whole, of which only the sender's own pace shows. */
enum { SENT_DEFAULT_LONGEST = 64 };

void sent_note(struct sent *sent, const struct sample *sample)
{
    if (sample->sent > sent->longest) {
        if (sent->longest <= sample->sent / 2)
            sent->long_trains = 0;
        sent->longest = sample->sent;
    }
    if (sample->sent > sent->longest / 2 && sent->long_trains < SENT_MOST)
        sent->long_trains++;
    if (sent->trains < SENT_MOST)
        sent->trains++;
}

static bool sends_long(const struct sent *sent)
{
    return sent->longest >= SAMPLE_LONG;
}

static bool longer_may_come(const struct sent *sent)
{
    return sent->trains < SENT_MOST && (!sends_long(sent) || sent->long_trains < SENT_LONGEST_ENOUGH);
}

static bool sends_too_short(const struct sent *sent)
{
    return sent->trains == SENT_MOST && sent->longest < SENT_DEFAULT_LONGEST;
}

void sent_advise(const struct sent *sent, struct estimate *estimate)
{
    if (estimate->why == WHY_TRAINS_FASTER && estimate->advice == ADVICE_WAIT && sends_too_short(sent))
        estimate->advice = ADVICE_SEND_LONGER_TRAINS;
    if (estimate->advice == ADVICE_SEND_LONGER_TRAINS && longer_may_come(sent))
        estimate->advice = ADVICE_WAIT;
    if (estimate->advice != ADVICE_SEND_MIX || !sends_long(sent))
        return;
    estimate->advice = ADVICE_WAIT;
    if (estimate->why == WHY_PAIRS_ALONE) /* long ones came, and too little of them */
        estimate->why = WHY_FEW_TRAINS;
}
