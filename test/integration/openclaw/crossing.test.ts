/** Twenty sessions of one editor at once, at a gateway: servers of the same names, and secrets that are each one's own. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fakeGateway, recorded, type FakeGateway, type Played } from "../../fixtures/openclawGateway.ts"
import { newSession, prompt, saidIn, shell, start, updatesOf } from "../acp/client.ts"

interface Entry {
  readonly url: string
  readonly headers: { readonly Authorization: string }
}

const SESSIONS = 20

const membersOf = (value: unknown) => (value ?? {}) as Readonly<Record<string, unknown>>

/** The entry that is switched on for the session in which this was said, and for no other. */
const entryFor = (gateway: FakeGateway, message: string): readonly [string, Entry] => {
  const key = gateway.asked.find(({ method, params }) => method === "chat.send" && params["message"] === message)!
    .params["sessionKey"]
  const patches = gateway.asked.filter(({ method, params }) => method === "sessions.patch" && params["key"] === key)
  const overrides = patches.map(({ params }) => membersOf(membersOf(params["toolOverrides"])["mcpServers"]))
  const names = [...new Set(overrides.flatMap((servers) => Object.keys(servers)))]
  assert.lengthOf(names, 1)
  const servers = membersOf(membersOf(gateway.config()["mcp"])["servers"])
  return [names[0]!, servers[names[0]!] as Entry]
}

const callTool = async ({ headers, url }: Entry, name: string, args: Record<string, unknown>) => {
  const client = new Client({ name: "gateway", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } }))
  try {
    return await client.callTool({ name, arguments: args })
  } finally {
    await client.close()
  }
}

/** The agent of the session has its server's environment shown, and says what it was shown. */
const asking = (gateway: () => FakeGateway, message: string): ReadonlyArray<Played> => {
  const data: Record<string, unknown> = { toolCallId: "call_1", args: {} }
  const event = (phase: string) => ({
    type: "event",
    event: "agent",
    payload: { runId: "{{runId}}", sessionKey: "{{sessionKey}}", stream: "tool", data: { ...data, phase } }
  })
  const [started, ended] = [event("start"), event("result")]
  return [
    async () => {
      const [name] = entryFor(gateway(), message)
      for (const { payload } of [started, ended]) Object.assign(payload.data, { name: `${name}__mcp__same__env` })
    },
    started,
    async () => {
      const [, entry] = entryFor(gateway(), message)
      const result = await callTool(entry, "mcp__same__env", {})
      Object.assign(ended.payload.data, { result, isError: result.isError === true })
    },
    ended,
    ...recorded("plain")
  ]
}

describe("twenty sessions at once at an OpenClaw gateway, with servers of the same names and different secrets", () => {
  it.live("never mix their calls, their output or their secrets", () =>
    Effect.gen(function* () {
      let made: FakeGateway | undefined
      const gateway = yield* fakeGateway({ play: (message) => asking(() => made!, message) })
      made = gateway
      const editor = yield* start({
        config: { gateway: { mode: "remote", remote: { url: gateway.url, token: gateway.token } } }
      })
      const numbers = Array.from({ length: SESSIONS }, (_, index) => index)
      const secretOf = (index: number) => `s3cret-${index}-${"x".repeat(index)}-Qz8w`
      const sessions = yield* Effect.forEach(
        numbers,
        (index) => newSession(editor, [shell("same", { MARK: `mark-${index}.`, API_TOKEN: secretOf(index) })]),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(
        sessions,
        (session, index) =>
          Effect.map(prompt(editor, session, `ask ${index}`), ({ stopReason }) =>
            assert.strictEqual(stopReason, "end_turn")
          ),
        { concurrency: "unbounded" }
      )
      const entries = numbers.map((index) => entryFor(gateway, `ask ${index}`))
      assert.lengthOf(new Set(entries.map(([name]) => name)), SESSIONS)
      assert.lengthOf(new Set(entries.map(([, { headers }]) => headers.Authorization)), SESSIONS)
      for (const index of numbers) {
        const shown = JSON.stringify(updatesOf(editor, sessions[index]!))
        assert.deepStrictEqual([...new Set(shown.match(/mark-\d+\./g))], [`mark-${index}.`])
        assert.match(shown, /API_TOKEN[\\":]+\[REDACTED\]/)
        assert.include(saidIn(editor, sessions[index]!), "ECHO")
      }
      // The address of one with the secret of another opens nothing.
      const [[, first], [, second]] = [entries[0]!, entries[1]!]
      const crossed = yield* Effect.promise(() =>
        callTool({ ...first, headers: second.headers }, "mcp__same__env", {}).then(
          () => "granted",
          () => "refused"
        )
      )
      assert.strictEqual(crossed, "refused")
      // What belongs to another session is not sent to this one's server.
      const foreign = yield* Effect.promise(() => callTool(first, "mcp__same__echo", { text: secretOf(1) }))
      assert.isTrue(foreign.isError)
      yield* Effect.promise(editor.leave)
      assert.deepStrictEqual(Object.keys(membersOf(membersOf(gateway.config()["mcp"])["servers"])), [])
      const everything = JSON.stringify([editor.updates, gateway.asked, foreign]) + editor.log()
      for (const index of numbers) assert.notInclude(everything, secretOf(index))
    })
  )
})
