/** What clients of a fleet come back for: tasks of both eras, and calls that were given back to ask something. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fleetOf, type TestNode } from "../../support/listenerFleet.ts"
import { describePostgres, queryAt } from "../../support/postgres.ts"
import { ask, begin, sessionOf, textOf, type Answer } from "../../support/rawHttp.ts"

const TOKEN = "a-token-of-me"

const resultOf = ({ messages }: Answer): Record<string, unknown> => messages.at(-1)?.result ?? {}

const legacy = ({ url }: TestNode, session: string, method: string, params: Record<string, unknown>) =>
  Effect.promise(() => ask("2025-11-25", url, TOKEN, method, params, { session }))

const TAKES_TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } }

const modern = (
  { url }: TestNode,
  method: string,
  params: Record<string, unknown>,
  capabilities: object = TAKES_TASKS
) =>
  Effect.promise(() => {
    const name = params["taskId"] ?? params["name"]
    const headers = typeof name === "string" ? { "mcp-name": name } : {}
    return ask("2026-07-28", url, TOKEN, method, params, { capabilities, headers })
  })

/** Until the task is in this state. */
const reached = (look: Effect.Effect<Answer>, status: string): Effect.Effect<Record<string, unknown>> =>
  Effect.flatMap(look, (answer) => {
    const task = resultOf(answer)
    return task["status"] === status ? Effect.succeed(task) : Effect.andThen(Effect.sleep(100), reached(look, status))
  })

describePostgres("what clients of a fleet come back for", () => {
  it.live("tasks of 2025-11-25 outlive their node: the result, or that the call may have been executed", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      const begun = (name: string) =>
        Effect.map(
          legacy(b, session, "tools/call", { name, arguments: { text: "kept" }, task: {} }),
          (answer) => (resultOf(answer)["task"] as { readonly taskId: string }).taskId
        )
      const [done, open] = [yield* begun("echo"), yield* begun("hold")]
      yield* a.heard("begun")
      yield* reached(legacy(b, session, "tasks/get", { taskId: done }), "completed")
      assert.strictEqual(resultOf(yield* legacy(b, session, "tasks/get", { taskId: open }))["status"], "working")
      a.signal("SIGKILL")
      yield* a.ended
      assert.strictEqual(textOf(yield* legacy(b, session, "tasks/result", { taskId: done })), "kept")
      const lost = resultOf(yield* legacy(b, session, "tasks/get", { taskId: open }))
      assert.strictEqual(lost["status"], "failed")
      const answer = yield* legacy(b, session, "tasks/result", { taskId: open })
      assert.strictEqual(resultOf(answer)["isError"], true)
      assert.include(textOf(answer), "may have been executed")
      const { tasks } = resultOf(yield* legacy(b, session, "tasks/list", {})) as {
        readonly tasks: ReadonlyArray<object>
      }
      assert.strictEqual(tasks.length, 2)
    })
  )

  it.live("tasks of 2026-07-28 are found from each node, and outlive their own", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const begun = (name: string) =>
        Effect.map(modern(a, "tools/call", { name, arguments: {} }), (answer) => String(resultOf(answer)["taskId"]))
      const [done, open] = [yield* begun("logAndWait"), yield* begun("hold")]
      yield* a.heard("begun")
      const get = (taskId: string) => modern(b, "tasks/get", { taskId })
      yield* reached(get(done), "completed")
      assert.strictEqual(resultOf(yield* get(open))["status"], "working")
      a.signal("SIGKILL")
      yield* a.ended
      assert.include(JSON.stringify(resultOf(yield* get(done))["result"]), "said")
      const lost = resultOf(yield* get(open))
      assert.strictEqual(lost["status"], "failed")
      assert.include(JSON.stringify(lost["error"]), "may have been executed")
      const unknown = yield* modern(b, "tasks/get", { taskId: `${open}x` })
      assert.include(unknown.messages.at(-1)?.error?.message ?? "", "no such task")
    })
  )

  it.live("a task that others have called lost stays lost when its node was only frozen", () =>
    Effect.gen(function* () {
      const { database, nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const taskId = String(resultOf(yield* modern(a, "tools/call", { name: "hold", arguments: {} }))["taskId"])
      const getAt = (node: TestNode) => modern(node, "tasks/get", { taskId })
      assert.strictEqual(resultOf(yield* getAt(a))["status"], "working")
      a.signal("SIGSTOP")
      const lost = yield* reached(getAt(b), "failed")
      a.signal("SIGCONT")
      assert.deepStrictEqual(yield* reached(getAt(a), "failed"), lost)
      // What it goes on with is not written either.
      yield* modern(a, "tasks/cancel", { taskId })
      assert.deepStrictEqual(resultOf(yield* getAt(b)), lost)
      const [row] = yield* queryAt(database, "select record from mcp_live.tasks where id = $1", [taskId])
      assert.strictEqual(JSON.parse(String(row!["record"])).status, "working")
    })
  )

  it.live(
    "a call that was given back by a node that was killed begins again if it had not left, and is not repeated if it had",
    () =>
      Effect.gen(function* () {
        const { database, nodes } = yield* fleetOf("a", "b")
        const [a, b] = nodes as [TestNode, TestNode]
        const ASKED = { elicitation: { form: {} } }
        const params = { name: "ask", arguments: {} }
        const given = Effect.map(modern(a, "tools/call", params, ASKED), resultOf)
        const [fresh, left] = [yield* given, yield* given]
        assert.deepInclude(fresh, { resultType: "input_required" })
        // What the journal has of a call that has left.
        const session = String(left["requestState"]).split(".").slice(0, 3).join(".")
        yield* queryAt(
          database,
          `insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, session, request, agent, server, tool)
         values (gen_random_uuid(), 1, current_date, 'a', now(), $1, '"tools/call"', 'main', 'one', 'ask')`,
          [session]
        )
        a.signal("SIGKILL")
        yield* a.ended
        const again = (requestState: unknown, answers: object = {}) =>
          modern(b, "tools/call", { ...params, requestState, inputResponses: answers }, ASKED)
        assert.include(textOf(yield* again(left["requestState"])), "may have been executed")
        const asked = resultOf(yield* again(fresh["requestState"]))
        assert.deepInclude(asked, { resultType: "input_required" })
        const [key] = Object.keys(asked["inputRequests"] as object)
        const answers = { [key!]: { action: "accept", content: { name: "Ada" } } }
        assert.include(textOf(yield* again(asked["requestState"], answers)), "Ada")
      })
  )
})
