/** Writes our servers in the words of a client. Pure; what cannot be written is said. */
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { isAbsolute, resolve } from "node:path"
import { isObject } from "../../data/Json.ts"
import { needsConfig, SECRET_SCHEME } from "../../secret/SecretReference.ts"
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
  /** Our configuration. */
  readonly file: string
  /** Starts `mcp-live exec`, which resolves references for the command behind it; or why nothing can. */
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

/** A launch of ours as it is written where variables are expanded. */
export const literal = ({ args, command, env }: Launch) => ({
  command: escapeReferences(command),
  args: args.map(escapeReferences),
  ...(Object.keys(env).length > 0 && { env: Record.map(env, (value) => escapeReferences(value)) })
})

/** With `mcp-live exec --` before the command, if it needs a secret. The client starts it where no configuration may be found. */
const withExec = (entry: Entry, { exec, file }: WriteContext): Result.Result<Entry, string> => {
  const { args, command, env } = entry
  if (command === undefined || !hasSecret([args, env])) return Result.succeed(entry)
  const config = needsConfig(JSON.stringify([args, env])) ? ["--config", file] : []
  return Result.map(exec, (launch) => {
    const own = literal({ ...launch, args: [...launch.args, ...config, "--"] })
    return {
      ...entry,
      ...own,
      args: [...own.args, command, ...(Array.isArray(args) ? args : [])],
      ...((isObject(env) || own.env !== undefined) && { env: { ...(isObject(env) && env), ...own.env } })
    }
  })
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
