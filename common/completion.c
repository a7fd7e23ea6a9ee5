/* SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

#include <string.h>

/* What completes the value of an option, by what its help calls it. */
static const struct value {
    const char *metavar;
    const char *bash; /* of compgen */
    const char *zsh;
} values[] = {
    {"FILE", "-f", "_files"},
    {"LOG", "-f", "_files"},
    {"IF", "-W \"$(ls /sys/class/net 2>/dev/null)\"", "_net_interfaces"},
    {"HOST", "-A hostname", "_hosts"},
    {"USER", "-u", "_users"},
};

static const struct value *find_value(const char *metavar)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].metavar, metavar) == 0)
            return &values[i];
    return NULL;
}

#define EACH_ROW(program, row) for (const struct option_row *row = (program)->rows; row->kind != NULL; row++)

static void write_words(const struct option_row *row, FILE *out)
{
    for (size_t i = 0; row->words[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", row->words[i]);
}

/* --- bash --------------------------------------------------------------- */

/* -o|--output, or one of them */
static void write_pattern(const struct option_row *row, FILE *out)
{
    if (row->letter != 0)
        fprintf(out, "-%c%s", row->letter, row->name != NULL ? "|" : "");
    if (row->name != NULL)
        fprintf(out, "--%s", row->name);
}

static void bash_case(const struct option_row *row, FILE *out)
{
    const struct value *value = find_value(row->metavar);

    fputs("    ", out);
    write_pattern(row, out);
    if (row->words != NULL) {
        fputs(") mapfile -t COMPREPLY < <(compgen -W '", out);
        write_words(row, out);
        fputs("' -- \"$cur\") ;;\n", out);
    } else if (value != NULL) {
        fprintf(out, ") %smapfile -t COMPREPLY < <(compgen %s -- \"$cur\") ;;\n",
                strcmp(value->bash, "-f") == 0 ? "compopt -o filenames 2>/dev/null; " : "", value->bash);
    } else {
        fputs(") ;;\n", out);
    }
}

static void bash_options(const struct option_program *program, FILE *out)
{
    EACH_ROW(program, row)
    {
        if (row->letter != 0)
            fprintf(out, "-%c ", row->letter);
        if (row->name != NULL)
            fprintf(out, "--%s ", row->name);
    }
    fputs("--help --version", out);
}

/* "--name=value" comes as three words, for = is among COMP_WORDBREAKS. */
static void write_bash(const struct option_program *program, FILE *out)
{
    const char *name = program->name;

    fprintf(out, "# bash completion for %s, made from its table of options\n", name);
    fprintf(out,
            "_%s()\n{\n"
            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\n"
            "    COMPREPLY=()\n"
            "    [[ $cur != = ]] || cur=\n"
            "    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
            "    case $prev in\n",
            name);
    EACH_ROW(program, row)
    if (row->metavar != NULL && !row->optional) /* else what follows may be an option */
        bash_case(row, out);
    if (program->operands != NULL)
        fputs("    *) [[ $cur == -* ]] || compopt -o filenames 2>/dev/null\n"
              "       [[ $cur == -* ]] || { mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return; }\n"
              "       mapfile -t COMPREPLY < <(compgen -W '",
              out);
    else
        fputs("    *) mapfile -t COMPREPLY < <(compgen -W '", out);
    bash_options(program, out);
    fprintf(out, "' -- \"$cur\") ;;\n    esac\n}\ncomplete -F _%s %s\n", name, name);
}

/* --- zsh ---------------------------------------------------------------- */

/* Inside single quotes, where _arguments gives : [ and ] a meaning. */
static void write_quoted(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr(":[]\\", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void zsh_value(const struct option_row *row, FILE *out)
{
    const struct value *value = find_value(row->metavar);

    fputs(row->optional ? "::" : ":", out);
    write_quoted(row->metavar, out);
    fputc(':', out);
    if (row->words != NULL) {
        fputc('(', out);
        write_words(row, out);
        fputc(')', out);
    } else if (value != NULL) {
        fputs(value->zsh, out);
    }
}

/* '(-o --output)'{-o,--output=}'[help]:LOG:_files' */
static void zsh_row(const struct option_row *row, FILE *out)
{
    const char *equals = row->metavar != NULL ? "=" : "";
    bool both = row->letter != 0 && row->name != NULL;

    fputs(" \\\n    ", out);
    if (row->repeatable)
        fputs("'*'", out);
    else if (both)
        fprintf(out, "'(-%c --%s)'", row->letter, row->name);
    if (both)
        fprintf(out, "{-%c,--%s%s}", row->letter, row->name, equals);
    else if (row->name != NULL)
        fprintf(out, "--%s%s", row->name, equals);
    else
        fprintf(out, "-%c", row->letter);
    fputs("'[", out);
    write_quoted(row->help, out);
    fputc(']', out);
    if (row->metavar != NULL)
        zsh_value(row, out);
    fputc('\'', out);
}

static void write_zsh(const struct option_program *program, FILE *out)
{
    fprintf(out, "#compdef %s\n# zsh completion, made from the table of options\n\n_arguments -s",
            program->name);
    EACH_ROW(program, row)
    zsh_row(row, out);
    fputs(" \\\n    --help'[show the options and exit]' --version'[show the version and exit]'", out);
    if (program->operands != NULL) {
        fputs(" \\\n    '*:", out);
        write_quoted(program->operands, out);
        fputs(":_files'", out);
    }
    fputc('\n', out);
}

bool completion_write(const struct option_program *program, const char *shell, FILE *out)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(program, out);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(program, out);
    else
        return false;
    return true;
}
