/** What every client meets, whichever revision it speaks and whichever way it comes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { shared } from "../../support/shared.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { listening, makeNotes, TOKENS } from "../../support/listener.ts"
import { connected, ERAS, type Answers, type Era, type TestClient } from "../../support/mcpClients.ts"

const PROGRAM = inFixtures("listener/stdio.ts")

interface Met {
  readonly client: TestClient
  readonly heard: (line: string) => Effect.Effect<void>
}

type Meet = (era: Era, answers?: Answers) => Effect.Effect<Met, never, Scope.Scope>

const overStdio: Meet = Effect.fnUntraced(function* (era, answers) {
  const notes = makeNotes()
  const onStderr = (text: string) => {
    for (const line of text.split("\n")) if (line.startsWith("note: ")) notes.note(line.slice(6))
  }
  const client = yield* connected(era, { command: process.execPath, args: [PROGRAM], onStderr }, answers)
  return { client, heard: notes.heard }
})

const overHttp: Meet = Effect.fnUntraced(function* (era, answers) {
  const { heard, url } = yield* listening()
  return { client: yield* connected(era, { url, token: TOKENS.me }, answers), heard }
})

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

interface Failure {
  readonly code: number
  readonly message: string
}

const failure = (promise: Promise<unknown>): Effect.Effect<Failure> =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it did not fail"),
      (error: Failure) => error
    )
  )

const cancellation = () => new AbortController()

const elicit = async () => ({ action: "accept", content: { name: "Ada" } })
const sample = async () => ({ role: "assistant", model: "m", content: { type: "text", text: "hello" } })

for (const [way, meet] of [
  ["stdio", overStdio],
  ["HTTP", overHttp]
] as const) {
  for (const era of ERAS) {
    describe(`${way}, ${era}`, () => {
      const plain = shared(meet(era))

      live("lists what is offered, and gets it", () =>
        Effect.gen(function* () {
          const { client } = yield* plain
          const { completions, prompts, resources, tools } = client.capabilities() as Record<string, unknown>
          assert.deepStrictEqual(
            { completions, prompts, resources, tools },
            {
              completions: {},
              prompts: { listChanged: true },
              resources: { listChanged: true, subscribe: true },
              tools: { listChanged: true }
            }
          )
          const ask = (method: string, params?: Record<string, unknown>) =>
            Effect.promise(() => client.request(method, params))
          const listed = (yield* ask("tools/list"))["tools"] as ReadonlyArray<{ readonly name: string }>
          assert.include(
            listed.map(({ name }) => name),
            "echo"
          )
          assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: "hello ☃" })), "hello ☃")
          assert.deepInclude((yield* ask("resources/list"))["resources"], { uri: "test://one", name: "one" })
          assert.deepStrictEqual((yield* ask("resources/templates/list"))["resourceTemplates"], [])
          const read = yield* ask("resources/read", { uri: "test://one" })
          assert.deepStrictEqual(read["contents"], [{ uri: "test://one", text: "one" }])
          assert.deepStrictEqual((yield* ask("prompts/list"))["prompts"], [{ name: "greet" }])
          const ref = { type: "ref/prompt", name: "greet" }
          const completed = yield* ask("completion/complete", { ref, argument: { name: "a", value: "b" } })
          assert.deepInclude(completed["completion"], { values: ["a", "b"] })
        })
      )

      live("is told why a request fails, without details of a bug", () =>
        Effect.gen(function* () {
          const { client } = yield* plain
          const refused = yield* failure(client.call("refuse"))
          assert.include(refused.message, "Not today")
          assert.strictEqual(refused.code, -32_042)
          const broken = yield* failure(client.call("throw"))
          assert.strictEqual(broken.code, -32_603)
          assert.notInclude(broken.message, "secret")
          const shapeless = yield* failure(client.request("prompts/get", { name: "greet", arguments: { a: 1 } }))
          assert.strictEqual(shapeless.code, -32_602)
        })
      )

      live("gets progress that only increases", () =>
        Effect.gen(function* () {
          const { client } = yield* plain
          const heard: Array<unknown> = []
          const onprogress = (progress: unknown) => {
            if (heard.push(progress) === 3) void client.call("hear", {})
          }
          const answer = yield* Effect.promise(() => client.call("report", { heardOut: true }, { onprogress }))
          assert.strictEqual(answer, "done")
          assert.deepStrictEqual(
            heard,
            [1, 2, 3].map((value) => ({ progress: value, total: 3, message: `step ${value}` }))
          )
          const burst: Array<unknown> = []
          const hear = (one: unknown) => {
            if (burst.push(one) === 1) void client.call("hear", {})
          }
          assert.strictEqual(yield* Effect.promise(() => client.call("burst", {}, { onprogress: hear })), "done")
          assert.isBelow(burst.length, 100)
        })
      )

      live("no longer wanted, a call is interrupted", () =>
        Effect.gen(function* () {
          const { client, heard } = yield* plain
          const waiting = cancellation()
          const call = failure(client.call("wait", {}, { signal: waiting.signal }))
          yield* heard("begun")
          waiting.abort()
          yield* call
          yield* heard("interrupted")
          assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: "still" })), "still")
        })
      )

      live("is asked during a call, several questions at once and one after the other", () =>
        Effect.gen(function* () {
          const { client } = yield* meet(era, { elicit, sample })
          const call = (name: string) => Effect.promise(() => client.call(name))
          const ada = { action: "accept", content: { name: "Ada" } }
          assert.deepStrictEqual(JSON.parse(yield* call("ask")), ada)
          assert.deepStrictEqual(
            (yield* call("twice")).split(" & ").map((answer): unknown => JSON.parse(answer)),
            [ada, ada]
          )
          const both = (yield* call("both")).split(" & ").map((answer): unknown => JSON.parse(answer))
          assert.deepStrictEqual(both, [ada, yield* Effect.promise(sample)])
          const prompt = yield* Effect.promise(() => client.request("prompts/get", { name: "greet" }))
          assert.include(JSON.stringify(prompt["messages"]), "Ada")
        })
      )

      live("is not asked what it cannot be asked", () =>
        Effect.gen(function* () {
          const { client } = yield* meet(era, { elicit })
          const both = yield* Effect.promise(() => client.call("both"))
          assert.strictEqual(both, `${JSON.stringify(yield* Effect.promise(elicit))} & unable`)
          const can = JSON.parse(yield* Effect.promise(() => client.call("can"))) as unknown
          assert.deepStrictEqual(can, { elicitation: { form: true, url: false }, sampling: false, roots: false })
        })
      )
    })
  }
}
