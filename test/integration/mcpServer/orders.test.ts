/** The agent as an MCP server over stdio: the real program, and the clients of both SDKs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import type { Writable } from "node:stream"
import { afterAll, beforeAll } from "vitest"
import { base64, FILES, PDF, PNG } from "../../support/media.ts"
import { inFixtures, shell } from "../../fixtures/servers.ts"
import { leftOf } from "../../support/alive.ts"
import { bodyOf, outsideOf } from "../../support/boundaries.ts"
import { connected, ERAS, type Era, type TestClient } from "../../support/mcpClients.ts"
import { provider, type Reply } from "../../support/modelProvider.ts"
import { childrenOf, GREETING, launch, line, model, ORDER, raw, type Options, type Result } from "./program.ts"
import { inFull, rowsInFull } from "../../support/full.ts"

const says = (...text: ReadonlyArray<string>): Reply => ({ text })

const place = (client: TestClient, args: Record<string, unknown>) =>
  Effect.promise(() => client.request("tools/call", { name: ORDER, arguments: args }) as unknown as Promise<Result>)

const begin = Effect.fnUntraced(function* (
  era: Era,
  replies: ReadonlyArray<Reply>,
  {
    answers,
    config = {},
    ...options
  }: Options & { readonly answers?: Parameters<typeof connected>[2]; readonly config?: object } = {}
) {
  const behind = yield* provider(...replies)
  const program = yield* launch({ ...options, config: { ...model(behind.baseUrl), ...config } })
  return { behind, program, client: yield* connected(era, program, answers) }
})

/** Each look is an order, which costs the program more than a few milliseconds, and a client may place 120 of them in a minute. */
const looks = Schedule.spaced("250 millis")

/** A slow server holds up no order, so its tools may come after it. */
const untilListed = (client: TestClient, tool: string) =>
  place(client, { message: "/tools" }).pipe(
    Effect.repeat({ schedule: looks, until: ({ content }) => JSON.stringify(content).includes(tool) })
  )

const AT_ONCE = inFull(100, 20)

const media = (name = "media") => ({
  mcp: { servers: { [name]: { command: process.execPath, args: [inFixtures("media.ts")] } } }
})
const calls = (name: string, args = "{}", ...said: ReadonlyArray<string>): Reply => ({
  said,
  calls: [{ id: "c1", name, args }]
})

/** Real tools, some with images and questions. */
const modern = { command: process.execPath, args: [inFixtures("modern.ts"), "stdio"] }

/** One program for tests that need nothing else of it. A person answers as the test says. */
const sharedBy = (era: Era, config: object, ...tools: ReadonlyArray<string>) => {
  const scope = Scope.makeUnsafe()
  let shared: Effect.Success<ReturnType<typeof begin>>
  let content: object = {}
  let asked = 0
  const elicit = () => {
    asked++
    return Promise.resolve({ action: "accept", content })
  }

  beforeAll(async () => {
    const made = begin(era, [], { config, answers: { elicit } }).pipe(
      Effect.tap(({ client }) => Effect.forEach(tools, (tool) => untilListed(client, tool)))
    )
    shared = await Effect.runPromise(Scope.provide(made, scope))
  })

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  return {
    /** Its model gives these replies from now on. */
    replying: (...replies: ReadonlyArray<Reply>) => {
      const { behind, client } = shared
      behind.reply(...replies)
      const before = behind.requests.length
      return { client, requests: () => behind.requests.slice(before) }
    },
    /** The person gives this answer from now on; returns how often they have been asked since. */
    answering: (answer: object) => {
      content = answer
      const before = asked
      return () => asked - before
    }
  }
}

