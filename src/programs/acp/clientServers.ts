/**
 * Decodes the MCP servers that an ACP client brings for a session into our own configuration. A malformed or forbidden entry
 * is left out, with a sentence for the person that names it; the session gets the others. Pure.
 *
 * Values from a client are taken as written: variables and secret references of this machine are not resolved, so that the
 * settings of a project cannot send secrets anywhere.
 */
import * as Result from "effect/Result"
import { isAbsolute, resolve, sep } from "node:path"
import type { AcpConfig } from "../../schemas/config/AcpConfig.ts"
import { burstOf, DEFAULT_CALL_LIMITS } from "../../schemas/call/CallLimits.ts"
import { deniesThisMachine, refusingKey } from "../../schemas/connection/ClientHosts.ts"
import { serverNameProblem } from "../../schemas/config/ServerBuild.ts"
import { ACP_LIST_MAX_ITEMS, ACP_TEXT_MAX_CHARS } from "../../schemas/defaults/Acp.ts"
import { DIRECTORY_MAX_CHARS } from "../../schemas/defaults/Conversations.ts"
import { QUOTED_NAME_MAX_CHARS, QUOTED_PATH_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { refusedVariable, sameVariable } from "../../schemas/connection/DangerousEnvironment.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { readsAs } from "../../schemas/call/LookAlikeName.ts"
import {
  serverConfig,
  type Launch,
  type ServerConfig,
  type StdioLaunch
} from "../../schemas/connection/ServerConfig.ts"

export interface ClientServers {
  readonly servers: ReadonlyArray<ServerConfig>
  /** Why some servers were left out, in words for a person. */
  readonly notices: ReadonlyArray<string>
}

export interface Surroundings {
  /** The session's directory; absolute. Programs start there. */
  readonly cwd: string
  readonly limits: AcpConfig
  /** Names of the operator's own servers. */
  readonly taken: ReadonlyArray<string>
}

type Read<A> = Result.Result<A, string>

const unseen = (char: string) => `\\u{${char.codePointAt(0)!.toString(16)}}`

/** With invisible and direction-changing characters escaped. */
const quoted = (name: string, max = QUOTED_NAME_MAX_CHARS) =>
  JSON.stringify(name.slice(0, max)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, unseen)

const kindOf = (value: unknown) =>
  value === undefined
    ? "missing"
    : value === null
      ? "null"
      : Array.isArray(value)
        ? "a list"
        : `of type ${typeof value}`

const REFERENCE = /secret:\/\//i

// ---- single values -------------------------------------------------------------------------------------------------

const text = (value: unknown, where: string): Read<string> => {
  if (typeof value !== "string") return Result.fail(`${where} must be a string, and is ${kindOf(value)}`)
  if (value.length > ACP_TEXT_MAX_CHARS) return Result.fail(`${where} has more than ${ACP_TEXT_MAX_CHARS} characters`)
  if (value.includes("\0")) return Result.fail(`${where} holds a NUL character`)
  return REFERENCE.test(value)
    ? Result.fail(`${where} holds a secret:// reference, which only the gateway's own configuration may contain`)
    : Result.succeed(value)
}

/** Reads each item; reports the first wrong one. A missing list, or null, is empty. */
const list = <A>(
  value: unknown,
  where: string,
  read: (item: unknown, where: string) => Read<A>
): Read<ReadonlyArray<A>> => {
  if (value === undefined || value === null) return Result.succeed([])
  if (!Array.isArray(value)) return Result.fail(`${where} must be a list, and is ${kindOf(value)}`)
  if (value.length > ACP_LIST_MAX_ITEMS) return Result.fail(`${where} has more than ${ACP_LIST_MAX_ITEMS} entries`)
  return Result.all(value.map((item: unknown, index) => read(item, `${where}[${index}]`)))
}

const pair = (item: unknown, where: string): Read<readonly [string, string]> => {
  if (!isObject(item)) return Result.fail(`${where} must be an object with a name and a value, and is ${kindOf(item)}`)
  return Result.flatMap(text(item["name"], `${where}.name`), (name) =>
    Result.map(text(item["value"], `${where}.value`), (value) => [name, value] as const)
  )
}

const pairs = (value: unknown, where: string): Read<Readonly<Record<string, string>>> =>
  Result.map(list(value, where, pair), (all) => Object.fromEntries(all))

// ---- one server ----------------------------------------------------------------------------------------------------

/**
 * The absolute path to write in place of a relative one; `undefined` when it would have to be cut, or is a path of another system.
 */
const instead = (program: string, cwd: string): string => {
  const whole = resolve(cwd, program)
  return whole.length > QUOTED_PATH_MAX_CHARS || (sep === "/" && program.includes("\\"))
    ? ""
    : `: write ${quoted(whole, QUOTED_PATH_MAX_CHARS)}`
}

/** The name of a program in PATH, or an absolute path: a relative path would depend on the current directory. */
const command = (value: unknown, cwd: string): Read<string> =>
  Result.flatMap(text(value, "command"), (program) => {
    if (program.trim() === "") return Result.fail("command must not be empty")
    if (!/[/\\]/.test(program) || isAbsolute(program)) return Result.succeed(program)
    const must = "command must be an absolute path, or the bare name of a program in PATH, and is a relative path"
    return Result.fail(`${must}${instead(program, cwd)}`)
  })

/** With the names that need the permission of the operator. */
const environment = (value: unknown, allowed: ReadonlyArray<string>): Read<Pick<StdioLaunch, "env" | "allowEnv">> =>
  Result.flatMap(pairs(value, "env"), (env) => {
    const names = Object.keys(env)
    const refused = names.find((name) => refusedVariable(name, allowed) !== undefined)
    if (refused !== undefined) {
      const danger = refusedVariable(refused, allowed)
      return Result.fail(`the variable ${quoted(refused)} can ${danger}, and acp.allowEnv does not name it`)
    }
    const allowEnv = allowed.filter((one) => names.some((name) => sameVariable(one, name)))
    return Result.succeed({ env, ...(allowEnv.length === 0 ? {} : { allowEnv }) })
  })

const stdio = (entry: Record<string, unknown>, { cwd, limits }: Surroundings): Read<Launch> =>
  Result.flatMap(command(entry["command"], cwd), (program) =>
    Result.flatMap(list(entry["args"], "args", text), (args) =>
      Result.map(environment(entry["env"], limits.allowEnv), (env): Launch => ({
        kind: "stdio",
        command: program,
        args,
        ...env,
        cwd
      }))
    )
  )

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

const REFUSED_HOST = {
  "acp.denyHosts": "url names a host that may not be reached (acp.denyHosts)",
  "acp.allowHosts": "url names a host that is not among those that may be reached (acp.allowHosts)"
}

const http = (entry: Record<string, unknown>, kind: "http" | "sse", { limits }: Surroundings): Read<Launch> =>
  Result.flatMap(text(entry["url"], "url"), (url) => {
    if (!isHttp(url)) return Result.fail("url must be an http or https address")
    const key = refusingKey(limits, new URL(url))
    if (key !== undefined) return Result.fail(REFUSED_HOST[key])
    return Result.map(pairs(entry["headers"], "headers"), (headers): Launch => ({ kind, url, headers }))
  })

const launchOf = (entry: Record<string, unknown>, surroundings: Surroundings): Read<Launch> => {
  const { type } = entry
  switch (type) {
    case undefined:
    case null:
    case "stdio":
      return stdio(entry, surroundings)
    case "http":
    case "sse":
      return http(entry, type, surroundings)
    case "acp":
      // If they are supported, they have been replaced by URLs before this.
      return Result.flatMap(text(entry["serverId"], "serverId"), () =>
        Result.fail(`type "acp" is unstable, and accepted only if this agent was started with --unstable`)
      )
    default:
      return Result.fail(
        typeof type === "string"
          ? `type must be "stdio", "http" or "sse", and is ${quoted(type)}`
          : `type must be a string, and is ${kindOf(type)}`
      )
  }
}

const serverOf = (entry: unknown, index: number, surroundings: Surroundings): Read<ServerConfig> => {
  const { limits } = surroundings
  const place = `mcpServers[${index}]`
  if (!isObject(entry)) return Result.fail(`${place} must be an object, and is ${kindOf(entry)}`)
  const { name } = entry
  if (typeof name !== "string") return Result.fail(`${place}: name must be a string, and is ${kindOf(name)}`)
  const problem = serverNameProblem(name)
  if (problem !== undefined) return Result.fail(`${place}: ${problem}`)
  return Result.mapBoth(launchOf(entry, surroundings), {
    onFailure: (why) => `${place} (${quoted(name)}): ${why}`,
    onSuccess: (launch) =>
      serverConfig(name, launch, {
        share: false,
        allowPrivate: limits.allowPrivate,
        ...(deniesThisMachine(limits) ? { denyLoopback: true } : {}),
        toolTimeout: limits.toolTimeout,
        resourceContext: limits.resourceContext,
        limits: {
          ...DEFAULT_CALL_LIMITS,
          perMinute: limits.callsPerMinute,
          burst: limits.burst ?? burstOf(limits.callsPerMinute)
        }
      })
  })
}

// ---- all of them ---------------------------------------------------------------------------------------------------

/** Which servers may start, and the notices about the others. */
const admitted = (all: ReadonlyArray<ServerConfig>, { limits, taken }: Surroundings): ClientServers => {
  const names = new Set(taken.map(readsAs))
  const servers: Array<ServerConfig> = []
  const notices: Array<string> = []
  for (const server of all) {
    const shown = quoted(server.name)
    if (names.has(readsAs(server.name))) {
      const isSame = taken.some((name) => name.toLowerCase() === server.name.toLowerCase())
      const why = isSame ? "of that name" : "with a name that looks the same"
      notices.push(`The MCP server ${shown} was not started: the gateway has a server ${why}, which is used instead.`)
    } else if (server.launch.kind === "stdio" && !limits.stdio) {
      notices.push(`The MCP server ${shown} was not started: this gateway starts no programs for a client (acp.stdio).`)
    } else if (servers.length >= limits.maxServers) {
      notices.push(`The MCP server ${shown} was not started: a session may have ${limits.maxServers} (acp.maxServers).`)
    } else servers.push(server)
  }
  return { servers, notices }
}

const notStarted = (why: string) => `An MCP server of this session was not started: ${why}`

/** Fails when the value is not a list of servers at all. */
export const readClientServers = (given: unknown, surroundings: Surroundings): Read<ClientServers> => {
  if (given === undefined || given === null) return Result.succeed({ servers: [], notices: [] })
  if (!Array.isArray(given)) return Result.fail(`mcpServers must be a list, and is ${kindOf(given)}`)
  if (given.length > ACP_LIST_MAX_ITEMS) return Result.fail(`mcpServers has more than ${ACP_LIST_MAX_ITEMS} entries`)
  const servers: Array<ServerConfig> = []
  const malformed: Array<string> = []
  const places = new Map<string, number>()
  for (const [index, entry] of given.entries()) {
    const read = serverOf(entry, index, surroundings)
    const name = Result.isSuccess(read) ? read.success.name : ""
    const before = places.get(name.toLowerCase())
    if (Result.isFailure(read)) malformed.push(notStarted(read.failure))
    else if (before !== undefined) {
      malformed.push(notStarted(`mcpServers[${index}] (${quoted(name)}): has the name of mcpServers[${before}]`))
    } else {
      places.set(name.toLowerCase(), index)
      servers.push(read.success)
    }
  }
  const { notices, servers: kept } = admitted(servers, surroundings)
  return Result.succeed({ servers: kept, notices: [...malformed, ...notices] })
}

/** The directory of a session. */
export const readDirectory = (given: unknown): Read<string> => {
  if (typeof given !== "string") return Result.fail(`cwd must be a string, and is ${kindOf(given)}`)
  if (given.includes("\0") || given.length > DIRECTORY_MAX_CHARS) return Result.fail("cwd is no path")
  return isAbsolute(given) ? Result.succeed(given) : Result.fail("cwd must be an absolute path")
}
