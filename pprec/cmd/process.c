/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include "common/stamp.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static double resident_bytes(void)
{
    double pages = NAN;
    FILE *statm = fopen("/proc/self/statm", "r");

    if (statm == NULL)
        return NAN;
    if (fscanf(statm, "%*s %lf", &pages) != 1)
        pages = NAN;
    fclose(statm);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

static double process_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    double count = -1; /* its own */

    if (directory == NULL)
        return NAN;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

void process_read(struct process *process)
{
    *process = (struct process){
        .cpu_s = (double)stamp_now_ns(CLOCK_PROCESS_CPUTIME_ID) / (double)STAMP_NS_PER_S,
        .resident_bytes = resident_bytes(),
        .descriptors = process_descriptors(),
    };
}
