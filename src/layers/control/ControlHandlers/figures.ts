/** What each server of an agent does now: its status, its calls, and what its processes use; and those of single clients and sessions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { accountOf } from "../../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerStatus } from "../../../schemas/connection/ServerState.ts"
import { NO_CALLS } from "../../../schemas/control/Figures.ts"
import type { FiguresValue } from "../../../schemas/control/FiguresValue.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { isUnattended } from "../../../schemas/login/OAuthConfig.ts"
import type { Authorizer } from "../../../services/login/Authorizer.ts"
import { usageOf } from "../../../system/process/usage.ts"
import type { Remembered } from "./remembered.ts"
import type { Runtimes } from "./runtimes.ts"

export const figuresOf = ({ figures }: Remembered) =>
  Effect.fnUntraced(function* ({ status }: McpRuntimeShape) {
    const servers = yield* status
    const leaders = Object.values(servers).flatMap(({ pid }) => pid ?? [])
    const used = yield* Effect.promise(() => usageOf(new Set(leaders)))
    const calls = figures.at(yield* Clock.currentTimeMillis)
    return Object.fromEntries(
      Object.entries(servers).map(([name, one]) => {
        const usage = one.pid === null ? undefined : used?.get(one.pid)
        return [name, { status: one, calls: calls[name] ?? NO_CALLS, ...(usage === undefined ? {} : { usage }) }]
      })
    ) satisfies FiguresValue
  })

/** Its connection may still be there after a logout; whoever calls is asked for the account. */
const waitingFor = ({ name: server }: ServerConfig, status: ServerStatus): ServerStatus => ({
  ...status,
  state: "Failed",
  waits: "login",
  tools: 0,
  resources: 0,
  prompts: 0,
  lastError: `MCP server '${server}' is not connected: its user is asked to connect an account at the next call`
})

export const ownOf = ({ own }: Runtimes, { isLoggedIn }: Pick<Authorizer["Service"], "isLoggedIn">) => {
  const lacksAccount = (config: ServerConfig, { state }: ServerStatus): Effect.Effect<boolean> => {
    const auth = config.launch.kind === "stdio" ? undefined : config.launch.auth
    const isAsked = state === "Ready" && auth !== undefined && !isUnattended(auth) && accountOf(config) !== undefined
    return isAsked ? Effect.map(isLoggedIn(config), (is) => is === false) : Effect.succeed(false)
  }
  return Effect.fnUntraced(function* ({ agent }: McpRuntimeShape) {
    const servers = yield* Effect.forEach(yield* own(agent), ({ config, ...one }) =>
      Effect.map(lacksAccount(config, one.status), (lacks) =>
        lacks ? { ...one, status: waitingFor(config, one.status) } : one
      )
    )
    const used = yield* Effect.promise(() => usageOf(new Set(servers.flatMap(({ status }) => status.pid ?? []))))
    return servers.map((one) => {
      const usage = one.status.pid === null ? undefined : used?.get(one.status.pid)
      return usage === undefined ? one : { ...one, usage }
    })
  })
}
