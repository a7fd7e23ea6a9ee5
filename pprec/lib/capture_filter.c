/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_filter.h"

enum { SNAP_BYTES = 1 << 18 };

void filter_init(struct capture_filter *filter, const char *text)
{
    *filter = (struct capture_filter){.text = text};
}

void filter_fini(struct capture_filter *filter)
{
    while (filter->count > 0)
        pcap_freecode(&filter->programs[--filter->count].program);
}

static const struct capture_program *program_for(const struct capture_filter *filter, int dlt)
{
    for (unsigned i = 0; i < filter->count; i++)
        if (filter->programs[i].dlt == dlt)
            return &filter->programs[i];
    return NULL;
}

int filter_ready(struct capture_filter *filter, int dlt, struct error *error)
{
    struct capture_program *program = &filter->programs[filter->count];
    pcap_t *dead;
    int status;

    if (filter->text == NULL || program_for(filter, dlt) != NULL)
        return 0;
    if (filter->count == FILTER_PROGRAMS)
        return error_set(error, "filter '%s': more than %d link types", filter->text, FILTER_PROGRAMS);
    dead = pcap_open_dead(dlt, SNAP_BYTES);
    if (dead == NULL)
        return error_set(error, "no memory for the filter '%s'", filter->text);
    program->dlt = dlt;
    status = pcap_compile(dead, &program->program, filter->text, 1, PCAP_NETMASK_UNKNOWN);
    if (status < 0)
        error_set(error, "filter '%s': %s", filter->text, pcap_geterr(dead));
    else
        filter->count++;
    pcap_close(dead);
    return status < 0 ? -1 : 0;
}

bool filter_passes(const struct capture_filter *filter, const struct capture_record *record)
{
    const struct pcap_pkthdr header = {.caplen = record->at_hand, .len = record->bytes};
    const struct capture_program *program;

    if (filter->text == NULL)
        return true;
    program = program_for(filter, record->interface->dlt);
    return program != NULL && pcap_offline_filter(&program->program, &header, record->frame) != 0;
}
