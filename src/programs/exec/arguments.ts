/** Parses the command line of `mcp-live exec`. Everything after `--` belongs to the command. Pure. */
import { hasReference } from "./environment.ts"

export interface Exec {
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly config: string | undefined
  /** Variables that the command does not get. */
  readonly unset: ReadonlyArray<string>
}

const USE = "mcp-live exec [--config FILE] [--unset NAME] -- COMMAND ARGS…"

/** A sentence when the command line is wrong. */
export const readExec = (args: ReadonlyArray<string>): Exec | string => {
  const end = args.indexOf("--")
  if (end === -1) return `the command must follow --: ${USE}`
  const [name = "", ...rest] = args.slice(end + 1)
  if (name === "") return `there is no command after --: ${USE}`
  // Errors show the name of the command, so it must not be a secret.
  if (hasReference(name))
    return "the command itself cannot be a secret:// reference: its arguments and its environment can"
  const own = args.slice(0, end)
  const unset: Array<string> = []
  let config: string | undefined
  for (let i = 0; i < own.length; i++) {
    const [, flag = "", joined] = /^(--[a-z-]+|-c)(?:=(.*))?$/s.exec(own[i]!) ?? []
    if (flag !== "--config" && flag !== "-c" && flag !== "--unset") {
      return `before -- only --config FILE and --unset NAME are allowed: ${USE}`
    }
    const value = joined ?? own[++i]
    if (value === undefined || value === "") return `${flag} needs a value: ${USE}`
    if (flag === "--unset") unset.push(value)
    else config = value
  }
  return { command: [name, ...rest], config, unset }
}
