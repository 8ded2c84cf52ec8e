/** Calls through the program that take long, and many of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { shell } from "../../fixtures/servers.ts"
import { wrappedIn } from "../../support/boundaries.ts"
import { ERAS, type TestClient } from "../../support/mcpClients.ts"
import { ask, begin, sessionOf, type Answer } from "../../support/rawHttp.ts"
import { listening, overHttp, overStdio, placeFor, real, type Loose } from "./program.ts"
import { pauses } from "../../support/pause.ts"

const bodies = (text: string) => wrappedIn(text).map(({ body }) => body)

const tokenIn = (stderr: string): string => readFileSync(/the token in (\S+)/.exec(stderr)![1]!, "utf8")

const opened = (servers: object) =>
  Effect.gen(function* () {
    const { stderr, url } = yield* listening(yield* placeFor({ mcp: { servers } }))
    return { url, token: tokenIn(stderr()) }
  })

const resultOf = ({ messages }: Answer): Loose => messages.at(-1)?.result

describe("serve: a call that takes long", () => {
  const servers = { all: real("everything", ["stdio"]) }
  const long = (duration: number) => ({
    name: "mcp_all_trigger-long-running-operation",
    arguments: { duration, steps: 2 }
  })

  it.live("is a task when a client of 2025-11-25 says so: it comes back for the result, or takes it back", () =>
    Effect.gen(function* () {
      const { token, url } = yield* opened(servers)
      const session = sessionOf(yield* Effect.promise(() => begin(url, token)))
      const put = (method: string, params: Record<string, unknown>) =>
        Effect.map(
          Effect.promise(() => ask("2025-11-25", url, token, method, params, { session })),
          resultOf
        )
      const { task } = yield* put("tools/call", { ...long(1), task: {} })
      assert.strictEqual(task.status, "working")
      const { content } = yield* put("tasks/result", { taskId: task.taskId })
      assert.include(content[0].text, "Long running operation completed")
      const endless = (yield* put("tools/call", { ...long(600), task: {} })).task
      assert.strictEqual((yield* put("tasks/cancel", { taskId: endless.taskId })).status, "cancelled")
    }).pipe(Effect.scoped)
  )

  it.live("is a task for a client of 2026-07-28 that supports tasks, and a plain answer for others", () =>
    Effect.gen(function* () {
      const { token, url } = yield* opened(servers)
      const put = (method: string, params: Loose, capabilities: object) =>
        Effect.map(
          Effect.promise(() => {
            const headers = params.taskId === undefined ? {} : { "mcp-name": params.taskId }
            return ask("2026-07-28", url, token, method, params, { capabilities, headers })
          }),
          resultOf
        )
      const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } }
      const task = yield* put("tools/call", long(2), tasks)
      assert.deepInclude(task, { resultType: "task", status: "working" })
      const { result, status } = yield* put("tasks/get", { taskId: task.taskId }, tasks).pipe(
        Effect.repeat({ schedule: pauses, until: (found: Loose) => found.status !== "working" }),
        Effect.timeout("60 seconds")
      )
      assert.strictEqual(status, "completed")
      assert.include(result.content[0].text, "Long running operation completed")
      const waited = yield* put("tools/call", long(1), {})
      assert.include(waited.content[0].text, "Long running operation completed")
    }).pipe(Effect.scoped)
  )
})

describe("serve: a hundred calls at once", () => {
  const BURST = 20
  const servers = (limits: object) => ({ one: { ...shell(), ...limits }, two: { ...shell(), ...limits } })
  const wide = servers({ limits: { perMinute: 0 } })
  const words = Array.from({ length: 100 }, (_, count) => `word-${count}`)

  const hundred = (client: TestClient) =>
    Effect.promise(() =>
      Promise.all(words.map((text, index) => client.call(index % 2 === 0 ? "mcp_one_echo" : "mcp_two_echo", { text })))
    )

  for (const era of ERAS) {
    for (const door of ["stdio", "HTTP"] as const) {
      it.live(`of a client of ${era} over ${door} each get their own answer`, () =>
        Effect.gen(function* () {
          const client =
            door === "stdio"
              ? yield* overStdio(era, yield* placeFor({ mcp: { servers: wide } }))
              : yield* Effect.flatMap(opened(wide), ({ token, url }) => overHttp(era, url, token))
          const answers = yield* hundred(client)
          assert.deepStrictEqual(
            answers.map((answer) => bodies(answer)),
            words.map((word) => [word])
          )
        }).pipe(Effect.scoped)
      )
    }
  }

  it.live("above the limits each get an error", () =>
    Effect.gen(function* () {
      const client = yield* overStdio(
        "2025-11-25",
        yield* placeFor({ mcp: { servers: servers({ limits: { burst: BURST } }) } })
      )
      const answers = yield* hundred(client)
      const sent = answers.filter((answer, index) => bodies(answer)[0] === words[index])
      assert.isAtLeast(sent.length, 2 * BURST)
      const refused = answers.filter((answer) => answer.includes("this one was not sent"))
      assert.isAbove(refused.length, 0)
      assert.strictEqual(sent.length + refused.length, words.length)
    }).pipe(Effect.scoped)
  )
})
