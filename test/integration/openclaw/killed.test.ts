/** The end that clients give an agent: they close its stdin, and kill it a second later. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fakeGateway, recorded, type FakeGateway, type FakeOptions } from "../../fixtures/openclawGateway.ts"
import { alive } from "../../support/alive.ts"
import { until } from "../../support/openclawLink.ts"
import { folder, media, methods, newSession, prompt, shell, start, type Editor } from "../acp/client.ts"
import { isFull, rowsInFull } from "../../support/full.ts"

interface Entry {
  readonly url: string
  readonly headers: Record<string, string>
}

const entriesOf = (gateway: FakeGateway): ReadonlyArray<readonly [string, Entry]> => {
  const { mcp } = gateway.config() as { readonly mcp?: { readonly servers?: Record<string, Entry> } }
  return Object.entries(mcp?.servers ?? {})
}

const configFor = (gateway: FakeGateway) => ({
  gateway: { mode: "remote", remote: { url: gateway.url, token: gateway.token } }
})

/** As the gateway's agent calls a tool: in a connection of its own, which a test can pull the plug of. */
const connectTo = async ([, { headers, url }]: readonly [string, Entry]) => {
  const gone = new AbortController()
  const client = new Client({ name: "gateway", version: "1" })
  const fetchUntilGone = (input: string | URL | Request, init?: RequestInit) =>
    fetch(input, { ...init, signal: AbortSignal.any([gone.signal, ...(init?.signal ? [init.signal] : [])]) })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: fetchUntilGone })
  )
  return {
    call: (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args }),
    pullThePlug: () => gone.abort()
  }
}

const textIn = (result: unknown) =>
  (result as { readonly content: ReadonlyArray<{ readonly text: string }> }).content[0]!.text

/** Does not wait for what the program does in that second. */
const killedAfterASecond = ({ child, exited }: Editor, how: "stdin" | "SIGTERM" = "stdin") =>
  Effect.promise(async () => {
    if (how === "stdin") child.stdin!.end()
    else child.kill(how)
    const timer = setTimeout(() => child.kill("SIGKILL"), 1_000)
    await exited
    clearTimeout(timer)
  })

/** An answer that does not end. */
const unending: FakeOptions["play"] = () => [...recorded("plain").slice(0, -4), () => new Promise(() => {})]

describe.skipIf(process.platform !== "linux")("an agent that is killed a second after its client has left", () => {
  const never = { answers: { "chat.abort": () => new Promise(() => {}) } }
  const gateways: ReadonlyArray<readonly [string, FakeOptions]> = [
    ["", {}],
    [", also when the gateway never says that it has aborted the answer", never]
  ]
  for (const [what, options] of gateways) {
    it.live.runIf(isFull)(
      `has removed its tools by then, whatever its servers do${what}; the next process ends those servers`,
      () =>
        Effect.gen(function* () {
          const gateway = yield* fakeGateway({ ...options, play: unending })
          const home = yield* folder
          const editor = yield* start({ home, config: configFor(gateway) })
          const session = yield* newSession(editor, [shell("deaf", {}, "--stubborn")])
          const turn = editor.agent.request(methods.session.prompt, {
            sessionId: session,
            prompt: [{ type: "text", text: "go" }]
          })
          turn.catch(() => {})
          yield* until(() => gateway.asked.some(({ method }) => method === "chat.send"))
          const agent = yield* Effect.promise(() => connectTo(entriesOf(gateway)[0]!))
          // What a server says reaches a model between marks.
          const said = textIn(yield* Effect.promise(() => agent.call("mcp__deaf__pid")))
          const server = Number(/^\d+$/m.exec(said)?.[0])
          const running = agent.call("mcp__deaf__sh", { script: "trap '' TERM; sleep 120" })
          running.catch(() => {})
          yield* killedAfterASecond(editor)
          assert.deepStrictEqual(entriesOf(gateway), [])
          assert.isTrue(alive(server), "the server went by itself: this shows nothing")
          const next = yield* start({ home, config: configFor(gateway) })
          yield* until(() => !alive(server))
          assert.deepStrictEqual(entriesOf(gateway), [])
          yield* Effect.promise(next.leave)
        })
    )
  }

  for (const how of rowsInFull(["stdin", "SIGTERM"] as const, ["stdin"])) {
    it.live(`has removed the tools of all its sessions by then, while all of them are being answered (${how})`, () =>
      Effect.gen(function* () {
        const gateway = yield* fakeGateway({ ...never, play: unending })
        const editor = yield* start({ config: configFor(gateway) })
        const sessions = yield* Effect.forEach(Array.from({ length: 8 }), () => newSession(editor, [shell()]), {
          concurrency: "unbounded"
        })
        for (const sessionId of sessions) {
          editor.agent
            .request(methods.session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] })
            .catch(() => {})
        }
        yield* until(() => gateway.asked.filter(({ method }) => method === "chat.send").length === 8)
        assert.lengthOf(entriesOf(gateway), 8)
        yield* killedAfterASecond(editor, how)
        assert.deepStrictEqual(entriesOf(gateway), [])
      })
    )
  }
})

describe.concurrent("a call of a session's tool that the gateway has begun", () => {
  for (const what of ["the gateway goes away", "its connection for the call is lost", "its link to us is lost"]) {
    it.live(`is cancelled at the MCP server when ${what}`, () =>
      Effect.gen(function* () {
        const gateway = yield* fakeGateway({ play: unending })
        const cancelled = join(yield* folder, "cancelled")
        const editor = yield* start({ config: configFor(gateway) })
        const session = yield* newSession(editor, [media("media", `--cancelled=${cancelled}`)])
        const turn = yield* Effect.forkChild(Effect.exit(prompt(editor, session, "go")))
        yield* until(() => gateway.asked.some(({ method }) => method === "chat.send"))
        const agent = yield* Effect.promise(() => connectTo(entriesOf(gateway)[0]!))
        agent.call("mcp__media__hang").catch(() => {})
        yield* Effect.promise(() => editor.until(({ sessionUpdate }) => sessionUpdate === "tool_call"))
        if (what !== "its connection for the call is lost") gateway.setAway(true)
        if (what !== "its link to us is lost") agent.pullThePlug()
        yield* until(() => existsSync(cancelled))
        void turn
      })
    )
  }
})
