/** What a model reads of the servers' resources, through each way to the built-in agent: real processes, a scripted model. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inFixtures } from "../fixtures/servers.ts"
import { outsideOf, wrappedIn } from "../support/boundaries.ts"
import { connected } from "../support/mcpClients.ts"
import { provider, type Request } from "../support/modelProvider.ts"
import * as acp from "../integration/acp/client.ts"
import * as orders from "../integration/mcpServer/program.ts"
import { start } from "./program.ts"

const NOTEBOOK = { command: process.execPath, args: [inFixtures("notebook.ts")] }

const writes = (name: string, text: string) => ({
  calls: [{ id: "c1", name, args: JSON.stringify({ text }) }]
})
const ok = { text: ["ok"] }

const firstMessage = ({ messages }: Request) => {
  const [system, first] = messages
  assert.notInclude(JSON.stringify(system), "note://today")
  assert.strictEqual(first?.role, "user")
  return String(first?.content)
}
/** What the model reads of the note; nothing of it stands outside of the boundary. */
const noteIn = (request: Request | undefined) => {
  const text = firstMessage(request!)
  const [note] = wrappedIn(text)
  assert.notInclude(outsideOf(text), "notebook")
  return note?.body.replace(/^[^]*note:\/\/today":\n/, "")
}

const configOf = (baseUrl: string, entry: object = NOTEBOOK) => ({
  ...orders.model(baseUrl),
  mcp: { servers: { notebook: entry } }
})

describe("resources in the context of the built-in agent", () => {
  it.live("at the prompt: what they say now, renewed when the server says that they changed", () =>
    Effect.gen(function* () {
      const home = yield* acp.folder
      const behind = yield* provider(ok, writes("mcp_notebook_write", "buy bread"), ok, ok)
      const file = join(home, "openclaw.json")
      writeFileSync(file, JSON.stringify(configOf(behind.baseUrl)))
      const program = yield* start(["start", "--config", file], { env: { MCP_LIVE_HOME: home } })
      yield* program.until(/notebook .* Ready/)
      for (const [n, words] of ["what is there to do?", "write it", "and now?"].entries()) {
        program.type(words)
        yield* program.until(/\nok\b/, n + 1)
      }
      program.end()
      yield* program.exited
      assert.deepStrictEqual(behind.requests.map(noteIn), ["buy milk", "buy milk", "buy milk", "buy bread"])
      assert.match(firstMessage(behind.requests[0]!), /## Conversation\n\nwhat is there to do\?$/)
    })
  )

  it.live("in an editor's session: those of its own servers, unless the configuration says no", () =>
    Effect.gen(function* () {
      for (const [resourceContext, expected] of [[true, "buy milk"] as const, [false, undefined] as const]) {
        const behind = yield* provider(ok)
        const config = { ...orders.model(behind.baseUrl), mcp: { acp: { resourceContext }, servers: {} } }
        const editor = yield* acp.start({ config })
        const session = yield* acp.newSession(editor, [{ name: "notebook", env: [], ...NOTEBOOK }])
        yield* acp.prompt(editor, session, "hello")
        assert.strictEqual(noteIn(behind.requests[0]), expected)
        yield* Effect.promise(editor.leave)
      }
    })
  )

  it.live("in an order, unless the server's entry says no", () =>
    Effect.gen(function* () {
      for (const [entry, expected] of [
        [NOTEBOOK, "buy milk"],
        [{ ...NOTEBOOK, resourceContext: false }, undefined]
      ] as const) {
        const behind = yield* provider(ok)
        const program = yield* orders.launch({ config: configOf(behind.baseUrl, entry) })
        const client = yield* connected("2025-11-25", program)
        yield* Effect.promise(() =>
          client.request("tools/call", { name: orders.ORDER, arguments: { message: "hello" } })
        )
        assert.strictEqual(noteIn(behind.requests[0]), expected)
      }
    })
  )
})
