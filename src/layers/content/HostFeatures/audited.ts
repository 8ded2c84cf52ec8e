/** Every sampling or elicitation request that is read gets an answer and leaves one record in the audit log, however it ends. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { shapeOf } from "../../../schemas/call/ArgumentShape.ts"
import { HostRefusal } from "../../../schemas/content/HostRequest.ts"
import { mergeFindings } from "../../../schemas/content/ServerText.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { AuditLog } from "../../../services/call/AuditLog.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { failed } from "./refusal.ts"
import * as Words from "./requestText.ts"

export type Params = Readonly<Record<string, unknown>>

/** An answer, and its record in the audit log. */
export interface Answer {
  readonly outcome: string
  readonly chars: number
  /** A refusal here is recorded with its findings; other refusals are not. */
  readonly result: JsonObject | HostRefusal
}

const outcomeOf = (exit: Exit.Exit<Answer, HostRefusal>): string => {
  if (Exit.isSuccess(exit)) return exit.value.outcome
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "HostRefusal"
}

export const makeAudited = (audit: AuditLog["Service"], sanitizer: ContentSanitizer["Service"]) => {
  /** A refusal stays. A bug, or a callback that interrupts itself, still leads to an answer. */
  const answerless = (server: ServerConfig, method: string, cause: Cause.Cause<HostRefusal>) => {
    const refusal = Cause.findErrorOption(cause)
    if (Option.isSome(refusal)) return Effect.fail(refusal.value)
    const logged = Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.logError(
          `${method} of MCP server '${sanitizer.label(server.name, LABEL_MAX_CHARS)}': unexpected failure`,
          cause
        )
    return Effect.andThen(logged, Effect.fail(failed("this client failed to answer")))
  }

  /** Writes exactly one record, also after an interruption. */
  return (
    server: ServerConfig,
    method: string,
    params: Params,
    work: (words: Words.Words) => Effect.Effect<Answer, HostRefusal>
  ): Effect.Effect<JsonObject, HostRefusal> =>
    Effect.flatMap(Clock.currentTimeMillis, (startedAt) => {
      const words = Words.make(sanitizer)
      const record = (exit: Exit.Exit<Answer, HostRefusal>) =>
        Effect.flatMap(Clock.currentTimeMillis, (endedAt) =>
          audit.record({
            agent: "host",
            server: server.name,
            tool: method,
            shape: () => shapeOf(params, sanitizer.label),
            durationMs: endedAt - startedAt,
            outcome: outcomeOf(exit),
            resultChars: Exit.isSuccess(exit) ? exit.value.chars : 0,
            // Findings in refused requests are not reported: they come as fast as a server likes.
            findings: Exit.hasFails(exit) ? [] : mergeFindings(words.findings())
          })
        )
      return Effect.suspend(() => work(words)).pipe(
        Effect.catchCause((cause) => answerless(server, method, cause)),
        Effect.onExit(record),
        Effect.flatMap(({ result }) => (result instanceof HostRefusal ? Effect.fail(result) : Effect.succeed(result)))
      )
    })
}
