import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync } from "node:fs"
import { inFixtures } from "../../fixtures/servers.ts"
import { alive, leftOf } from "../../support/alive.ts"
import { wrappedIn } from "../../support/boundaries.ts"
import { died } from "../../support/children.ts"
import { connect, type Answers, type TestClient } from "../../support/mcpClients.ts"
import { runHere } from "../../e2e/here.ts"
import { run } from "../../e2e/program.ts"
import { listening, overHttp, placeFor, real, type Loose, type Place } from "./program.ts"
import { pauses } from "../../support/pause.ts"

const parrot = (more: object = {}) => ({ command: process.execPath, args: [inFixtures("parrot.ts")], ...more })

const bodyOf = (text: string): string => wrappedIn(text)[0]!.body

const calling = (client: TestClient, name: string, args: Record<string, unknown> = {}) =>
  Effect.map(
    Effect.promise(() => client.call(name, args)),
    bodyOf
  )

const pidOf = (client: TestClient, server = "bird") => Effect.map(calling(client, `mcp_${server}_pid`), Number)

const TOKENS = { ONE: "the-token-of-the-first", TWO: "the-token-of-the-second" }

/** The program with two clients that may come in. */
const forTwo = (servers: object, serve: object = {}) =>
  Effect.gen(function* () {
    const place = yield* placeFor({
      mcp: {
        servers,
        serve: {
          clients: [
            { name: "one", token: "secret://env/ONE" },
            { name: "two", token: "secret://env/TWO" }
          ],
          ...serve
        }
      }
    })
    const program = yield* listening(place, [], TOKENS)
    const come = (who: keyof typeof TOKENS = "ONE", answers?: Answers) =>
      overHttp("2025-11-25", program.url, TOKENS[who], answers)
    /** One that is closed by hand. */
    const visit = (who: keyof typeof TOKENS = "ONE") =>
      Effect.promise(() => connect("2025-11-25", { url: program.url, token: TOKENS[who] }))
    return { ...program, place, come, visit }
  })

const leave = (client: TestClient) => Effect.promise(() => client.close())

/** What a command prints about the running program, as JSON. */
const asked = (place: Place, args: ReadonlyArray<string>) =>
  Effect.map(
    runHere([...args, "--config", place.file, "--json"], { env: { MCP_LIVE_HOME: place.home } }),
    (finished) => {
      assert.strictEqual(finished.code, 0, finished.stderr)
      return finished.stdout
    }
  )

