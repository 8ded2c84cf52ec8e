/**
 * The configurations that `loadMCPServers` accepts, as a `ConfigSource`: objects in `{ servers }` form, and objects and files
 * in every other known format. Only the `{ servers }` form is translated here; the usual decoder does the rest.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { readFile, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import * as ConfigSourceLayer from "../../layers/config/ConfigSource.ts"
import { ConfigError } from "../../schemas/config/ConfigError.ts"
import { CONFIG_MAX_BYTES } from "../../schemas/defaults/Configuration.ts"
import type { GatewayConfig, ToolRules } from "../../schemas/config/GatewayConfig.ts"
import type { ConfigIssue } from "../../schemas/config/ConfigIssue.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { recognise } from "../../schemas/config/clients/Recognise.ts"
import { parseConfigText } from "../../schemas/config/ConfigText.ts"
import { warnOfIdleGlobs } from "../../schemas/config/IdleRules.ts"
import { noLines } from "../../schemas/config/KeyLines.ts"
import { makeReport } from "../../schemas/config/Report.ts"
import { expandHome } from "../../schemas/config/Resolve.ts"
import { DEFAULT_SECRETS, type WrittenSecrets } from "../../schemas/secret/SecretsConfig.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { MCPServerConfig } from "./MCPServerConfig.ts"
import { translateTop } from "./topLevel.ts"

interface OtherKeys {
  readonly [key: string]: unknown
}

/** The settings of secret providers (docs/secrets.md). Most need none. */
export interface MCPSecrets extends WrittenSecrets {}

/**
 * The first argument of `loadMCPServers`: servers by name, an object in another format (`openclaw.json`, `mcpServers`, VS
 * Code's `servers`), or the path of such a file. Unknown keys and values of a wrong type reject with a `ConfigError`.
 */
export type MCPServersConfig =
  | (OtherKeys & {
      readonly servers: Readonly<Record<string, MCPServerConfig>>
      /** With more tools than this, a tool search is listed in their place; 0 or `false` means never. */
      readonly toolIndex?: { readonly threshold?: number | false } | false
      readonly secrets?: MCPSecrets
    })
  /** `openclaw.json` and `mcpServers`, as objects. */
  | (OtherKeys & { readonly servers?: undefined })

// ---- loading -------------------------------------------------------------------------------------------------------

interface Loaded {
  readonly config: GatewayConfig
  /** The value that was decoded; `undefined` for a file that could not be read a second time. */
  readonly raw: unknown
}

const loadFrom = (source: Layer.Layer<ConfigSource>) =>
  ConfigSource.use(({ load }) => load).pipe(Effect.provide(source))

/** `file` is its name in messages. */
const loadObject = Effect.fnUntraced(function* (
  raw: unknown,
  file: string,
  cwd?: string
): Effect.fn.Return<Loaded, ConfigError> {
  const top = translateTop(raw)
  const originOf = (path: string) => top.origins.get(path) ?? path
  const placed = (issue: ConfigIssue): ConfigIssue => ({ ...issue, file, path: originOf(issue.path) })
  const own = top.problems.map((problem): ConfigIssue => ({ file, line: 0, ...problem }))
  const config = yield* loadFrom(ConfigSourceLayer.layerObject(top.value, { cwd })).pipe(
    Effect.mapError(
      ({ issues, warnings = [] }) =>
        new ConfigError({ issues: [...own, ...issues.map(placed)], warnings: warnings.map(placed) })
    )
  )
  if (own.length > 0) return yield* new ConfigError({ issues: own })
  const agents = config.agents.map((agent) => ({
    ...agent,
    servers: agent.servers.map((server) =>
      server.fault === undefined ? server : { ...server, fault: placed(server.fault) }
    )
  }))
  const { faults, secrets = DEFAULT_SECRETS, warnings } = config
  const ofProviders = Object.entries(secrets.faults ?? {}).map(([name, fault]) => [name, placed(fault)])
  return {
    raw,
    config: {
      ...config,
      agents,
      file,
      secrets: ofProviders.length === 0 ? secrets : { ...secrets, faults: Object.fromEntries(ofProviders) },
      faults: faults?.map(placed),
      warnings: warnings.map(placed)
    }
  }
})

