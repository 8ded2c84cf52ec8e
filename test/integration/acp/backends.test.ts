/** `mcp-live acp` with one data directory and several agents behind it: the built-in one, and those of two gateways. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeGateway, recorded, type FakeGateway } from "../../fixtures/openclawGateway.ts"
import { folder, methods, newSession, prompt, refusal, saidIn, start, type Editor } from "./client.ts"

const at = (gateway: FakeGateway) => ({
  config: { gateway: { mode: "remote", remote: { url: gateway.url, token: gateway.token } } }
})
const builtIn = { args: ["--backend", "embedded"] }

const listed = (editor: Editor) =>
  Effect.promise(() =>
    editor.agent.request(methods.session.list, {}).then(({ sessions }) => sessions.map(({ sessionId }) => sessionId))
  )
const load = (editor: Editor, sessionId: string, cwd: string) =>
  editor.agent.request(methods.session.load, { sessionId, cwd, mcpServers: [] })

describe("conversations with several agents", () => {
  it.live("are with the agent that they began with: no other lists, loads, resumes or deletes them", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const [one, two] = [
        yield* fakeGateway({ play: () => recorded("plain") }),
        yield* fakeGateway({ play: () => recorded("plain") })
      ]
      const agents = [
        { options: { home, ...builtIn }, words: "/status" },
        { options: { home, ...at(one) }, words: "hello" },
        { options: { home, ...at(two) }, words: "hello" },
        { options: { home, ...at(two), args: ["--agent", "other"] }, words: "hello" }
      ]
      const sessions: Array<string> = []
      for (const { options, words } of agents) {
        const editor = yield* start(options)
        const session = yield* newSession(editor)
        yield* prompt(editor, session, words)
        sessions.push(session)
        yield* Effect.promise(editor.leave)
      }
      const foreignTo = (index: number) => sessions.filter((_, other) => other !== index)
      for (const [index, { options }] of agents.entries()) {
        const editor = yield* start(options)
        assert.deepStrictEqual(yield* listed(editor), [sessions[index]!])
        for (const sessionId of foreignTo(index)) {
          const resume = () => editor.agent.request(methods.session.resume, { sessionId, cwd: home, mcpServers: [] })
          assert.strictEqual((yield* refusal(() => load(editor, sessionId, home))).code, -32002)
          assert.strictEqual((yield* refusal(resume)).code, -32002)
          // What is not there is deleted, for the client's library.
          yield* Effect.promise(() => editor.agent.request(methods.session.delete, { sessionId }))
        }
        yield* Effect.promise(editor.leave)
      }
      for (const [index, { options }] of agents.entries()) {
        const editor = yield* start(options)
        yield* Effect.promise(() => load(editor, sessions[index]!, home))
        assert.notStrictEqual(saidIn(editor, sessions[index]!), "")
        yield* Effect.promise(editor.leave)
      }
    })
  )

  it.live(
    "stored before agents were kept apart belong to the built-in agent, until a gateway that knows them is asked",
    () =>
      Effect.gen(function* () {
        const home = yield* folder
        const gateway = yield* fakeGateway({ play: () => recorded("plain") })
        const first = yield* start({ home, ...at(gateway) })
        const session = yield* newSession(first)
        yield* prompt(first, session, "hello")
        yield* Effect.promise(first.leave)
        const place = join(home, "conversations")
        const file = join(place, readdirSync(place)[0]!)
        const [header = "", ...rest] = readFileSync(file, "utf8").split("\n")
        const { backend, ...old } = JSON.parse(header)
        assert.include(backend, new URL(gateway.url).port)
        writeFileSync(file, [JSON.stringify(old), ...rest].join("\n"))
        const embedded = yield* start({ home, ...builtIn })
        assert.deepStrictEqual(yield* listed(embedded), [session])
        yield* Effect.promise(embedded.leave)
        const again = yield* start({ home, ...at(gateway) })
        assert.deepStrictEqual(yield* listed(again), [])
        yield* Effect.promise(() => load(again, session, home))
        assert.strictEqual(saidIn(again, session), saidIn(first, session))
        assert.deepStrictEqual(yield* listed(again), [session])
        assert.strictEqual(JSON.parse(readFileSync(file, "utf8").split("\n")[0]!).backend, backend)
      })
  )
})