describe.each(rowsInFull(ERAS, ["2025-11-25"]))("orders of a client of %s", (era) => {
  const { replying } = sharedBy(era, media(), "mcp_media_media")
  const asking = sharedBy(
    era,
    { mcp: { servers: { ...media().mcp.servers, modern } }, gateway: { tools: { ask: ["media/*"] } } },
    "mcp_media_media",
    "mcp_modern_get-tiny-image"
  )

  it.live("are answered by the model, and continue under the key of the answer", () =>
    Effect.gen(function* () {
      const { client, requests } = replying(says("Hel", "lo."), says("Again."))
      const first = yield* place(client, { message: " hi \n" })
      assert.deepStrictEqual(first.content, [{ type: "text", text: "Hello." }])
      assert.strictEqual(first.isError, false)
      const { sessionKey } = first.structuredContent!
      assert.match(sessionKey, /^mcp-\d{13}-[0-9a-f]{24}$/)
      yield* place(client, { message: "and?", sessionKey })
      yield* place(client, { message: "who?" })
      const said = requests().map(({ messages }) => messages.slice(1).map(({ content }) => content))
      assert.deepStrictEqual(said, [[" hi \n"], [" hi \n", "Hello.", "and?"], ["who?"]])
    })
  )

  it.live("bring images and files along", () =>
    Effect.gen(function* () {
      const { client, requests } = replying(says("Seen."))
      const result = yield* place(client, {
        message: "look",
        images: [{ data: base64(PNG), mimeType: "image/png" }],
        files: [
          { data: base64(FILES["text/csv"]!), mimeType: "text/csv", filename: "../t.csv" },
          { data: base64(PDF), mimeType: "application/pdf", filename: "r.pdf" },
          { data: base64(FILES["application/zip"]!), mimeType: "application/zip", filename: "z.zip" }
        ]
      })
      assert.isFalse(result.isError)
      const parts = requests()[0]!.messages.at(-1)!.content as ReadonlyArray<Record<string, unknown>>
      const seen = JSON.stringify(parts)
      assert.deepStrictEqual(
        parts.map(({ type }) => type),
        ["text", "image_url", "text", "file", "text"]
      )
      for (const piece of [base64(PNG), base64(PDF), 'name=\\"t.csv\\"', "a,b\\r\\n1,2", "z.zip"])
        assert.include(seen, piece)
    })
  )

  it.live("are refused in one sentence if they are malformed, and nothing reaches the model", () =>
    Effect.gen(function* () {
      const { client, requests } = replying(says("Never."))
      for (const [args, why] of [
        [{}, "Error: message is missing"],
        [{ message: "m", sessionKey: "../x" }, "Error: sessionKey may contain"],
        [{ message: "m", images: [{ data: "AB==", mimeType: "image/png" }] }, "Error: image 1 of 1 cannot be read"],
        [{ message: "m", files: [{ data: base64(PNG), mimeType: "application/pdf" }] }, "they look like image/png"]
      ] as const) {
        const result = yield* place(client, args)
        assert.isTrue(result.isError)
        assert.include(result.content[0]?.text, why)
      }
      assert.lengthOf(requests(), 0)
    })
  )

  it.live("may be commands, whose output has texts of servers between boundaries", () =>
    Effect.gen(function* () {
      const { client } = replying()
      for (const message of ["/tools", "/status"]) {
        const [first] = (yield* place(client, { message })).content
        assert.match(
          first?.text ?? "",
          /^<<<EXTERNAL_UNTRUSTED_CONTENT id="[^]+\bmedia[^]+<<<END_EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]+">>>\s*$/
        )
      }
    })
  )

  it.live("show a tool's result between boundaries, also in the history", () =>
    Effect.gen(function* () {
      const { client } = replying()
      const { content } = yield* place(client, { message: "/call mcp_media_media", sessionKey: "called" })
      const said = content.flatMap(({ text = "" }) => (text.includes("five things") ? [text] : []))
      assert.lengthOf(said, 1)
      assert.include(bodyOf(said[0]!), "five things")
      const history = yield* Effect.promise(() => client.call("order_history", { sessionKey: "called" }))
      assert.notInclude(outsideOf(history), "five things")
      assert.include(bodyOf(history), "five things")
    })
  )

  it.live("return the model's text and the media of tools", () =>
    Effect.gen(function* () {
      const { client } = replying(calls("mcp_media_media"), says("Here."))
      const result = yield* place(client, { message: "show" })
      // What the fixture calls an image is none.
      assert.deepStrictEqual(
        result.content.map(({ resource, text, type }) => text ?? resource?.uri ?? type),
        [
          '["image.png" (image/png) was left out: its bytes are not of that type]',
          '["audio.wav" (audio/wav) was left out: its bytes are not of that type]',
          '["archive.zip" (application/zip) was left out: its bytes are not of that type]',
          '["audio.wav" (audio/wav) was left out: its bytes are not of that type]',
          "Here."
        ]
      )
    })
  )

  it.live("return a tool's image unchanged", () =>
    Effect.gen(function* () {
      const { client } = asking.replying(calls("mcp_modern_get-tiny-image"), says("There."))
      const { content, structuredContent } = yield* place(client, { message: "show" })
      assert.deepStrictEqual(
        content.map(({ type }) => type),
        ["image", "text"]
      )
      assert.strictEqual(content[0]?.mimeType, "image/png")
      assert.deepInclude((structuredContent!.media as ReadonlyArray<object>)[0], { mimeType: "image/png" })
    })
  )

  it.live("that fail return the reason and the key of the conversation", () =>
    Effect.gen(function* () {
      const { client } = replying({ status: 401, message: "no such key" })
      const result = yield* place(client, { message: "m", sessionKey: "failed" })
      assert.isTrue(result.isError)
      assert.match(result.content[0]?.text ?? "", /^Error: /)
      assert.strictEqual(result.structuredContent?.sessionKey, "failed")
    })
  )

  it.live("report their progress", () =>
    Effect.gen(function* () {
      // The words come first, and the answer when the rest was heard: progress that arrives together with the answer the SDK's
      // client leaves out.
      const answered = Promise.withResolvers<void>()
      const { client } = replying(calls("mcp_media_media", "{}", "I will look."), {
        text: ["Here."],
        after: answered.promise
      })
      const heard: Array<{ readonly progress: number; readonly message: string }> = []
      const onprogress = (one: unknown) => {
        heard.push(one as never)
        if (heard.at(-1)!.message === "MCP: media/media has answered") answered.resolve()
      }
      yield* Effect.promise(() => client.call(ORDER, { message: "m" }, { onprogress }))
      const words = new Set(heard.map(({ message }) => message))
      assert.deepStrictEqual(
        ["Working", "Calling MCP: media/media", "MCP: media/media has answered", "Writing"].filter(
          (word) => !words.has(word)
        ),
        []
      )
      const numbers = heard.map(({ progress }) => progress)
      assert.deepStrictEqual(
        numbers,
        numbers.toSorted((a, b) => a - b)
      )
    })
  )

  it.live("that are cancelled are aborted at the model, and the session goes on", () =>
    Effect.gen(function* () {
      const { behind, client } = yield* begin(era, [{ text: ["So far"], hang: true }, says("Next.")])
      const controller = new AbortController()
      const first = client
        .call(ORDER, { message: "m", sessionKey: "k" }, { signal: controller.signal })
        .catch(() => "taken back")
      yield* behind.requested
      controller.abort()
      yield* behind.hungUp
      assert.strictEqual(yield* Effect.promise(() => first), "taken back")
      assert.strictEqual((yield* place(client, { message: "n", sessionKey: "k" })).content[0]?.text, "Next.")
    })
  )

  it.live.each([
    ["once", "five things"],
    ["session", "five things"],
    ["deny", "who said no"],
    ["always", "who said no"]
  ] as const)("ask the client whether a tool may be called: %s", ([answer, what]) =>
    Effect.gen(function* () {
      const asked = asking.answering({ answer })
      const { client, requests } = asking.replying(calls("mcp_media_media"), calls("mcp_media_media"), says("Done."))
      assert.strictEqual((yield* place(client, { message: "m", sessionKey: answer })).content.at(-1)?.text, "Done.")
      assert.include(JSON.stringify(requests().at(-1)!.messages).toLowerCase(), what)
      assert.strictEqual(asked(), answer === "session" ? 1 : 2)
    })
  )

  it.live("that need an approval which no one can give run without the tool, and say so", () =>
    Effect.gen(function* () {
      const rules = { gateway: { tools: { ask: ["media/*"] } } }
      const { behind, client } = yield* begin(era, [calls("mcp_media_media"), says("Done.")], {
        config: { ...media(), ...rules }
      })
      yield* untilListed(client, "mcp_media_media")
      yield* place(client, { message: "m" })
      assert.match(JSON.stringify(behind.requests.at(-1)!.messages), /nobody/i)
    })
  )

  it.live("are shown again to their own client only", () =>
    Effect.gen(function* () {
      const { client } = replying(says("One."), says("Two."))
      yield* place(client, { message: "a", sessionKey: "shown" })
      yield* place(client, { message: "b", sessionKey: "shown" })
      const ask = (name: string, args: Record<string, unknown>) =>
        Effect.promise(() => client.request("tools/call", { name, arguments: args }) as unknown as Promise<Result>)
      const history = yield* ask("order_history", { sessionKey: "shown", turns: 1 })
      assert.deepInclude(history.structuredContent ?? {}, {
        turns: [{ message: "b", attachments: [], answer: "Two.", calls: [] }],
        earlier: 1
      })
      assert.deepInclude((yield* ask("order_status", { sessionKey: "shown" })).structuredContent ?? {}, {
        state: "idle",
        turns: 2
      })
      assert.deepInclude((yield* ask("order_status", { sessionKey: "other" })).structuredContent ?? {}, {
        state: "unknown"
      })
      assert.isTrue((yield* ask("order_history", {})).isError)
    })
  )

  it.live("put a server's question to the client whose order called it", () =>
    Effect.gen(function* () {
      const asked = asking.answering({ name: "Ada" })
      const { client, requests } = asking.replying(calls("mcp_modern_trigger-elicitation-request"), says("Done."))
      yield* place(client, { message: "m" })
      assert.include(JSON.stringify(requests().at(-1)!.messages), "Ada")
      assert.strictEqual(asked(), 1)
    })
  )

  it.live(`may be ${AT_ONCE} at once`, () =>
    Effect.gen(function* () {
      const { client, requests } = replying(says("Yes."))
      const results = yield* Effect.forEach(
        Array.from({ length: AT_ONCE }, (_, index) => `${index}`),
        (message) => place(client, { message }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        results.filter(({ content, isError }) => !isError && content[0]?.text === "Yes."),
        AT_ONCE
      )
      assert.strictEqual(new Set(results.map(({ structuredContent }) => structuredContent?.sessionKey)).size, AT_ONCE)
      assert.lengthOf(requests(), AT_ONCE)
    })
  )

  it.live("find the conversation of a process before", () =>
    Effect.gen(function* () {
      const behind = yield* provider(says("One."), says("Two."))
      const program = yield* launch({ config: model(behind.baseUrl) })
      const order = (message: string) =>
        Effect.scoped(Effect.flatMap(connected(era, program), (client) => place(client, { message, sessionKey: "k" })))
      yield* order("a")
      yield* order("b")
      assert.deepStrictEqual(
        behind.requests[1]!.messages.slice(1).map(({ content }) => content),
        ["a", "One.", "b"]
      )
    })
  )
})

const order = (id: number, message: string) =>
  line({ id, method: "tools/call", params: { name: ORDER, arguments: { message } } })

/** Greets it, and waits until this tool is there: only then does its server end, or not, as it does otherwise. */
const begunWith = (tool: string, { stdin }: { readonly stdin: Writable }, stdout: () => string) =>
  Effect.suspend(() => {
    let id = 100
    stdin.write(GREETING)
    return Effect.sync(() => stdin.write(order(id++, "/tools"))).pipe(
      Effect.repeat({ schedule: looks, until: () => stdout().includes(tool) })
    )
  })

describe("the program", () => {
  it.live("that loses its client in the middle of an order leaves nothing behind", () =>
    Effect.gen(function* () {
      const behind = yield* provider({ text: ["So far"], hang: true })
      const { child, exited, stderr, stdout } = yield* raw({
        config: { ...model(behind.baseUrl), mcp: { servers: { shell: shell() } } }
      })
      yield* begunWith("mcp_shell_sh", child, stdout)
      child.stdin.write(order(2, "m"))
      yield* behind.requested
      const servers = yield* childrenOf(child.pid!)
      assert.isNotEmpty(servers, stderr())
      if (process.platform === "linux") {
        assert.include(readFileSync(`/proc/${servers[0]}/environ`, "utf8"), "MCP_LIVE_ORDER_DEPTH=1\0")
      }
      child.stdin.end()
      yield* behind.hungUp
      assert.strictEqual(yield* Effect.promise(() => exited), 0)
      assert.deepStrictEqual(yield* leftOf(servers), [])
    })
  )

  const ends = ["its client closes stdin", "it is told by SIGTERM"] as const
  for (const how of rowsInFull(ends, ends.slice(1))) {
    it.live.skipIf(process.platform === "win32")(
      `does not wait for servers that do not end by themselves when ${how}: a client would kill it, and leave them behind`,
      () =>
        Effect.gen(function* () {
          const behind = yield* provider({ text: ["So far"], hang: true })
          const { child, exited, stderr, stdout } = yield* raw({
            config: { ...model(behind.baseUrl), mcp: { servers: { deaf: shell("--stubborn") } } }
          })
          yield* begunWith("mcp_deaf_sh", child, stdout)
          const servers = yield* childrenOf(child.pid!)
          child.stdin.write(order(2, "m"))
          yield* behind.requested
          if (how === "its client closes stdin") child.stdin.end()
          else child.kill("SIGTERM")
          assert.strictEqual(yield* Effect.promise(() => exited), 0)
          assert.deepStrictEqual(yield* leftOf(servers), [])
          assert.include(stderr(), "killing the servers that have not ended")
        })
    )
  }

  it.live("writes messages to stdout and nothing else, and says on stderr how much but never what", () =>
    Effect.gen(function* () {
      const behind = yield* provider(says("an answer that is secret"))
      const { child, exited, stderr, stdout } = yield* raw({
        args: ["-v"],
        config: { ...model(behind.baseUrl), ...media() }
      })
      child.stdin.write(GREETING + order(2, "a message that is secret"))
      yield* Effect.callback<void>((resume) => {
        child.stdout.on("data", () => {
          if (stdout().includes('"id":2')) resume(Effect.void)
        })
      })
      child.stdin.end()
      yield* Effect.promise(() => exited)
      const messages = stdout()
        .trimEnd()
        .split("\n")
        .map((one) => JSON.parse(one) as { readonly jsonrpc: string })
      assert.isTrue(messages.every(({ jsonrpc }) => jsonrpc === "2.0"))
      assert.match(
        stderr(),
        /order [0-9a-f]{8}: session order-[0-9a-f]{8}, 24 characters, 0 attachments -> 1 parts, stop, \d+ ms/
      )
      assert.notInclude(stderr(), "secret")
    })
  )

  it.live("gets an error while another process uses the conversation", () =>
    Effect.gen(function* () {
      const behind = yield* provider({ text: ["So far"], hang: true })
      const program = yield* launch({ config: model(behind.baseUrl) })
      const [first, second] = [yield* connected("2025-11-25", program), yield* connected("2025-11-25", program)]
      const running = first.call(ORDER, { message: "m", sessionKey: "k" }).catch(() => "gone")
      yield* behind.requested
      const refused = yield* place(second, { message: "n", sessionKey: "k" })
      assert.isTrue(refused.isError)
      assert.match(refused.content[0]?.text ?? "", /^Error: .*another/)
      yield* Effect.promise(() => first.close())
      yield* Effect.promise(() => running)
    })
  )

  it.live("with an unusable configuration answers orders with the reason", () =>
    Effect.gen(function* () {
      const program = yield* launch({ config: { mcp: { servers: { a: { comand: "x" } } } } })
      const client = yield* connected("2025-11-25", program)
      const result = yield* place(client, { message: "m" })
      assert.isTrue(result.isError)
      assert.match(result.content[0]?.text ?? "", /^Error: .*did you mean "command"/s)
    })
  )

  it.live("that is too deep in a chain of order servers refuses orders", () =>
    Effect.gen(function* () {
      const behind = yield* provider(says("Never."))
      const program = yield* launch({ config: model(behind.baseUrl), env: { MCP_LIVE_ORDER_DEPTH: "3" } })
      const client = yield* connected("2025-11-25", program)
      const result = yield* place(client, { message: "m" })
      assert.include(result.content[0]?.text, "Error: this request was caused by other requests")
      assert.lengthOf(behind.requests, 0)
    })
  )

  it.live("that would order from itself says so and stops", () =>
    Effect.gen(function* () {
      const message = "order this again"
      const nested = JSON.stringify({ message })
      const behind = yield* provider(calls(`mcp_self_${ORDER}`, nested), says("Enough."))
      const home = (yield* launch()).home
      const inner = yield* launch({ config: model(behind.baseUrl), home })
      const self = { command: inner.command, args: inner.args, env: { MCP_LIVE_HOME: home } }
      const outer = yield* launch({ home, config: { ...model(behind.baseUrl), mcp: { servers: { self } } } })
      const client = yield* connected("2025-11-25", outer)
      // What is slow to start is not listed at once.
      yield* untilListed(client, `mcp_self_${ORDER}`)
      assert.strictEqual((yield* place(client, { message })).content.at(-1)?.text, "Enough.")
      assert.lengthOf(behind.requests, 2)
      assert.include(JSON.stringify(behind.requests[1]!.messages), "has come back to where it started")
    })
  )
})
