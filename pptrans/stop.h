/* SPDX-License-Identifier: BSD-3-Clause */
/* SIGINT and SIGTERM: the order to end. */
#ifndef PPTRANS_STOP_H
#define PPTRANS_STOP_H

#include <signal.h>
#include <stdbool.h>

/* From now on the two come through only while something waits with *waiting for a mask (ppoll):
 * none is missed, and none interrupts a train. */
void stop_catch(sigset_t *waiting);

/* Has one come, whether it came through or not? */
bool stop_asked(void);

#endif
