/** Clients that are let in no more, while something is done for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import { CLIENT_STREAMS_CHECK_MS } from "../../../src/schemas/defaults/Clients.ts"
import { LISTENER_TASK_AFTER_MS } from "../../../src/schemas/defaults/Listener.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { ask, begin, sessionOf, type Answer } from "../../support/rawHttp.ts"

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } }

const resultOf = ({ messages }: Answer): Record<string, unknown> => messages.at(-1)?.result ?? {}

/** A client with a session, for which a call and a task are under way. */
const working = (url: string, token: string) =>
  Effect.gen(function* () {
    const session = sessionOf(yield* Effect.promise(() => begin(url, token)))
    const put = (method: string, params: Record<string, unknown>) =>
      ask("2025-11-25", url, token, method, params, { session })
    const cut = put("tools/call", { name: "wait" }).then(
      () => "answered",
      () => "cut"
    )
    const created = yield* Effect.promise(() => put("tools/call", { name: "wait", task: {} }))
    const { taskId } = resultOf(created)["task"] as { readonly taskId: string }
    return { cut: Effect.promise(() => cut), task: Effect.promise(() => put("tasks/get", { taskId })) }
  })

const opened = Effect.gen(function* () {
  const out = yield* SubscriptionRef.make<ReadonlySet<string>>(new Set())
  const { heard, lines, url } = yield* listening({
    tasks: true,
    door: { revoked: Stream.drop(SubscriptionRef.changes(out), 1) }
  })
  return { heard, lines, url, become: (...now: ReadonlyArray<string>) => SubscriptionRef.set(out, new Set(now)) }
})

describe("a client that is let in no more", () => {
  it.live("loses its sessions with all calls and tasks at once, for good; another one keeps its own", () =>
    Effect.gen(function* () {
      const { become, heard, lines, url } = yield* opened
      const [mine, theirs] = [yield* working(url, TOKENS.me), yield* working(url, TOKENS.other)]
      yield* heard("begun", 4)
      yield* become("me")
      yield* heard("interrupted", 2)
      assert.strictEqual(yield* mine.cut, "cut")
      assert.strictEqual((yield* mine.task).status, 401)
      yield* become()
      assert.strictEqual(resultOf(yield* theirs.task)["status"], "working")
      assert.strictEqual((yield* mine.task).status, 404)
      assert.lengthOf(
        lines.filter((line) => line === "interrupted"),
        2
      )
    }).pipe(Effect.scoped)
  )

  it.effect("loses the task of a request without a session", () =>
    Effect.gen(function* () {
      const { become, heard, url } = yield* opened
      const call = ask("2026-07-28", url, TOKENS.me, "tools/call", { name: "wait" }, { capabilities: TASKS })
      yield* heard("begun")
      yield* TestClock.adjust(LISTENER_TASK_AFTER_MS)
      assert.strictEqual(resultOf(yield* Effect.promise(() => call))["resultType"], "task")
      yield* become("me")
      yield* heard("interrupted")
    }).pipe(Effect.scoped)
  )

  it.effect("loses them also by the rules, within a quarter of a minute", () =>
    Effect.gen(function* () {
      let isIn = true
      const { heard, url } = yield* listening({
        tasks: true,
        door: { admits: ({ agent, principal }) => (isIn || principal === "other" ? { agent } : undefined) }
      })
      const [mine, theirs] = [yield* working(url, TOKENS.me), yield* working(url, TOKENS.other)]
      yield* heard("begun", 4)
      isIn = false
      yield* TestClock.adjust(CLIENT_STREAMS_CHECK_MS)
      yield* heard("interrupted", 2)
      assert.strictEqual(yield* mine.cut, "cut")
      isIn = true
      assert.strictEqual((yield* mine.task).status, 404)
      assert.strictEqual(resultOf(yield* theirs.task)["status"], "working")
    }).pipe(Effect.scoped)
  )
})
