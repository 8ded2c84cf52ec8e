/**
 * The notifications of a server. Changes go to the listener of the connection; log messages and protocol violations go to our log,
 * throttled and cleaned, and log messages also to the host's log. None of them reaches a model.
 */
import * as Effect from "effect/Effect"
import { URI_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { STDERR_LINES_PER_SECOND } from "../../../../schemas/defaults/Wire.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { linesLeftOut } from "../../../../schemas/connection/ServerLogLine.ts"
import { isLogLevel, type LogMessage } from "../../../../schemas/connection/LogMessage.ts"
import { inLine } from "../../../../schemas/content/ServerText.ts"
import type { ServerEvent } from "../../../../services/connection/ServerConnector.ts"
import type { ServerLogs } from "../../../../services/connection/ServerLogs.ts"
import type { StdioHooks } from "../stdio/stdio.ts"
import { throttled } from "./throttled.ts"
import type { Tidy } from "./tidy.ts"

const DETAIL_CHARS = 300
const LINE_CHARS = 2000

const LIST_CHANGED: ServerEvent = { _tag: "ListChanged" }
const LIST_NOTIFICATIONS = new Set([
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed"
])

/** The levels of RFC 5424 as levels of Effect's log. */
const LEVELS: ReadonlyMap<unknown, (line: string) => Effect.Effect<void>> = new Map([
  ["debug", Effect.logDebug],
  ["info", Effect.logDebug],
  ["notice", Effect.logInfo],
  ["warning", Effect.logInfo],
  ["error", Effect.logWarning],
  ["critical", Effect.logWarning],
  ["alert", Effect.logWarning],
  ["emergency", Effect.logWarning]
])

/** Servers write both banners and errors to stderr. */
const SOUNDS_BAD =
  /error\b|exception\b|\b(?:fatal|panic|critical|traceback|failed|failure|cannot|unable|denied|warn(?:ing)?)\b/i

/** Called with what a server agreed to announce on a subscription. */
export type OnAcknowledged = (announced: Readonly<Record<string, unknown>>) => void

export interface Notifications {
  readonly hooks: Omit<StdioHooks, "deadlines" | "loop">
  readonly onEvent: (listener: (event: ServerEvent) => void) => void
  readonly emit: (event: ServerEvent) => void
  /** By the id of the request that opened the subscription. */
  readonly acknowledged: Map<number, OnAcknowledged>
}

/** Who else gets what stands in our log: `heard` each log message, `logs` also each line of stderr. */
export interface Listeners {
  readonly heard?: ((message: LogMessage) => void) | undefined
  readonly logs?: ServerLogs["Service"] | undefined
  /** Who has the server alone. */
  readonly whose?: string | undefined
}

export const makeNotifications = (
  server: string,
  tidy: Tidy,
  fork: (effect: Effect.Effect<void>) => void,
  { heard, logs, whose }: Listeners = {}
): Notifications => {
  let listener: ((event: ServerEvent) => void) | undefined
  /** The lists changed before there was a listener. */
  let changedEarly = false
  const acknowledged: Notifications["acknowledged"] = new Map()

  /** A line is made only if it is logged, so that a flood of them costs little. */
  const log = throttled<() => Effect.Effect<void>>(
    STDERR_LINES_PER_SECOND,
    (line) => fork(line()),
    (count) => () => Effect.logDebug(`[${server}] ${linesLeftOut(count)}`)
  )

  const emit = (event: ServerEvent) => {
    if (listener !== undefined) listener(event)
    else if (event._tag === "ListChanged") changedEarly = true
  }

  const logMessage = ({ data, level }: Readonly<Record<string, unknown>>) =>
    log(() => {
      const said = typeof data === "string" ? data : (JSON.stringify(data) ?? "")
      const word = typeof level === "string" ? level : "log"
      const line = inLine(said, tidy, LINE_CHARS)
      if (isLogLevel(level)) heard?.({ level, data: line, logger: server })
      logs?.write(server, "log", isLogLevel(level) ? level : "info", line, whose)
      return (LEVELS.get(level) ?? Effect.logDebug)(`[${server}] ${inLine(word, tidy, 20)}: ${line}`)
    })

  const onNotification: StdioHooks["onNotification"] = (method, params) => {
    if (LIST_NOTIFICATIONS.has(method)) return emit(LIST_CHANGED)
    switch (method) {
      case "notifications/resources/updated": {
        const uri = params["uri"]
        if (typeof uri === "string" && uri.length <= URI_MAX_CHARS) emit({ _tag: "ResourceUpdated", uri })
        return
      }
      case "notifications/subscriptions/acknowledged": {
        const id = subscriptionOf(params)
        const announced = params["notifications"]
        if (typeof id === "number") acknowledged.get(id)?.(isObject(announced) ? announced : {})
        return
      }
      case "notifications/message":
        return logMessage(params)
    }
  }

  return {
    acknowledged,
    emit,
    onEvent: (given) => {
      listener = given
      if (!changedEarly) return
      changedEarly = false
      given(LIST_CHANGED)
    },
    hooks: {
      tidy,
      onNotification,
      onStderr: (line) => {
        const words = inLine(line, tidy, LINE_CHARS)
        const isBad = SOUNDS_BAD.test(words)
        logs?.write(server, "stderr", isBad ? "warning" : "info", words, whose)
        fork((isBad ? Effect.logWarning : Effect.logInfo)(`[${server}] ${words}`))
      },
      onViolation: (what) => log(() => Effect.logDebug(`[${server}] ignored ${inLine(what, tidy, DETAIL_CHARS)}`))
    }
  }
}

/** The request that opened the stream of a notification (2026-07-28, Subscriptions). */
function subscriptionOf(params: Readonly<Record<string, unknown>>): unknown {
  const meta = params["_meta"]
  return isObject(meta) ? meta["io.modelcontextprotocol/subscriptionId"] : undefined
}
