/** Gathers the facts that `doctor` judges. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import { formatIssue } from "../../../schemas/config/ConfigIssue.ts"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import type { AgentConfig, GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { SERVE_HOST, SERVE_PORT } from "../../../schemas/defaults/Serve.ts"
import type { Facts, SecretFacts, ServerFacts } from "../../../schemas/doctor/Facts.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { findGateways, type Found } from "../../../system/gatewayFiles.ts"
import { isOpenclaws } from "../../../system/openclawFile.ts"
import { root, withLogLevel } from "../command.ts"
import { tellStep } from "../servers/waiting.ts"
import { runningGateway, type RunningFlags } from "../running/choice.ts"
import { tellingWait } from "../servers/waiting.ts"
import { layerFor, tryAll, usesOf } from "../setup/trySecrets.ts"
import { addressFacts, addressOf } from "./gather/addresses.ts"
import { dataFacts, leftFacts } from "./gather/dataDirectory.ts"
import { issuerFacts } from "./gather/issuers.ts"
import { loginFacts } from "./gather/logins.ts"
import { portFacts } from "./gather/port.ts"
import { programFacts } from "./gather/programs.ts"
import { askGateway, NOTHING_SEEN, startOnce } from "./gather/servers.ts"
import { openclawReport } from "./openclaw.ts"

export interface Choices extends RunningFlags {
  /** Nothing is contacted or started. */
  readonly offline: boolean
  /** The port to try; without it that of `serve`, if the configuration has clients for it. */
  readonly port: number | undefined
}

export interface Gathered {
  readonly facts: Facts
  readonly config: GatewayConfig | undefined
  readonly gateway: Found | undefined
}

// ---- the configuration -----------------------------------------------------------------------------------------------

const load = Effect.gen(function* () {
  const { agent, config: path } = yield* root
  const source = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  const named = Option.getOrUndefined(path)
  const config = yield* ConfigSource.use(({ load: read }) => read).pipe(
    Effect.provide(source.layerSound({ path: named })),
    withLogLevel("Error"),
    Effect.catchTag("ConfigError", ({ issues, warnings = [] }) => Effect.succeed({ issues, warnings }))
  )
  if ("issues" in config) {
    const { issues, warnings } = config
    return {
      config: undefined,
      file: issues[0]?.file || named,
      faults: issues.map(formatIssue),
      warnings: warnings.map(formatIssue)
    }
  }
  const known = config.agents.map(({ id }) => id)
  if (Option.isSome(agent) && !known.includes(agent.value))
    return yield* new UnknownAgent({ agent: agent.value, known })
  return {
    config,
    file: config.absent === true ? undefined : config.file,
    faults: (config.faults ?? []).map(formatIssue),
    warnings: config.warnings.map(formatIssue)
  }
})

/** The agent of the command, else all, the default agent first. */
const agentsOf = (config: GatewayConfig, agent: Option.Option<string>): ReadonlyArray<AgentConfig> =>
  config.agents
    .filter(({ id }) => Option.isNone(agent) || id === agent.value)
    .toSorted((a, b) => Number(b.id === config.defaultAgent) - Number(a.id === config.defaultAgent))

/** Each name once: what several agents have in different ways is checked as the first of them has it. */
const serversOf = (agents: ReadonlyArray<AgentConfig>): ReadonlyArray<ServerConfig> => {
  const found = new Map<string, ServerConfig>()
  for (const { servers } of agents)
    for (const server of servers) if (server.enabled && !found.has(server.name)) found.set(server.name, server)
  return [...found.values()]
}

// ---- secrets -------------------------------------------------------------------------------------------------------

/** These are read on this machine, without a program or a network. */
const LOCAL = /^secret:\/\/(?:env|file)\//

