/** Tells of the life of one server: in the log of this process, and in the log about servers if there is one. */
import * as Effect from "effect/Effect"
import { nameWith, whoseOf } from "../../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { faultOf } from "../../../schemas/connection/ServerState.ts"
import type { ServerLogs } from "../../../services/connection/ServerLogs.ts"
import type { Supervision } from "./lifecycle.ts"

export interface LifeLog {
  readonly info: (text: string) => Effect.Effect<void>
  readonly warn: (text: string) => Effect.Effect<void>
}

export const makeLifeLog = (config: ServerConfig, logs: ServerLogs["Service"] | undefined): LifeLog => {
  const { name: server } = config
  const whose = whoseOf(config)
  const told = (level: "info" | "warning", text: string, log: (line: string) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      logs?.write(server, "gateway", level, text, whose)
      return log(`[${nameWith(server, whose)}] ${text}`)
    })
  return {
    info: (text) => told("info", text, (line) => Effect.logInfo(line)),
    warn: (text) => told("warning", text, (line) => Effect.logWarning(line))
  }
}

/** A server that can never be started says so once. */
export const logBeginning = (config: ServerConfig, { info, warn }: LifeLog, { state }: Supervision) => {
  const { enabled, name: server } = config
  if (state._tag === "Disabled") return enabled ? Effect.void : info("disabled in the configuration")
  return state._tag === "Failed" ? warn(`cannot be started: ${faultOf(server, state.cause.message)}`) : Effect.void
}
