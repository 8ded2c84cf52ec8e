/** Writes our servers in the words of a client. Pure; what cannot be written is said. */
import * as Result from "effect/Result"
import { isAbsolute, resolve } from "node:path"
import { SECRET_SCHEME } from "../../secret/SecretReference.ts"
import { escapeReferences } from "../Interpolation.ts"
import type { Launch } from "../McpClients.ts"
import { expandHome } from "../Resolve.ts"
import type { ClientName } from "./ClientNames.ts"
import { giveEntry, type GivenEntry } from "./Giving.ts"
import type { Entry } from "./ImportPlan.ts"
import { FORMATS } from "./ReadClient.ts"

/** What our texts refer to. */
export interface WriteContext {
  readonly home: string
  /** The folder of our configuration: relative paths count from it. */
  readonly directory: string
  /** Starts `mcp-live exec --`, which resolves references for the command behind it; or why nothing can. */
  readonly exec: Result.Result<Launch, string>
}

const hasSecret = (value: unknown): boolean => JSON.stringify(value ?? null).includes(SECRET_SCHEME)

/** Clients know no `~`, and count relative paths from elsewhere. A path that begins with a variable stays. */
const absolute = (path: unknown, { directory, home }: WriteContext, isProgram: boolean): unknown => {
  if (typeof path !== "string") return path
  const text = expandHome(path, home)
  const isBare = isProgram && !/[\\/]/.test(text)
  return isBare || isAbsolute(text) || text.startsWith("${") ? text : resolve(directory, text)
}

const withPaths = (entry: Entry, context: WriteContext): Entry => {
  const { args, command } = entry
  const cwd = absolute(entry["cwd"], context, false)
  const base = typeof cwd === "string" && isAbsolute(cwd) ? { ...context, directory: cwd } : context
  return {
    ...entry,
    ...(command !== undefined && { command: absolute(command, base, true) }),
    ...(cwd !== undefined && { cwd }),
    ...(Array.isArray(args) && {
      args: args.map((arg) => (typeof arg === "string" && arg.startsWith("~/") ? expandHome(arg, context.home) : arg))
    })
  }
}

/** With `mcp-live exec --` before the command, if it needs a secret. */
const withExec = (entry: Entry, { exec }: WriteContext): Result.Result<Entry, string> => {
  const { args, command, env } = entry
  if (command === undefined || !hasSecret([args, env])) return Result.succeed(entry)
  return Result.map(exec, ({ args: before, command: program }) => ({
    ...entry,
    command: escapeReferences(program),
    args: [...before.map(escapeReferences), command, ...(Array.isArray(args) ? args : [])]
  }))
}

export const giveServer = (client: ClientName, name: string, entry: Entry, context: WriteContext): GivenEntry => {
  if (hasSecret([entry["url"], entry["headers"], entry["auth"]])) {
    return { left: "only mcp-live resolves its secret:// references: use --serve" }
  }
  return Result.match(withExec(withPaths(entry, context), context), {
    onFailure: (left) => ({ left }),
    onSuccess: (whole) => giveEntry(FORMATS[client], name, whole)
  })
}
