"""How bash, zsh and fish request completions and receive them."""

from __future__ import annotations

import os

from click import shell_completion as click_shells
from click.shell_completion import CompletionItem

from relyon.cli.completion import paths

__all__ = ["SHELLS"]

BASH = r"""%(complete_func)s() {
    local response type value
    COMPREPLY=()
    response=$(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_BREAKS="$COMP_WORDBREAKS" \
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
    while IFS=',' read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            open) compopt -o nospace; COMPREPLY+=("$value") ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done <<< "$response"
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

ZSH = r"""#compdef %(prog_name)s

%(complete_func)s() {
    local -a lines plain open described
    local type value help
    lines=("${(@f)$(env COMP_WORDS="${(j: :)words[1,CURRENT-1]} " COMP_WORD="$PREFIX" \
        %(complete_var)s=zsh_complete "$words[1]" 2>/dev/null)}")
    for type value help in "${lines[@]}"; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            open) open+=("$value") ;;
            plain) if [[ $help == _ ]]; then plain+=("$value")
                else described+=("${value//:/\\:}:$help"); fi ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#open )) && compadd -U -S '' -V unsorted -a open
    (( $#plain )) && compadd -U -V unsorted -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = r"""function %(complete_func)s
    set -l word (commandline -ct)
    for line in (env COMP_WORDS=(commandline -cp) COMP_WORD="$word" \
            %(complete_var)s=fish_complete (commandline -poc)[1] 2>/dev/null)
        set -l found (string split -m 1 , -- $line)
        switch $found[1]
            case dir
                __fish_complete_directories $word
            case file
                __fish_complete_path $word
            case '*'
                echo $found[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Shell(click_shells.ShellComplete):
    """Common to all shells: the line up to the cursor, whose last word is incomplete."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Returns the words before the cursor after the name of the program, and the last one."""
        # A character at the end keeps an empty last word, and one with an open quote.
        *words, last = click_shells.split_arg_string(self.line() + "\0")
        names = [os.path.basename(word) for word in words]
        first = names.index(self.prog_name) + 1 if self.prog_name in names else 1
        return words[first:], last.rstrip("\0")

    def line(self) -> str:
        """Returns the command line up to the cursor."""
        return os.environ["COMP_WORDS"]

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Returns the completions of the last word as a whole, with the option it begins with."""
        self.ctx_args["obj"] = tuple(
            args
        )  # click forgets them if the value of an option is missing
        option, equals, value = incomplete.partition("=")
        if not (equals and option.startswith("--")):
            return super().get_completions(args, incomplete)
        found = super().get_completions([*args, option], value)
        before = option + equals
        if found and found[0].type in ("file", "dir"):
            return self.files(before, value, found)
        return [CompletionItem(before + one.value, type=one.type, help=one.help) for one in found]

    def files(self, before: str, path: str, found: list[CompletionItem]) -> list[CompletionItem]:
        """Returns the files that complete a path after an option: one word to the shell."""
        return list(paths(path, before))

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{item.value}"


class Bash(_Shell):
    """bash replaces the text after the last word break character, such as `=` and `@`."""

    name = "bash"
    source_template = BASH

    def files(self, before: str, path: str, found: list[CompletionItem]) -> list[CompletionItem]:
        return found  # to bash the path is a separate word

    def format_completion(self, item: CompletionItem) -> str:
        line, value = self.line(), item.value
        _, word = self.get_completion_args()
        before = line.removesuffix(word)[-1:]
        if line.endswith(word) and before not in ("'", '"'):
            signs = os.environ.get("COMP_BREAKS", "")
            last = max((word.rfind(sign) for sign in signs), default=-1)
            # A word begins after such a character; it begins with these two.
            value = value[last if word[last : last + 1] in ("$", "@") else last + 1 :]
        return f"{item.type},{value}"


class Zsh(_Shell):
    """zsh shows the meaning of each word."""

    name = "zsh"
    source_template = ZSH

    def line(self) -> str:
        return os.environ["COMP_WORDS"] + os.environ["COMP_WORD"]

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type}\n{item.value}\n{item.help or '_'}"


class Fish(_Shell):
    """fish shows the meaning of each word, and adds no space after `=`, `@` and `/`."""

    name = "fish"
    source_template = FISH

    def format_completion(self, item: CompletionItem) -> str:
        help_ = f"\t{item.help}" if item.help else ""
        return f"{item.type},{item.value}{help_}"


SHELLS: dict[str, type[_Shell]] = {shell.name: shell for shell in (Bash, Zsh, Fish)}
