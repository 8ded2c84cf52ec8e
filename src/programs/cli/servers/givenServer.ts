/**
 * One server that is given on a command line instead of in a configuration: a command or a URL. Words are taken as the shell
 * passed them, without expanding variables; references to secrets work as in a configuration. Pure.
 */
import * as Result from "effect/Result"
import { serverNameProblem } from "../../../schemas/config/ServerBuild.ts"
import { header, recordOf, variable } from "../../../schemas/config/GivenEntry.ts"
import { refusedVariable } from "../../../schemas/connection/DangerousEnvironment.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { blockedWords, forbiddenHost, ownReach } from "../../../schemas/connection/Reach.ts"
import { parse, SECRET_PROVIDERS, SECRET_SCHEME } from "../../../schemas/secret/SecretReference.ts"
import { serverConfig, type Launch, type ServerConfig } from "../../../schemas/connection/ServerConfig.ts"

export interface Given {
  /** The program and its arguments; empty for a URL. */
  readonly command: ReadonlyArray<string>
  readonly url: string | undefined
  /** `Name: value` */
  readonly headers: ReadonlyArray<string>
  /** `NAME=value`, or `NAME` to pass on the current value. */
  readonly env: ReadonlyArray<string>
  readonly allowPrivate: boolean
  /** The directory in which the program is started. Default: the current one. */
  readonly cwd: string | undefined
}

type Read<A> = Result.Result<A, string>

// ---- its name ------------------------------------------------------------------------------------------------------

const FALLBACK = "server"
/** Programs that start another program, after which people name the server. */
const STARTERS = new Set(
  "npx bunx pnpx uvx pipx npm pnpm yarn bun node deno tsx python python3 uv docker podman env sudo sh bash cmd".split(
    " "
  )
)
/** Subcommands of such programs. */
const VERBS = new Set("run exec dlx x tool".split(" "))

/** After these comes a whole program or a variable, which may contain a secret; names are shown to people. */
const BEFORE_CODE = /^(?:-[a-z]*[ce]|--(?:call|command|env|eval|print))$/i

/** Parts of a path that do not describe what is there. */
const USUAL = /^(?:\.{0,2}|(?:index|main|server|cli|app|__main__)(?:\.\w{1,4})?|dist|build|src|lib|bin)$/i

const lastPart = (path: string): string => {
  const parts = path.split(/[/\\]/).filter((part) => part !== "")
  return parts.findLast((part) => !USUAL.test(part)) ?? parts.at(-1) ?? ""
}

/** `@modelcontextprotocol/server-filesystem@1.2.3` is `server-filesystem`. */
const plain = (word: string): string =>
  lastPart(word)
    .replace(/(?<=.)[@=:].*$/, "")
    .replace(/\.(?:[cm]?[jt]s|py|exe|sh)$/i, "")
    .replace(/[^A-Za-z0-9_.-]/g, "")
    .slice(0, 64)

export const nameOfCommand = ([program = "", ...args]: ReadonlyArray<string>): string => {
  const own = plain(program)
  if (!STARTERS.has(own.toLowerCase())) return own || FALLBACK
  const mayName = (arg: string, i: number) =>
    !arg.startsWith("-") && !/^\w+=(?!=)/.test(arg) && !VERBS.has(arg) && !BEFORE_CODE.test(args[i - 1] ?? "")
  const started = args.find(mayName)
  return (started === undefined ? own : plain(started)) || FALLBACK
}

/** The URL itself, so that a login can name it; its host if the URL is not a valid name. */
export const nameOfUrl = (url: URL): string => {
  const whole = `${url.origin}${url.pathname}`
  const isWhole = url.search === "" && url.hash === "" && serverNameProblem(whole) === undefined
  return isWhole ? whole : url.host.slice(0, 64)
}

// ---- problems that would keep it from starting -----------------------------------------------------------------------

const PROVIDERS: ReadonlySet<string> = new Set(SECRET_PROVIDERS)

