import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inFixtures, hostile, shell } from "../../fixtures/servers.ts"
import { leftOf } from "../../support/alive.ts"
import { wrappedIn } from "../../support/boundaries.ts"
import { ERAS, listed } from "../../support/mcpClients.ts"
import { folder, launched, listening, overHttp, overStdio, placeFor, real, type Loose, type Place } from "./program.ts"
import { pauses } from "../../support/pause.ts"
import { isFull, rowsInFull } from "../../support/full.ts"

const servers = (all: Readonly<Record<string, object>>, more: object = {}) =>
  placeFor({ ...more, mcp: { servers: all, ...("mcp" in more ? (more.mcp as object) : {}) } })

const everything = (more: object = {}) => real("everything", ["stdio"], more)

const namesOf = ({ tools }: Loose): ReadonlyArray<string> => tools.map(({ name }: Loose) => name)

const tokenIn = (stderr: string): string => readFileSync(/the token in (\S+)/.exec(stderr)![1]!, "utf8")

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

/** The program with a pipe at its stdin, and lines of JSON in both directions. */
const raw = Effect.fnUntraced(function* (place: Place) {
  const { args } = launched(place)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(args[1]!, args.slice(2), { env: { ...process.env, MCP_LIVE_HOME: place.home } })),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  let [out, err] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
  const say = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } }
  const messages = (): ReadonlyArray<Loose> =>
    // The last line may still be on its way.
    out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const until = (fits: (message: Loose) => boolean) =>
    Effect.sync(() => messages().find(fits)).pipe(
      Effect.repeat({ schedule: pauses, until: (found) => found !== undefined }),
      Effect.timeout("60 seconds")
    )
  say({ id: 0, method: "initialize", params })
  yield* until(({ id }) => id === 0)
  say({ method: "notifications/initialized" })
  let asked = 0
  const names = Effect.suspend(() => {
    const list = `list-${asked++}`
    say({ id: list, method: "tools/list" })
    return Effect.map(
      until(({ id }) => id === list),
      ({ result }) => namesOf(result)
    )
  })
  /** Until these tools are listed: a list does not wait for long for a server that is slow to start. */
  const untilListed = (...tools: ReadonlyArray<string>) =>
    Effect.repeat(names, { schedule: pauses, until: (all) => tools.every((tool) => all.includes(tool)) })
  return { child, exited, messages, say, stderr: () => err, until, untilListed }
})

