/** The script with which a shell completes our command line, including the names of tools. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Shells from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { print } from "../output.ts"

/** `call` and `tools` take the name of a tool. */
const NAMES = "mcp-live tools --known 2>/dev/null"

const BASH = `
_mcp_live_with_tools() {
  if [[ $COMP_CWORD -eq 2 && "\${COMP_WORDS[1]}" =~ ^(call|tools)$ && "\${COMP_WORDS[2]}" != -* ]]; then
    COMPREPLY=( $(compgen -W "$(${NAMES})" -- "\${COMP_WORDS[2]}") )
  else
    _mcp_live "$@"
  fi
}
complete -F _mcp_live_with_tools mcp-live
`

const ZSH = `
_mcp_live_with_tools() {
  if (( CURRENT == 3 )) && [[ "\${words[2]}" == (call|tools) && "\${words[3]}" != -* ]]; then
    local -a names
    names=(\${(f)"$(${NAMES})"})
    compadd -a names
  else
    _mcp_live "$@"
  fi
}
(( \${+functions[compdef]} )) && compdef _mcp_live_with_tools mcp-live
`

const FISH = `
complete -c mcp-live -n '__fish_seen_subcommand_from call tools; and not string match -q -- "-*" (commandline -ct)' -f -a '(${NAMES})'
`

const TOOLS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }

export const completionsFlag: typeof GlobalFlag.Completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell, { command }) =>
    Option.match(shell, {
      onNone: () => Effect.void,
      onSome: (kind) => {
        const script = Shells.generate(command.name, kind, Shells.fromCommand(command))
        // Longer than a pipe holds: all of it is out before the program ends.
        return print(`${script}${TOOLS[kind] ?? ""}`)
      }
    })
})