const faultInReferences = (place: string, text: string): string | undefined => {
  const parsed = parse(text)
  if ("malformed" in parsed)
    return `${place} holds a secret:// reference that cannot be read: ${parsed.malformed.detail}`
  const unknown = parsed.parts.find((part) => typeof part !== "string" && !PROVIDERS.has(part.provider))
  return unknown === undefined || typeof unknown === "string"
    ? undefined
    : `${place}: there is no secret provider '${unknown.provider}'; known providers: ${SECRET_PROVIDERS.join(", ")}`
}

const faultInName = (name: string): string | undefined => {
  const danger = refusedVariable(name)
  if (danger === undefined) return undefined
  return `--env ${name} can ${danger}: if you mean it, set it in the command itself: -- env ${name}=… COMMAND`
}

const faultInAddress = (url: URL, allowPrivate: boolean): string | undefined => {
  if (url.username !== "" || url.password !== "")
    return "--url contains a user name or a password: put them in a --header"
  const forbidden = forbiddenHost(ownReach({ url, allowPrivate }), url)
  if (forbidden === undefined) return undefined
  const { leadsTo, openable } = blockedWords(forbidden)
  if (openable) return `--url leads to ${leadsTo}: if you mean it, add --allow-private`
  const remedy = forbidden === "plaintext" ? ": use https:// or, in a private network, --allow-private" : ""
  return `--url leads to ${leadsTo}${remedy}`
}

/** Reports only the first of several problems; without any, returns the value. */
const unless = <A>(faults: ReadonlyArray<string | undefined>, value: A): Read<A> => {
  const first = faults.find((fault) => fault !== undefined)
  return first === undefined ? Result.succeed(value) : Result.fail(first)
}

// ---- the server ----------------------------------------------------------------------------------------------------

/** Reports options that do not go together. */
const mixture = ({ allowPrivate, command, cwd, env, headers, url }: Given): string | undefined => {
  if (url !== undefined && command.length > 0) return "give a command or --url, not both"
  if (url === undefined && command.length === 0) return "a command or --url is missing"
  if (url === undefined && (headers.length > 0 || allowPrivate)) return "--header and --allow-private are for --url"
  return url !== undefined && (env.length > 0 || cwd !== undefined) ? "--env and --cwd are for a command" : undefined
}

export const givenServer = (
  given: Given,
  present: Readonly<Record<string, string | undefined>>
): Read<ServerConfig> => {
  const wrong = mixture(given)
  if (wrong !== undefined) return Result.fail(wrong)
  const { allowPrivate, command, cwd, env, headers, url } = given
  if (url === undefined) {
    const [program = "", ...args] = command
    if (program.trim() === "") return Result.fail("the command must not be empty")
    return Result.flatMap(recordOf(env, variable(present)), (variables) => {
      const launch: Launch = { kind: "stdio", command: program, args, env: variables, cwd }
      const faults = [
        ...Object.keys(variables).map(faultInName),
        ...Object.entries(variables).map(([name, value]) => faultInReferences(`--env ${name}`, value)),
        ...args.map((arg) => faultInReferences("an argument of the command", arg))
      ]
      return unless(faults, serverConfig(nameOfCommand(command), launch))
    })
  }
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    return Result.fail("--url must be an http or https address")
  }
  return Result.flatMap(recordOf(headers, header), (record) => {
    const launch: Launch = { kind: "http", url, headers: record }
    const faults = [
      faultInReferences("--url", url) ??
        (url.includes(SECRET_SCHEME) ? undefined : faultInAddress(parsed, allowPrivate)),
      ...Object.entries(record).map(([name, value]) => faultInReferences(`--header ${name}`, value))
    ]
    return unless(faults, serverConfig(nameOfUrl(parsed), launch, { allowPrivate, toolPrefix: parsed.hostname }))
  })
}

// ---- in a configuration --------------------------------------------------------------------------------------------

/** The whole configuration, but with this server only. */
export const withServer = (config: GatewayConfig, server: ServerConfig): GatewayConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, servers: [server] })),
  warnings: []
})

/** The configuration with only the named server started or listed. */
export const withOnly = (config: GatewayConfig, name: string): GatewayConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({
    ...agent,
    servers: agent.servers.map((server) => (server.name === name ? server : { ...server, enabled: false }))
  }))
})
