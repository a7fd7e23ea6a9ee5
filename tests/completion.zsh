# SPDX-License-Identifier: BSD-3-Clause
# completion.zsh DIRECTORY LINE: what zsh would complete at the end of the line, a line each, with
# the functions in DIRECTORY. zsh completes for terminals only, so there is one, with a shell in
# it whose compadd writes down what it adds.
zmodload zsh/zpty || exit 77
found=$(mktemp)
zpty shell zsh -f -i
zpty -w shell "PS1=; found=$found; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'compadd() {
    local -a hits
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        builtin compadd -A hits "$@"
        (( $#hits )) && print -l -- $hits >>$found
    fi
    builtin compadd "$@"
}'
zpty -w shell 'setopt no_auto_list; finish() { exit }; comppostfuncs=(finish); bindkey "^I" complete-word'
zpty -w -n shell "$2"$'\t'
while zpty -r shell answer; do :; done
sort -u $found
rm -f $found
