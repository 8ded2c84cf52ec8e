/** Notifications about a request that is under way: progress and log messages. */
import type { ServerContext } from "./sdk.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { isLogLevel, type LogLevel } from "../../../../schemas/connection/LogMessage.ts"
import type { LogTo } from "./Logs.ts"
import type { SendProgress } from "./Reports.ts"

/** Sends one; done when the client can take another. */
export type Notify = (
  method: "notifications/message" | "notifications/progress" | "notifications/elicitation/complete",
  params: object
) => Promise<void>

const LOG_LEVEL = "io.modelcontextprotocol/logLevel"

/** The lowest level of log messages that a client wants for this one request (2026-07-28). */
export const leastIn = ({ mcpReq }: ServerContext): LogLevel | undefined => {
  const envelope: unknown = mcpReq.envelope
  const named = isObject(envelope) ? envelope[LOG_LEVEL] : undefined
  return isLogLevel(named) ? named : undefined
}

export const progressTo = ({ mcpReq }: ServerContext, notify: Notify): SendProgress | undefined => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  return ({ message, progress, total }) =>
    notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message })
    })
}

export const logTo = (least: LogTo["least"], notify: Notify): LogTo => ({
  least,
  send: (message) => notify("notifications/message", { ...message })
})