describe("serve: the life of the program", () => {
  it.live("a client is greeted while a server does not answer yet, and stdout carries messages alone", () =>
    Effect.gen(function* () {
      const client = yield* raw(yield* servers({ mute: hostile("hang-initialize"), all: everything() }))
      assert.isTrue(client.messages().every(({ jsonrpc }) => jsonrpc === "2.0"))
      client.say({ id: 1, method: "tools/list" })
      const { result } = yield* client.until(({ id }) => id === 1)
      assert.isFalse(namesOf(result).some((name) => name.startsWith("mcp_mute_")))
      assert.isTrue(client.messages().every(({ jsonrpc }) => jsonrpc === "2.0"))
    }).pipe(Effect.scoped)
  )

  const ends = ["the client closes stdin", "it is told by SIGTERM"] as const
  for (const how of rowsInFull(ends, ends.slice(0, 1))) {
    it.live.skipIf(process.platform !== "linux")(`when ${how} in the middle of a call, it leaves nothing behind`, () =>
      Effect.gen(function* () {
        const client = yield* raw(yield* servers({ all: everything(), deaf: shell("--stubborn") }))
        yield* client.untilListed("mcp_all_trigger-long-running-operation", "mcp_deaf_sh")
        const children = childrenOf(client.child.pid!)
        assert.lengthOf(children, 2)
        const params = {
          name: "mcp_all_trigger-long-running-operation",
          arguments: { duration: 600, steps: 600 },
          _meta: { progressToken: "p" }
        }
        client.say({ id: 2, method: "tools/call", params })
        yield* client.until(({ method }) => method === "notifications/progress")
        if (how === "the client closes stdin") client.child.stdin.end()
        else client.child.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => client.exited), 0)
        assert.deepStrictEqual(yield* leftOf(children), [])
        // It would not have gone by itself for long, and no client waits for that.
        assert.include(client.stderr(), "killing the servers that have not ended")
      }).pipe(Effect.scoped)
    )
  }

  it.live.skipIf(process.platform !== "linux")("servers that end by themselves are waited for", () =>
    Effect.gen(function* () {
      const { args, command } = shell()
      const ended = join(yield* folder, "ended")
      // The shell writes that after the server has ended, and not when both are killed.
      const around = { command: "/bin/sh", args: ["-c", `"$0" "$@"; echo > ${ended}`, command, ...args] }
      const client = yield* raw(yield* servers({ polite: around }))
      yield* client.untilListed("mcp_polite_sh")
      client.child.stdin.end()
      assert.strictEqual(yield* Effect.promise(() => client.exited), 0)
      // A machine that has very much else to do may be too slow for the time that clients leave.
      assert.isTrue(existsSync(ended) || client.stderr().includes("killing the servers that have not ended"))
    }).pipe(Effect.scoped)
  )

  it.live("a slow server appears without a restart", () =>
    Effect.gen(function* () {
      const gate = join(yield* folder, "gate")
      const client = yield* overStdio(
        "2025-11-25",
        yield* servers({ all: everything(), late: hostile(`initialize-with-file:${gate}`) })
      )
      // The other server may be told of first.
      const told = yield* Queue.unbounded<void>()
      client.on("tools", () => void Queue.offerUnsafe(told, undefined))
      const hasLate = Effect.map(
        Effect.promise(() => client.request("tools/list")),
        (list) => namesOf(list).some((name) => name.startsWith("mcp_late_"))
      )
      assert.isFalse(yield* hasLate)
      writeFileSync(gate, "")
      yield* Effect.repeat(Effect.andThen(Queue.take(told), hasLate), { until: (has) => has })
    }).pipe(Effect.scoped)
  )

  it.live("a server that is killed in the middle of a call costs that call an error; then it is back", () =>
    Effect.gen(function* () {
      const place = yield* servers({ all: everything() })
      const { pid, stderr, url } = yield* listening(place)
      const client = yield* overHttp("2025-11-25", url, tokenIn(stderr()))
      yield* listed(client, "tools/list", "mcp_all_trigger-long-running-operation")
      const begun = Promise.withResolvers<void>()
      const lost = yield* Effect.forkChild(
        Effect.promise(() =>
          client.call(
            "mcp_all_trigger-long-running-operation",
            { duration: 600, steps: 600 },
            { onprogress: () => begun.resolve() }
          )
        )
      )
      yield* Effect.promise(() => begun.promise)
      for (const child of childrenOf(pid)) process.kill(child, "SIGKILL")
      assert.include(yield* Fiber.join(lost), "It may have been executed all the same")
      const again = yield* Effect.promise(() => client.call("mcp_all_echo", { message: "back" })).pipe(
        Effect.repeat({ schedule: pauses, until: (text) => text.includes("Echo: back") }),
        Effect.timeout("60 seconds")
      )
      assert.deepStrictEqual(
        wrappedIn(again).map(({ body }) => body),
        ["Echo: back"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("serve: what goes through", () => {
  for (const era of rowsInFull(ERAS, ["2026-07-28"])) {
    it.live(`a client of ${era} gets images, audio, files and links unchanged, also large ones`, () =>
      Effect.gen(function* () {
        const media = { command: process.execPath, args: [inFixtures("media.ts")] }
        const client = yield* overStdio(era, yield* servers({ media }))
        const { content } = (yield* Effect.promise(() =>
          client.request("tools/call", { name: "mcp_media_media", arguments: {} })
        )) as Loose
        const base64 = (text: string) => Buffer.from(text).toString("base64")
        assert.deepStrictEqual(
          content.filter(({ type }: Loose) => type !== "text"),
          [
            { type: "image", mimeType: "image/png", data: base64("an image") },
            { type: "audio", mimeType: "audio/wav", data: base64("a sound") },
            {
              type: "resource",
              resource: { uri: "file:///archive.zip", mimeType: "application/zip", blob: base64("an archive") }
            },
            { type: "resource_link", uri: "file:///notes.txt", name: '"notes" (so says the MCP server "media")' },
            { type: "audio", mimeType: "audio/wav", data: base64("x".repeat(300_000)) }
          ]
        )
      }).pipe(Effect.scoped)
    )
  }

  it.live.runIf(isFull)("a client hears of changes of the resources that it has subscribed to", () =>
    Effect.gen(function* () {
      const client = yield* overStdio("2025-11-25", yield* servers({ all: everything() }))
      yield* listed(client, "tools/list", "mcp_all_toggle-subscriber-updates")
      const { resources } = (yield* Effect.promise(() => client.request("resources/list"))) as Loose
      const { uri } = resources[0]
      const heard = new Promise<string | undefined>((resolve) => client.on("resource", resolve))
      yield* Effect.promise(() => client.request("resources/subscribe", { uri }))
      yield* Effect.promise(() => client.call("mcp_all_toggle-subscriber-updates"))
      assert.strictEqual(yield* Effect.promise(() => heard), uri)
    }).pipe(Effect.scoped)
  )
})

describe("serve: clients over HTTP", () => {
  const post = (url: string, authorization: string | undefined) =>
    Effect.promise(() =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(authorization === undefined ? {} : { authorization })
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "0" } }
        })
      }).then(({ status }) => status)
    )

  const TOKENS = { ONE: "token-of-the-first-client", TWO: "token-of-the-second-client" }

  const config = (own: string, all: object = everything()) => ({
    mcp: {
      servers: { all },
      serve: {
        clients: [
          { name: "one", token: "secret://env/ONE", agent: "a" },
          { name: "two", token: "secret://env/TWO", agent: "b" }
        ]
      }
    },
    agents: {
      list: [
        { id: "a", default: true, tools: { deny: ["all/get-env"] } },
        { id: "b", mcp: { servers: { fs: real("filesystem", [own]) } } }
      ]
    }
  })

  it.live("each gets the tools of its agent; no other client is let in", () =>
    Effect.gen(function* () {
      const place = yield* placeFor(config(yield* folder))
      const { stderr, url } = yield* listening(place, [], TOKENS)
      for (const wrong of [undefined, "Bearer ", "Bearer wrong", TOKENS.ONE, `Basic ${TOKENS.ONE}`]) {
        assert.strictEqual(yield* post(url, wrong), 401)
      }
      assert.strictEqual(yield* post(url, `Bearer ${TOKENS.ONE}`), 200)
      for (const era of ERAS) {
        const [one, two] = [yield* overHttp(era, url, TOKENS.ONE), yield* overHttp(era, url, TOKENS.TWO)]
        const of = (client: typeof one) =>
          Effect.map(
            Effect.promise(() => client.request("tools/list")),
            namesOf
          )
        assert.isFalse((yield* of(one)).some((name) => name.startsWith("mcp_fs_") || name === "mcp_all_get-env"))
        yield* listed(two, "tools/list", "mcp_fs_read_text_file", "mcp_all_get-env")
        const denied = yield* Effect.promise(() => one.call("mcp_fs_list_allowed_directories"))
        assert.include(denied, "There is no tool")
      }
      // No token was made, and none is told.
      assert.notInclude(stderr(), "the token in")
      for (const token of Object.values(TOKENS)) assert.notInclude(stderr(), token)
    }).pipe(Effect.scoped)
  )

  /** While one client has a long call under way, the other's is asked something. */
  const asked = (era: (typeof ERAS)[number], server: object) =>
    Effect.gen(function* () {
      const place = yield* placeFor(config(yield* folder, server))
      const { logged, stderr, stop, url } = yield* listening(place, [], TOKENS)
      const answers = (name: string) => ({
        elicit: async () => ({ action: "accept", content: { name, check: true } })
      })
      const one = yield* overHttp(era, url, TOKENS.ONE, answers("First"))
      const two = yield* overHttp(era, url, TOKENS.TWO, answers("Second"))
      const ask = (client: typeof one) =>
        Effect.map(
          Effect.promise(() =>
            client.request("tools/call", { name: "mcp_all_trigger-elicitation-request", arguments: {} })
          ),
          (result) => JSON.stringify(result)
        )
      assert.include(yield* ask(two), "Second")
      const begun = Promise.withResolvers<void>()
      const away = new AbortController()
      const long = one
        .call(
          "mcp_all_trigger-long-running-operation",
          { duration: 600, steps: 600 },
          { signal: away.signal, onprogress: () => begun.resolve() }
        )
        .catch(() => "")
      yield* Effect.promise(() => begun.promise)
      const meanwhile = yield* ask(two)
      away.abort("enough")
      yield* Effect.promise(() => long)
      assert.notInclude(meanwhile, "First")
      return { meanwhile, logged, stderr, stop }
    })

  for (const era of rowsInFull(ERAS, ["2025-11-25"])) {
    it.live(
      `a server asks the client (${era}) whose call there is the only one; of two it asks neither, and says so`,
      () =>
        Effect.gen(function* () {
          const { logged, meanwhile } = yield* asked(era, everything({ sampling: "allow" }))
          assert.notInclude(meanwhile, "Second")
          assert.include(meanwhile, "declined")
          yield* logged(/a question of MCP server 'all' was not passed on/)
        }).pipe(Effect.scoped)
    )

    it.live(`a server of 2026-07-28 asks the client (${era}) of the call, and no other`, () =>
      Effect.gen(function* () {
        const modern = { command: process.execPath, args: [inFixtures("modern.ts"), "stdio"] }
        const { meanwhile, stderr, stop } = yield* asked(era, modern)
        assert.include(meanwhile, "Second")
        // What it says may come after what it answers.
        yield* Effect.promise(() => stop())
        assert.notInclude(stderr(), "was not passed on")
      }).pipe(Effect.scoped)
    )
  }

  it.live("the token may come from a file; a short one is a clear error", () =>
    Effect.gen(function* () {
      const place = yield* servers({ all: everything() })
      const file = join(yield* folder, "token")
      writeFileSync(file, "token-out-of-a-file\n", { mode: 0o600 })
      const { url } = yield* listening(place, ["--token-file", file])
      assert.strictEqual(yield* post(url, "Bearer token-out-of-a-file"), 200)
      writeFileSync(file, "short\n")
      const { message } = yield* Effect.flip(listening(place, ["--token-file", file]))
      assert.include(message, "at least 16 characters")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.platform === "win32")("no server is started where nobody would get in", () =>
    Effect.gen(function* () {
      const begun = join(yield* folder, "begun")
      const server = { command: "/bin/sh", args: ["-c", `touch ${begun}; exec cat`] }
      const file = join(yield* folder, "token")
      writeFileSync(file, "token-out-of-a-file\n", { mode: 0o644 })
      const one = yield* servers({ one: server })
      const ofFile = yield* Effect.flip(listening(one, ["--token-file", file]))
      assert.include(ofFile.message, `can be read by others: chmod 600 ${file}`)
      const clients = [{ name: "one", token: "secret://env/NO_SUCH_VARIABLE" }]
      const ofClient = yield* Effect.flip(listening(yield* servers({ one: server }, { mcp: { serve: { clients } } })))
      assert.include(ofClient.message, "the token of the client 'one' is not available")
      assert.isFalse(existsSync(begun))
    }).pipe(Effect.scoped)
  )
})
