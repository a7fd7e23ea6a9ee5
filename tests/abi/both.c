/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with libpprec that loads a plugin with libpprec-core, core.c. Each asks its own library for a
 * handle with a key: what both say shows who answered. */
#include <pprec/pprec.h>

#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    static const uint8_t key[PPREC_KEY_BYTES] = {1};
    static char name[] = "plugin", *arguments[] = {name, name, NULL};
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_GLOBAL);
    int (*run)(int, char **);
    struct pprec_config config;
    struct pprec *pprec = NULL;

    if (plugin == NULL || (*(void **)&run = dlsym(plugin, "plugin_main")) == NULL) {
        puts(dlerror());
        return 1;
    }
    run(2, arguments);
    pprec_config_init(&config);
    config.key = key;
    pprec_new(&pprec, &config);
    puts(pprec_error(pprec));
    pprec_free(pprec);
    return 0;
}