describe("serve: processes of a client's own", () => {
  it.live("are shown by status, top and logs with their client, once they run", () =>
    Effect.gen(function* () {
      const servers = { bird: parrot({ share: "client" }), fish: parrot({ share: "session" }), cat: parrot() }
      const { come, place } = yield* forTwo(servers)
      const [one, again] = [yield* come("ONE"), yield* come("ONE")]
      const bird = yield* pidOf(one)
      assert.strictEqual(yield* pidOf(again), bird)
      const fish = yield* pidOf(one, "fish")
      const status = JSON.parse(yield* asked(place, ["status"])) as Loose
      const ofSession = /^client one, session [0-9a-f]{8}$/
      const shown = (own: ReadonlyArray<Loose>) =>
        own
          .map(({ server, status: { pid }, whose }) => [server, pid, whose.replace(ofSession, "a session of one")])
          .toSorted()
      const expected = [
        ["bird", bird, "client one"],
        ["fish", fish, "a session of one"]
      ]
      assert.deepStrictEqual(shown(status.own), expected)
      assert.deepStrictEqual(Object.keys(status.servers), ["bird", "cat", "fish"])
      const top = JSON.parse(yield* asked(place, ["top", "-n", "1"])) as Loose
      assert.deepStrictEqual(shown(top.own), expected)
      // The gateway writes its lines a moment after it answers.
      const lines = yield* Effect.repeat(
        Effect.map(asked(place, ["logs"]), (text) =>
          text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Loose]))
        ),
        {
          schedule: pauses,
          // Of the servers that are somebody's, there are lines of nobody's, too.
          until: (lines) =>
            lines.some(({ server, whose }) => server === "bird" && whose === "client one") &&
            lines.some(({ server, whose }) => server === "fish" && whose !== undefined) &&
            lines.some(({ server }) => server === "cat")
        }
      )
      const whose = (server: string) => new Set(lines.flatMap((one) => (one.server === server ? [one.whose] : [])))
      assert.include([...whose("bird")], "client one")
      assert.match(
        [...whose("fish")].find((one) => one !== undefined),
        ofSession
      )
      assert.deepStrictEqual([...whose("cat")], [undefined])
      const table = yield* run(["status", "--config", place.file], { env: { MCP_LIVE_HOME: place.home } })
      assert.match(table.stdout, /^bird \(client one\) +stdio/m)
    }).pipe(Effect.scoped)
  )

  it.live("without a word two sessions share a process and what it holds", () =>
    Effect.gen(function* () {
      const { come } = yield* forTwo({ bird: parrot() })
      const [one, two] = [yield* come("ONE"), yield* come("TWO")]
      assert.strictEqual(yield* calling(one, "mcp_bird_note", { text: "mine" }), "mine")
      assert.strictEqual(yield* calling(two, "mcp_bird_note", { text: "and mine" }), "mine, and mine")
      assert.strictEqual(yield* pidOf(one), yield* pidOf(two))
    }).pipe(Effect.scoped)
  )

  it.live("belong to one session and end with it alone; at the end no process is left", () =>
    Effect.gen(function* () {
      const { come, stop, visit } = yield* forTwo({ bird: parrot({ share: "session" }), all: parrot() })
      const [one, two] = [yield* visit(), yield* come()]
      assert.strictEqual(yield* calling(one, "mcp_bird_note", { text: "mine" }), "mine")
      assert.strictEqual(yield* calling(two, "mcp_bird_note", { text: "and mine" }), "and mine")
      const [first, second] = [yield* pidOf(one), yield* pidOf(two)]
      assert.notStrictEqual(first, second)
      const shared = yield* pidOf(one, "all")
      assert.strictEqual(shared, yield* pidOf(two, "all"))
      yield* leave(one)
      yield* died([first])
      assert.deepStrictEqual([second, shared].filter(alive), [second, shared])
      assert.strictEqual(yield* calling(two, "mcp_bird_note", { text: "still here" }), "and mine, still here")
      assert.strictEqual(yield* Effect.promise(() => stop()), 0)
      assert.deepStrictEqual(yield* leftOf([first, second, shared]), [])
    }).pipe(Effect.scoped)
  )

  it.live("a client has its own in all its sessions, also the next one, and no other client has it", () =>
    Effect.gen(function* () {
      const { come, stop, visit } = yield* forTwo({ bird: parrot() }, { isolate: "client" })
      const [one, again] = [yield* visit("ONE"), yield* visit("ONE")]
      const two = yield* come("TWO")
      yield* calling(one, "mcp_bird_note", { text: "mine" })
      assert.strictEqual(yield* calling(again, "mcp_bird_note", { text: "again" }), "mine, again")
      assert.strictEqual(yield* calling(two, "mcp_bird_note", { text: "two's" }), "two's")
      yield* leave(one)
      yield* leave(again)
      const back = yield* come("ONE")
      assert.strictEqual(yield* calling(back, "mcp_bird_note", { text: "back" }), "mine, again, back")
      const pids = [yield* pidOf(back), yield* pidOf(two)]
      assert.strictEqual(yield* Effect.promise(() => stop()), 0)
      assert.deepStrictEqual(yield* leftOf(pids), [])
    }).pipe(Effect.scoped)
  )

  it.live("clients without sessions have one for each token", () =>
    Effect.gen(function* () {
      const { url } = yield* forTwo({ bird: parrot({ share: "session" }) })
      const come = (who: keyof typeof TOKENS) => overHttp("2026-07-28", url, TOKENS[who])
      const [one, again, two] = [yield* come("ONE"), yield* come("ONE"), yield* come("TWO")]
      yield* calling(one, "mcp_bird_note", { text: "mine" })
      assert.strictEqual(yield* calling(again, "mcp_bird_note", { text: "again" }), "mine, again")
      assert.strictEqual(yield* calling(two, "mcp_bird_note", { text: "two's" }), "two's")
    }).pipe(Effect.scoped)
  )

  it.live("are restarted after a crash for their session alone", () =>
    Effect.gen(function* () {
      const { come } = yield* forTwo({ bird: parrot({ share: "session" }) })
      const [one, two] = [yield* come(), yield* come()]
      const [first, second] = [yield* pidOf(one), yield* pidOf(two)]
      yield* Effect.promise(() => one.call("mcp_bird_exit").catch(() => ""))
      const next = yield* Effect.promise(() => one.call("mcp_bird_pid")).pipe(
        Effect.repeat({ schedule: pauses, until: (text) => /^\d+$/m.test(text) && wrappedIn(text).length === 1 }),
        Effect.timeout("60 seconds")
      )
      assert.notInclude([first, second], Number(bodyOf(next)))
      assert.strictEqual(yield* pidOf(two), second)
    }).pipe(Effect.scoped)
  )

  it.live("over the limit a client gets a sentence, and a process when it has left another", () =>
    Effect.gen(function* () {
      const { come, visit } = yield* forTwo({ bird: parrot() }, { isolate: "session", maxOwnServersPerClient: 1 })
      const [one, two] = [yield* visit(), yield* come()]
      const first = yield* pidOf(one)
      const refused = yield* Effect.promise(() => two.call("mcp_bird_pid"))
      assert.include(refused, "this client has the maximum number of servers of its own running (1)")
      yield* pidOf(yield* come("TWO"))
      yield* leave(one)
      const given = yield* Effect.promise(() => two.call("mcp_bird_pid")).pipe(
        Effect.repeat({ schedule: pauses, until: (text) => wrappedIn(text).length === 1 }),
        Effect.timeout("60 seconds")
      )
      assert.notStrictEqual(Number(bodyOf(given)), first)
    }).pipe(Effect.scoped)
  )

  it.live("ask only their own client, while others are asked too", () =>
    Effect.gen(function* () {
      const accepting = { elicit: async () => ({ action: "accept", content: { name: "Ada Lovelace", check: true } }) }
      for (const [isolate, expected] of [
        [false, /decline/i],
        ["session", /Ada Lovelace/]
      ] as const) {
        const asked = Effect.gen(function* () {
          const { come } = yield* forTwo({ all: real("everything", ["stdio"]) }, { isolate })
          const [one, two] = [yield* come("ONE", accepting), yield* come("TWO", accepting)]
          let begun = () => {}
          const started = new Promise<void>((resolve) => (begun = resolve))
          const long = { duration: 600, steps: 6000 }
          const busy = yield* Effect.forkChild(
            Effect.promise((signal) =>
              two.call("mcp_all_trigger-long-running-operation", long, { signal, onprogress: begun }).catch(() => "")
            )
          )
          yield* Effect.promise(() => started)
          const answer = yield* calling(one, "mcp_all_trigger-elicitation-request")
          yield* Fiber.interrupt(busy)
          return answer
        })
        assert.match(yield* Effect.scoped(asked), expected)
      }
    })
  )

  it.live("a secret of the entry reaches each of them, and no text", () =>
    Effect.gen(function* () {
      const place = yield* placeFor({
        mcp: { servers: { bird: parrot({ share: "session", env: { KEY: "secret://env/KEY" } }) } }
      })
      const program = yield* listening(place, [], { KEY: "the-secret-of-the-entry" })
      const token = readFileSync(/the token in (\S+)/.exec(program.stderr())![1]!, "utf8")
      for (const _ of [1, 2]) {
        const client = yield* Effect.promise(() => connect("2025-11-25", { url: program.url, token }))
        assert.strictEqual(yield* calling(client, "mcp_bird_env", { name: "KEY" }), "[REDACTED]")
        yield* leave(client)
      }
    }).pipe(Effect.scoped)
  )
})
