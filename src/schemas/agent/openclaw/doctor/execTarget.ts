/** The command after `mcp-live exec --` in the entry of a server: it is what runs, with its references resolved. Pure. */

export interface Launched {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The number of arguments before those of the command. */
  readonly before: number
}

const OWN = /(?:^|[\\/])mcp-live(?:\.(?:js|cmd))?$/
/** As a package that is fetched, in any version. */
const PACKAGE = /^mcp-live(?:@[\w.^~*+-]+)?$/
const FLAG_WITH_VALUE = /^(?:--config|-c|--unset)$/

/** `undefined` when the entry starts its server directly. */
export const behindExec = (command: string, args: ReadonlyArray<string>): Launched | undefined => {
  const end = args.indexOf("--")
  const first = args.indexOf("exec")
  if (end === -1 || first === -1 || first > end || args[end + 1] === undefined) return undefined
  const isOurs = first === 0 ? OWN.test(command) : OWN.test(args[first - 1]!) || PACKAGE.test(args[first - 1]!)
  const isFlag = (arg: string, i: number) => arg.startsWith("-") || FLAG_WITH_VALUE.test(args[first + i] ?? "")
  if (!isOurs || !args.slice(first + 1, end).every(isFlag)) return undefined
  return { command: args[end + 1]!, args: args.slice(end + 2), before: end + 2 }
}