/** The value in a file, if it can be read. Errors are reported when the file is loaded. */
const rawOf = (file: string): Effect.Effect<unknown> =>
  Effect.promise(async () => {
    try {
      const found = await stat(file)
      if (!found.isFile() || found.size > CONFIG_MAX_BYTES) return undefined
      const parsed = parseConfigText(await readFile(file, "utf8"))
      return Result.isSuccess(parsed) ? parsed.success.value : undefined
    } catch {
      return undefined
    }
  })

const needsTranslation = (raw: unknown): boolean => {
  const { problems, value } = translateTop(raw)
  return problems.length > 0 || value !== raw
}

const loadPath = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Loaded, ConfigError> {
  const file = resolve(expandHome(path, homedir()))
  const raw = yield* rawOf(file)
  // Without line numbers, which translated values do not have.
  if (recognise(file, raw) === undefined && needsTranslation(raw)) return yield* loadObject(raw, file, dirname(file))
  return { raw, config: yield* loadFrom(ConfigSourceLayer.layer({ path })) }
})

// ---- rules of the program -------------------------------------------------------------------------------------------

export interface ProgramRules {
  readonly policy:
    | (Partial<Pick<ToolRules, "allow" | "approvers" | "deny" | "ask">> & {
        readonly ownerOnly?: ReadonlyArray<string> | undefined
      })
    | undefined
  /** The program answers sampling requests: servers may send them unless their entry says otherwise. */
  readonly sampling: boolean
}

const NESTING_MAX = 8

/**
 * The servers whose entry sets `sampling`, anywhere in the configuration. The decoded value does not tell a setting from a default.
 */
const decidedSampling = (raw: unknown, depth: number = 0): ReadonlyArray<string> => {
  if (typeof raw !== "object" || raw === null || depth > NESTING_MAX) return []
  return Object.entries(raw).flatMap(([key, value]) =>
    (key === "servers" || key === "mcpServers") && isObject(value)
      ? Object.entries(value).flatMap(([name, entry]) =>
          isObject(entry) && entry["sampling"] !== undefined ? [name] : []
        )
      : decidedSampling(value, depth + 1)
  )
}

/** Whether the configuration sets a threshold for the tool search, anywhere. */
const asksForIndex = (raw: unknown, depth: number = 0): boolean =>
  typeof raw === "object" &&
  raw !== null &&
  depth <= NESTING_MAX &&
  Object.entries(raw).some(
    ([key, value]) =>
      key === "toolIndex" || (key !== "servers" && key !== "mcpServers" && asksForIndex(value, depth + 1))
  )

const rulesOf = ({ allow, approvers, ask, deny = [] }: NonNullable<ProgramRules["policy"]>): ToolRules => ({
  allow,
  deny,
  ...(ask !== undefined && { ask }),
  ...(approvers !== undefined && { approvers })
})

/** Globs that match no tool of any server, reported like those of a configuration. */
const idleGlobs = (policy: ProgramRules["policy"], { agents }: GatewayConfig): ReadonlyArray<ConfigIssue> => {
  const report = makeReport("options", noLines)
  const servers = agents.flatMap((agent) => agent.servers)
  if (policy !== undefined) {
    const { allow, ask, deny, ownerOnly } = policy
    warnOfIdleGlobs(report, ["policy"], { allow, deny, ask, ownerOnly }, servers)
  }
  return report.warnings()
}

const applied = ({ config, raw }: Loaded, { policy, sampling }: ProgramRules): GatewayConfig => {
  const decided = new Set(decidedSampling(raw))
  const isIndexed = asksForIndex(raw)
  return {
    ...config,
    warnings: [...config.warnings, ...idleGlobs(policy, config)],
    agents: config.agents.map((agent) => ({
      ...agent,
      ...(isIndexed ? {} : { toolIndexThreshold: 0 }),
      rules: policy === undefined ? agent.rules : [...agent.rules, rulesOf(policy)],
      // If the raw value is unknown, the entry might forbid sampling.
      servers: agent.servers.map((server) =>
        sampling && raw !== undefined && !decided.has(server.name) ? { ...server, sampling: true } : server
      )
    }))
  }
}

/**
 * A configuration source for a path, or an object in any of the forms. Loading fails with all problems at once, each with its path.
 */
export const layer = (config: unknown, rules: ProgramRules): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, {
    load: Effect.suspend(() =>
      typeof config === "string" ? loadPath(config) : loadObject(config, "configuration")
    ).pipe(Effect.map((loaded) => applied(loaded, rules)))
  })
