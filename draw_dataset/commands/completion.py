"""``draw completion``: a script by which bash or zsh completes commands, options and their values.

The script is made from the parsers themselves, so it knows what this version knows. For each command there is one line
of its subcommands and options, and one of the values of each option that has a fixed choice; anything else is completed
as a file name. zsh reads the same script by its own bashcompinit.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

HELP = "print a script that completes the commands and options of draw in bash or zsh"

_BASH = """\
# Made by: draw completion {shell}
_draw() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="draw" at
    for ((at = 1; at < COMP_CWORD; at++)); do
        case "$command ${{COMP_WORDS[at]}}" in
            {commands}) command="$command ${{COMP_WORDS[at]}}" ;;
        esac
    done
    local words=""
    case "$command $before" in
{values}
    esac
    if [[ -z $words ]]; then
        case "$command" in
{words}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -o bashdefault -F _draw draw
"""

_ZSH = """\
#compdef draw
(( $+functions[compdef] )) || { autoload -U +X compinit && compinit -i }
autoload -U +X bashcompinit && bashcompinit
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "examples:\n"
        '  eval "$(draw completion bash)"                          in ~/.bashrc\n'
        '  eval "$(draw completion zsh)"                           in ~/.zshrc\n'
        "  draw completion bash > ~/.local/share/bash-completion/completions/draw"
    )
    parser.add_argument("shell", choices=["bash", "zsh"], help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(script(arguments.parser, arguments.shell), end="")
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the completion script of a parser for a shell, ``bash`` or ``zsh``."""
    found = dict(parsers_of(parser, parser.prog))
    values, words = [], []
    for command, one in found.items():
        named = [name for name in found if name.rpartition(" ")[0] == command]
        options = [option for action in one._actions for option in action.option_strings]
        listed = " ".join([*(name.rpartition(" ")[2] for name in named), *options, *_choices_by_position(one)])
        words.append(f"            {shlex.quote(command)}) words={shlex.quote(listed)} ;;")
        for action in one._actions:
            if action.option_strings and action.choices is not None:
                keys = "|".join(shlex.quote(f"{command} {option}") for option in action.option_strings)
                values.append(f"        {keys}) words={shlex.quote(' '.join(map(str, action.choices)))} ;;")
    commands = "|".join(shlex.quote(command) for command in found if command != parser.prog)
    body = _BASH.format(shell=shell, commands=commands, values="\n".join(values), words="\n".join(words))
    return (_ZSH if shell == "zsh" else "") + body


def parsers_of(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield each command with its parser, the subcommands after it."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, one in action.choices.items():
                yield from parsers_of(one, f"{name} {word}")
    for word, one in getattr(parser, "further", {}).items():
        yield from parsers_of(one, f"{name} {word}")


def _choices_by_position(parser: argparse.ArgumentParser) -> list[str]:
    return [
        str(choice)
        for action in parser._actions
        if not action.option_strings
        and action.choices is not None
        and not isinstance(action, argparse._SubParsersAction)
        for choice in action.choices
    ]
