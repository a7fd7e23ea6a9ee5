/* SPDX-License-Identifier: BSD-3-Clause */
/* complete bash|zsh: prints what the shell completes of pptrans. */
#include "common/completion.h"
#include "pptrans/options.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc == 2 && completion_write(&sender_options_program, argv[1], stdout))
        return EXIT_SUCCESS;
    fputs("usage: complete bash|zsh\n", stderr);
    return 2;
}
