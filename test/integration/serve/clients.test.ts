import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ERAS, listed, type TestClient } from "../../support/mcpClients.ts"
import { wrappedIn } from "../../support/boundaries.ts"
import { folder, listening, overHttp, overStdio, placeFor, real, type Loose, type Place } from "./program.ts"
import { pauses } from "../../support/pause.ts"
import { shared } from "../../support/shared.ts"

const bodies = (text: string) => wrappedIn(text).map(({ body }) => body)

const everything = (more: object = {}) => real("everything", ["stdio"], more)

/** Both ways in, for the client of an era. */
const DOORS = ["stdio", "HTTP"] as const

const ENTRIES = ERAS.flatMap((era) => DOORS.map((door) => [era, door] as const))

const tokenFileIn = (stderr: string): string => /the token in (\S+)/.exec(stderr)![1]!

const tokenIn = (stderr: string): string => readFileSync(tokenFileIn(stderr), "utf8")

const entering = (door: (typeof DOORS)[number], era: (typeof ERAS)[number], place: Place, answers?: Loose) =>
  Effect.gen(function* () {
    if (door === "stdio") return yield* overStdio(era, place, answers)
    const { stderr, url } = yield* listening(place)
    assert.strictEqual(statSync(tokenFileIn(stderr())).mode & 0o777, 0o600)
    return yield* overHttp(era, url, tokenIn(stderr()), answers)
  })

for (const [era, door] of ENTRIES) {
  describe(`serve: a client of ${era} over ${door}`, () => {
    const entered = shared(
      Effect.gen(function* () {
        const own = realpathSync(yield* folder)
        writeFileSync(join(own, "hello.txt"), "words of a file")
        const servers = { all: everything({ sampling: "allow" }), fs: real("filesystem", [own]), mem: real("memory") }
        const client = yield* entering(door, era, yield* placeFor({ mcp: { servers } }), {
          elicit: async () => ({ action: "accept", content: { name: "Ada Lovelace", check: true } }),
          sample: async () => ({ role: "assistant", content: { type: "text", text: "a sonnet" }, model: "poet" })
        })
        return { client, own }
      })
    )

    it.live("gets tools, resources, prompts and completions of real servers, and calls them", () =>
      Effect.gen(function* () {
        const { client, own } = yield* entered
        const request = (method: string, params = {}): Effect.Effect<Loose> =>
          Effect.promise(() => client.request(method, params))
        yield* listed(client, "tools/list", "mcp_all_echo", "mcp_fs_read_text_file", "mcp_mem_create_entities")
        const echoed = yield* Effect.promise(() => client.call("mcp_all_echo", { message: "hi" }))
        assert.deepStrictEqual(bodies(echoed), ["Echo: hi"])
        const read = yield* Effect.promise(() => client.call("mcp_fs_read_text_file", { path: join(own, "hello.txt") }))
        assert.deepStrictEqual(bodies(read), ["words of a file"])
        const failed = yield* request("tools/call", {
          name: "mcp_fs_read_text_file",
          arguments: { path: "/etc/passwd" }
        })
        assert.isTrue(failed.isError)

        const { resources } = yield* request("resources/list")
        assert.isAbove(resources.length, 0)
        const { contents } = yield* request("resources/read", { uri: resources[0].uri })
        assert.lengthOf(bodies(contents[0].text), 1)
        const { resourceTemplates } = yield* request("resources/templates/list")
        assert.isAbove(resourceTemplates.length, 0)
        const { prompts } = yield* request("prompts/list")
        assert.include(
          prompts.map(({ name }: Loose) => name),
          "mcp_all_simple-prompt"
        )
        const { messages } = yield* request("prompts/get", { name: "mcp_all_simple-prompt" })
        assert.lengthOf(bodies(messages[0].content.text), 1)
        const { completion } = yield* request("completion/complete", {
          ref: { type: "ref/prompt", name: "mcp_all_completable-prompt" },
          argument: { name: "department", value: "E" }
        })
        assert.include(completion.values, "Engineering")
      })
    )

    it.live("gets progress, and can cancel its call", () =>
      Effect.gen(function* () {
        const { client } = yield* entered
        yield* listed(client, "tools/list", "mcp_all_trigger-long-running-operation")
        const seen: Array<Loose> = []
        yield* Effect.promise(() =>
          client.call(
            "mcp_all_trigger-long-running-operation",
            { duration: 1, steps: 4 },
            { onprogress: (progress) => void seen.push(progress) }
          )
        )
        assert.isAbove(seen.length, 1)
        const away = new AbortController()
        const failure = yield* Effect.promise(() =>
          client
            .call(
              "mcp_all_trigger-long-running-operation",
              { duration: 600, steps: 600 },
              { signal: away.signal, onprogress: () => away.abort("enough") }
            )
            .then(() => undefined)
            .catch(String)
        )
        assert.isDefined(failure)
        assert.deepStrictEqual(bodies(yield* Effect.promise(() => client.call("mcp_all_echo", { message: "on" }))), [
          "Echo: on"
        ])
      })
    )

    it.live("answers requests of a server within its call: elicitation and sampling", () =>
      Effect.gen(function* () {
        const { client } = yield* entered
        yield* listed(client, "tools/list", "mcp_all_trigger-sampling-request", "mcp_all_trigger-elicitation-request")
        const answered = yield* Effect.promise(() =>
          client.request("tools/call", { name: "mcp_all_trigger-elicitation-request", arguments: {} })
        )
        assert.include(JSON.stringify(answered), "Ada Lovelace")
        const sampled = yield* Effect.promise(() =>
          client.call("mcp_all_trigger-sampling-request", { prompt: "write", maxTokens: 10 })
        )
        assert.include(sampled, "a sonnet")
      })
    )
  })
}

