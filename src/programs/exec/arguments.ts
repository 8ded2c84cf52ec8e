/** What stands behind `mcp-live exec`. Everything behind `--` is the command's, whatever it looks like. Pure. */
import { hasReference } from "./environment.ts"

export interface Exec {
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly config: string | undefined
  /** Names of variables that the command does not get. */
  readonly unset: ReadonlyArray<string>
}

const USE = "mcp-live exec [--config FILE] [--unset NAME] -- COMMAND ARGS…"

/** A sentence when it is none. */
export const readExec = (args: ReadonlyArray<string>): Exec | string => {
  const end = args.indexOf("--")
  if (end === -1) return `the command stands behind --: ${USE}`
  const [name = "", ...rest] = args.slice(end + 1)
  if (name === "") return `there is no command after --: ${USE}`
  // Its name is shown when it is not there, and a value never is.
  if (hasReference(name))
    return "the command itself cannot be a secret:// reference: its arguments and its environment can"
  const own = args.slice(0, end)
  const unset: Array<string> = []
  let config: string | undefined
  for (let i = 0; i < own.length; i++) {
    const [, flag = "", joined] = /^(--[a-z-]+|-c)(?:=(.*))?$/s.exec(own[i]!) ?? []
    if (flag !== "--config" && flag !== "-c" && flag !== "--unset") {
      return `before -- there may be --config FILE and --unset NAME, and nothing else: ${USE}`
    }
    const value = joined ?? own[++i]
    if (value === undefined || value === "") return `${flag} wants a value: ${USE}`
    if (flag === "--unset") unset.push(value)
    else config = value
  }
  return { command: [name, ...rest], config, unset }
}
