/** Messages to the agents of the real gateway, and what the model that repeats what it was given said to them. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { isObject } from "../../src/schemas/data/Json.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"

const ENDS = new Set(["final", "error", "aborted"])

/** What the model repeats: what it was given. */
export const ask = (agent: string, message: string, session = "t-plugin") =>
  Effect.scoped(
    Effect.gen(function* () {
      const { operator } = yield* GatewayLink
      const events = yield* operator.events
      const runId = randomUUID()
      const sessionKey = `agent:${agent}:${session}`
      yield* operator.request("chat.send", { sessionKey, message, idempotencyKey: runId })
      const last = yield* events.pipe(
        Stream.filter(
          ({ event, payload }) =>
            event === "chat" && isObject(payload) && payload["runId"] === runId && ENDS.has(String(payload["state"]))
        ),
        Stream.runHead
      )
      const { payload } = Option.getOrThrow(last)
      const message_ = isObject(payload) && isObject(payload["message"]) ? payload["message"] : {}
      const content = Array.isArray(message_["content"]) ? message_["content"] : []
      return content.map((block: unknown) => (isObject(block) ? String(block["text"]) : "")).join("")
    })
  )

const TRIES = 60

/** Until a change has arrived; what came last says why it has not. */
export const askUntil = (agent: string, message: string, isSo: (text: string) => boolean, session?: string) =>
  ask(agent, message, session).pipe(
    Effect.repeat({ until: isSo, times: TRIES }),
    Effect.tap((text) => Effect.sync(() => assert.isTrue(isSo(text), text)))
  )

export const line = (tool: string, args: object) => `CALL ${tool} ${JSON.stringify(args)}`