for (const era of ERAS) {
  describe(`serve: permission of a client of ${era}`, () => {
    it.live("is asked for in a form; a no counts, and a client that cannot be asked gets the reason", () =>
      Effect.gen(function* () {
        const place = yield* placeFor({
          mcp: { servers: { all: everything() } },
          gateway: { tools: { ask: ["all/echo"] } }
        })
        const deciding = (decision: string) => ({ elicit: async () => ({ action: "accept", content: { decision } }) })
        const echo = (client: TestClient) => Effect.promise(() => client.call("mcp_all_echo", { message: "hi" }))
        const alone = yield* overStdio(era, place, deciding("once"))
        assert.deepStrictEqual(bodies(yield* echo(alone)), ["Echo: hi"])
        // Clients of one program, each with an answer of its own.
        const { stderr, url } = yield* listening(place)
        const coming = (answers?: Loose) => overHttp(era, url, tokenIn(stderr()), answers)
        assert.deepStrictEqual(bodies(yield* echo(yield* coming(deciding("once")))), ["Echo: hi"])
        assert.include(yield* echo(yield* coming(deciding("deny"))), "it needs the approval of a person")
        assert.include(yield* echo(yield* coming()), "it needs the approval of a person")
      }).pipe(Effect.scoped)
    )
  })

  describe(`serve: roots of a client of ${era}`, () => {
    it.live.skipIf(era === "2026-07-28")("over stdio reach the servers", () =>
      Effect.gen(function* () {
        const [first, second] = [realpathSync(yield* folder), realpathSync(yield* folder)]
        mkdirSync(join(first, "x"))
        const place = yield* placeFor({ mcp: { servers: { fs: real("filesystem", [second]) } } })
        const client = yield* overStdio(era, place, { roots: () => [{ uri: `file://${first}` }] })
        const allowed = Effect.promise(() => client.call("mcp_fs_list_allowed_directories"))
        const told = yield* allowed.pipe(
          Effect.repeat({ schedule: pauses, until: (text) => text.includes(first) }),
          Effect.timeout("30 seconds")
        )
        assert.notInclude(told, second)
      }).pipe(Effect.scoped)
    )
  })
}
