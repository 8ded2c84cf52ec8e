/** Agents of different places that keep their conversations in one data directory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { placeOf } from "../../../../src/schemas/agent/GatewayAddress.ts"
import { begin, filesIn, folder, gateway, inProcess, list, load, say } from "./kept.ts"

const HERE = "openclaw ws://localhost:18789"
const THERE = "openclaw wss://gateway.example"

const as = (directory: string, backend?: string) => inProcess(directory, undefined, undefined, undefined, backend)

const keys = Effect.map(list, (infos) => infos.map(({ sessionKey }) => sessionKey).toSorted())
const forget = (key: string) => Effect.flatMap(gateway, (agent) => agent.forget(key))
const turns = (key: string) => Effect.map(load(key), (kept) => kept?.turns.length)

describe("conversations with agents of different gateways", () => {
  it.live("are listed, loaded and forgotten only by the agent that they belong to", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const all = { builtIn: undefined, here: HERE, there: THERE }
      for (const [key, backend] of Object.entries(all)) {
        yield* Effect.andThen(begin(key), say("hi", key)).pipe(as(directory, backend))
      }
      for (const [key, backend] of Object.entries(all)) {
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* keys, [key])
          for (const other of Object.keys(all)) {
            assert.strictEqual(yield* turns(other), other === key ? 1 : undefined)
            if (other !== key) assert.isFalse(yield* forget(other))
          }
        }).pipe(as(directory, backend))
      }
      for (const [key, backend] of Object.entries(all)) assert.isTrue(yield* forget(key).pipe(as(directory, backend)))
      assert.deepStrictEqual(filesIn(directory), [])
    })
  )

  it.live("are continued by their own agent, and refused and left unchanged by others", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.andThen(begin(), say("one")).pipe(as(directory, HERE))
      yield* Effect.andThen(begin(), say("two")).pipe(as(directory, HERE))
      const [file = ""] = filesIn(directory)
      const before = readFileSync(file, "utf8")
      const refused = "This conversation belongs to another agent: continue it there."
      assert.strictEqual((yield* Effect.flip(begin()).pipe(as(directory, THERE))).message, refused)
      assert.strictEqual((yield* Effect.flip(say("three")).pipe(as(directory))).message, refused)
      assert.deepStrictEqual(filesIn(directory), [file])
      assert.strictEqual(readFileSync(file, "utf8"), before)
      assert.strictEqual(yield* turns("s").pipe(as(directory, HERE)), 2)
    })
  )

  it.live("belong to the built-in agent when their file does not name a backend", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.andThen(begin(), say("one")).pipe(as(directory))
      const [file = ""] = filesIn(directory)
      const [first = "", ...rest] = readFileSync(file, "utf8").split("\n")
      const { backend, ...old } = JSON.parse(first)
      assert.strictEqual(backend, "embedded")
      writeFileSync(file, [JSON.stringify(old), ...rest].join("\n"))
      assert.deepStrictEqual(yield* keys.pipe(as(directory, HERE)), [])
      assert.deepStrictEqual(yield* keys.pipe(as(directory)), ["s"])
      yield* say("two").pipe(as(directory))
      assert.strictEqual(JSON.parse(readFileSync(file, "utf8").split("\n")[0]!).backend, "embedded")
    })
  )
})

describe("placeOf", () => {
  it("is the same for every spelling of an address, and differs for other addresses", () => {
    const places = (...urls: ReadonlyArray<string>) => new Set(urls.map((url) => placeOf({ url }))).size
    assert.strictEqual(places("ws://127.0.0.1:18789", "ws://localhost:18789/", "ws://[::1]:18789/#a"), 1)
    assert.strictEqual(places("wss://gateway.example", "wss://GATEWAY.example:443/"), 1)
    assert.strictEqual(places("ws://localhost:1", "ws://localhost:2", "wss://localhost:1", "wss://gateway.example"), 4)
    assert.strictEqual(places("wss://a.example/one", "wss://a.example/two", "wss://a.example/?one", "nonsense"), 4)
  })

  it("contains no credentials, path or query", () => {
    for (const url of ["wss://name:canary@a.example", "wss://a.example/canary?token=canary", "canary"]) {
      assert.notInclude(placeOf({ url }), "canary")
    }
  })
})