const secretFacts = Effect.fnUntraced(function* (
  config: GatewayConfig,
  agents: ReadonlyArray<AgentConfig>,
  offline: boolean
) {
  const uses = usesOf(agents).filter(({ reference }) => !offline || LOCAL.test(reference))
  if (uses.length === 0) return [] as ReadonlyArray<SecretFacts>
  const trials = yield* tryAll(uses).pipe(Effect.provide(layerFor(config)), withLogLevel("Error"))
  return trials.flatMap(({ ok, place, reason = "", reference, server }): ReadonlyArray<SecretFacts> =>
    ok ? [] : [{ server, place, reference, reason }]
  )
})

// ---- everything ----------------------------------------------------------------------------------------------------

const listed = (names: ReadonlyArray<string>): string => names.join(", ")

/** What will happen, before it does. */
const announce = Effect.fnUntraced(function* (
  started: ReadonlyArray<ServerConfig>,
  servers: ReadonlyArray<ServerConfig>,
  issuers: ReadonlyArray<string>
) {
  if (started.length > 0)
    yield* tellStep(`starting each server once: ${listed(started.map(({ name }) => name))} (--offline starts none)`)
  const known = servers.flatMap((server) => addressOf(server)?.host ?? [])
  const hosts = [...new Set([...known, ...issuers.map((issuer) => new URL(issuer).host)])]
  if (hosts.length > 0) yield* tellStep(`contacting ${listed(hosts)}`)
})

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]

export const gather = Effect.fnUntraced(function* (choices: Choices) {
  const { offline } = choices
  const directory = dataDirectory()
  // Before anything else: a command that looks for gateways tidies up after those that are gone.
  const data = dataFacts(directory)
  const left = yield* leftFacts(directory)
  const { agent } = yield* root
  const { config, faults, file, warnings } = yield* load
  const agents = config === undefined ? [] : agentsOf(config, agent)
  const servers = serversOf(agents)
  yield* Effect.promise(() => findGateways(directory))
  const gateway = config === undefined ? undefined : yield* runningGateway(choices)
  const started = offline || gateway !== undefined ? [] : servers.filter(({ fault }) => fault === undefined)
  const issuing = config?.clients?.issuers.map(({ issuer }) => issuer) ?? []
  if (!offline) yield* announce(started, servers, issuing)
  const looking = Effect.gen(function* () {
    return {
      programs: yield* programFacts(servers, offline),
      logins: yield* loginFacts(servers),
      secrets: config === undefined ? [] : yield* secretFacts(config, agents, offline),
      addresses: offline ? undefined : yield* addressFacts(servers),
      issuers: offline || config === undefined ? undefined : yield* issuerFacts(config)
    }
  })
  const words = Effect.succeed("Looking at programs, secrets and addresses")
  const { addresses, issuers, logins, programs, secrets } = yield* tellingWait(looking, words)
  const seen =
    gateway !== undefined
      ? yield* askGateway(
          gateway,
          agents.map(({ id }) => id)
        )
      : config === undefined || started.length === 0
        ? NOTHING_SEEN
        : yield* startOnce(config, agents[0]!.id, started)
  const serves = config?.serve !== undefined && config.serve.clients.length > 0 && gateway?.kind !== "serve"
  const port = choices.port ?? (serves ? SERVE_PORT : undefined)
  const facts: Facts = {
    now: yield* Clock.currentTimeMillis,
    platform: process.platform,
    file,
    faults,
    warnings,
    servers: servers.map((one): ServerFacts => ({
      config: one,
      ...programs.get(one.name),
      address: addresses?.get(one.name),
      login: logins.get(one.name),
      status: seen.status.get(one.name),
      calls: seen.calls.get(one.name),
      log: seen.logs.get(one.name)
    })),
    tools: seen.tools,
    secrets,
    proxies: PROXIES.filter((name) => (process.env[name] ?? "") !== ""),
    running: gateway !== undefined,
    data,
    left,
    port: port === undefined ? undefined : yield* portFacts(config?.serve?.host ?? SERVE_HOST, port),
    issuers,
    openclaw: file !== undefined && isOpenclaws(file) ? (yield* openclawReport(file)).report : undefined
  }
  return { facts, config, gateway } satisfies Gathered
})
