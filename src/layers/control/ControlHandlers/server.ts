/** Everything about one server that a person may see. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Launch, ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../../schemas/connection/ServerState.ts"
import { safeUrl, safeWords } from "../../../schemas/config/ShownLaunch.ts"
import { inLine, inProse } from "../../../schemas/content/ServerText.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import { NO_CALLS } from "../../../schemas/control/Figures.ts"
import {
  type LaunchValue,
  type ProcessValue,
  type ServerView,
  UnknownServer
} from "../../../schemas/control/ServerView.ts"
import {
  SERVER_COMMAND_MAX_CHARS,
  SERVER_DIAGNOSTICS_MAX,
  SERVER_PROCESSES_MAX
} from "../../../schemas/defaults/Control.ts"
import { INSTRUCTIONS_MAX_CHARS } from "../../../schemas/defaults/Definitions.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { type ProcessUse, processesOf, wordsOf } from "../../../system/process/usage.ts"
import type { Masked } from "./masked.ts"
import type { Remembered } from "./remembered.ts"

interface Sources {
  readonly remembered: Remembered
  readonly sanitizer: ContentSanitizer["Service"]
  readonly masked: Masked
}

const launchOf = (launch: Launch): LaunchValue =>
  launch.kind === "stdio"
    ? {
        _tag: "Process",
        command: launch.command,
        args: safeWords(launch.args),
        ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
        env: Object.keys(launch.env)
      }
    : { _tag: "Address", url: safeUrl(launch.url), headers: Object.keys(launch.headers) }

const loginOf = ({ launch }: ServerConfig, state: ServerState): ServerView["login"] => {
  const cause = state._tag === "Failed" || state._tag === "Backoff" ? state.cause : undefined
  if (cause?._tag === "AuthRequired" && cause.remedy === "login") return "needed"
  if (launch.kind === "stdio") return "none"
  const hasToken = Object.keys(launch.headers).some((name) => name.toLowerCase() === "authorization")
  return hasToken || (launch.auth !== undefined && launch.auth.grant !== "authorization_code") ? "none" : "possible"
}

export const makeServerView = ({ masked, remembered, sanitizer }: Sources) => {
  const line = (text: string, maxChars = LABEL_MAX_CHARS) => inLine(text, sanitizer.label, maxChars)

  /** Keys and texts of a server, each cleaned. */
  const cleaned = (value: unknown): unknown => {
    if (typeof value === "string") return line(value)
    if (Array.isArray(value)) return value.map(cleaned)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [line(key), cleaned(member)]))
  }

  const processValue = ({ cpuMs, parent, pid, rssBytes }: ProcessUse): ProcessValue => {
    const words = wordsOf(pid)
    // Cut after it is masked: half a secret would not be recognized.
    const command =
      words && masked(line(safeWords(words).join(" "), Number.POSITIVE_INFINITY)).slice(0, SERVER_COMMAND_MAX_CHARS)
    return { pid, parent, rssBytes, cpuMs, ...(command === undefined ? {} : { command }) }
  }

  const processes = Effect.fnUntraced(function* (pid: number | null) {
    if (pid === null) return []
    const found = yield* Effect.promise(() => processesOf(new Set([pid])))
    return (found?.get(pid) ?? []).slice(0, SERVER_PROCESSES_MAX).map(processValue)
  })

  return Effect.fnUntraced(function* (runtime: McpRuntimeShape, server: string) {
    const inspected = yield* runtime.inspect(server)
    const status = (yield* runtime.status)[server]
    if (inspected === undefined || status === undefined) return yield* new UnknownServer({ server })
    const { config, snapshot } = inspected
    const { catalogue, state } = snapshot
    const about = state._tag === "Ready" ? state.info.about : undefined
    const instructions = catalogue?.instructions
    const { capabilities, ...info } = about ?? {}
    const calls = remembered.figures.at(yield* Clock.currentTimeMillis)[server] ?? NO_CALLS
    return {
      ...masked({
        name: server,
        status,
        launch: launchOf(config.launch),
        info: about === undefined ? null : (cleaned(info) as NonNullable<ServerView["info"]>),
        capabilities: capabilities === undefined ? null : (cleaned(capabilities) as JsonObject),
        instructions:
          instructions === undefined ? null : inProse(instructions, sanitizer.describe, INSTRUCTIONS_MAX_CHARS),
        diagnostics: (catalogue?.diagnostics ?? []).slice(0, SERVER_DIAGNOSTICS_MAX).map((text) => line(text))
      }),
      calls,
      processes: yield* processes(status.pid),
      login: loginOf(config, state)
    } satisfies ServerView
  })
}
