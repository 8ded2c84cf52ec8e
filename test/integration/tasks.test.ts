import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { RequestOptions, ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { everything, serverPath } from "../fixtures/servers.ts"
import { connectorWith, httpConfig, open, stdioConfig, textOf } from "../support/connector.ts"
import { fakeHost, type FakeHost } from "../support/host.ts"
import { pauses } from "../support/pause.ts"

const scenario = (name: string, host: FakeHost, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorWith(fakeHost(host)))))

const AS_TASK: RequestOptions = { idleMs: 10_000, totalMs: 60_000, asTask: true }

const research = (topic: string, ambiguous = false) => ({
  name: "simulate-research-query",
  arguments: { topic, ambiguous }
})

const openEverything = open(stdioConfig(process.execPath, [serverPath("everything"), "stdio"]))

describe.concurrent("tasks: a real server", () => {
  scenario(
    "says which tools must be called as tasks, and one of them is an ordinary call with progress",
    {},
    Effect.gen(function* () {
      const connection = yield* openEverything
      const tool = connection.catalogue.tools.find(({ name }) => name === "simulate-research-query")
      assert.strictEqual(tool?.taskSupport, "required")
      const heard: Array<string> = []
      const result = yield* connection.request("tools/call", research("tides"), {
        ...AS_TASK,
        onProgress: ({ message }) => heard.push(String(message))
      })
      assert.include(textOf(result), "Research Report: tides")
      assert.includeMembers(heard, ["Gathering sources...", "Generating report..."])
    })
  )

  for (const transport of ["stdio", "http"] as const) {
    const questions: Array<string> = []
    scenario(
      `asks the host in the middle of a task, over ${transport}`,
      {
        capabilities: { elicitation: { form: {} } },
        answers: {
          "elicitation/create": ({ message }) =>
            Effect.sync(() => {
              questions.push(String(message))
              return { action: "accept", content: { interpretation: "comedy" } }
            })
        }
      },
      Effect.gen(function* () {
        const connection =
          transport === "stdio"
            ? yield* openEverything
            : yield* open(httpConfig((yield* everything("streamableHttp")).url))
        const result = yield* connection.request("tools/call", research("python", true), AS_TASK)
        assert.include(textOf(result), "python (comedy)")
        assert.lengthOf(questions, 1)
      })
    )
  }

  scenario(
    "a task that nobody waits for any more is cancelled there",
    {},
    Effect.gen(function* () {
      const connection = yield* openEverything
      const listed = connection.request("tasks/list", {}, AS_TASK) as Effect.Effect<{
        readonly tasks: ReadonlyArray<{ readonly status: string }>
      }>
      const statuses = Effect.map(listed, ({ tasks }) => tasks.map(({ status }) => status))
      // Nobody waits for the server to do as it is told.
      const whenCancelled = Effect.repeat(statuses, {
        schedule: pauses,
        until: (seen) => seen.every((status) => status === "cancelled")
      })
      const fiber = yield* Effect.forkChild(connection.request("tools/call", research("tides"), AS_TASK))
      yield* Effect.repeat(statuses, { schedule: pauses, until: (seen) => seen.length > 0 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* whenCancelled, ["cancelled"])
      const error = yield* Effect.flip(
        connection.request("tools/call", research("tides"), { ...AS_TASK, totalMs: 2_500 })
      )
      assert.deepInclude(error, { _tag: "CallTimeout", deadline: "total" })
      assert.deepStrictEqual(yield* whenCancelled, ["cancelled", "cancelled"])
    })
  )
})
