import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { renderSecrets } from "../../../../src/programs/cli/setup/validate.ts"
import { personalCount, type Trial, tryAll, type Use, usesOf } from "../../../../src/programs/cli/setup/trySecrets.ts"
import { SECRET_TRIAL_MS } from "../../../../src/schemas/defaults/Secrets.ts"
import { SecretUnavailable } from "../../../../src/schemas/connection/ConnectError.ts"
import { SecretResolver } from "../../../../src/services/secret/SecretResolver.ts"
import { decode } from "../../../schemas/config/decoding.ts"

const usesIn = (text: string): ReadonlyArray<Use> => usesOf(decode(text).agents)
const shown = ({ agents, place, reference, server }: Use) => `${server} ${place} ${reference} (${agents.join()})`

/** A resolver that does what it is told for each text, and counts. */
const resolver = (answers: Readonly<Record<string, Effect.Effect<string, string>>>) => {
  const asked: Array<string> = []
  const layer = Layer.succeed(SecretResolver, {
    resolve: (server, text) =>
      Effect.suspend(() => {
        asked.push(`${server} ${text}`)
        return answers[text] ?? Effect.fail("no such secret")
      }).pipe(
        Effect.map((value) => Redacted.make(value)),
        Effect.mapError((detail) => new SecretUnavailable({ server, reference: text, detail }))
      ),
    know: () => Effect.void,
    forget: () => Effect.void
  })
  return { asked, layer }
}

const use = (reference: string, given: Partial<Use> = {}): Use => ({
  server: "fs",
  agents: ["main"],
  place: "env.A",
  reference,
  ...given
})
const results = (trials: ReadonlyArray<Trial>) => trials.map(({ reason = "ok" }) => reason)

describe("references that depend on the person", () => {
  const counted = (env: string) =>
    personalCount(decode(`{ mcpServers: { fs: { command: "a", share: "person", env: ${env} } } }`).agents)

  it("are counted, with and without braces, and not looked up", () => {
    const env = `{ A: "secret://file/run/{person}/key", B: "x{secret://vault/kv/{person.id}/key}", C: "secret://env/C", D: "{person}" }`
    assert.strictEqual(counted(env), 2)
    const { agents } = decode(`{ mcpServers: { fs: { command: "a", share: "person", env: ${env} } } }`, { C: "c" })
    assert.isTrue(usesOf(agents).every(({ reference }) => !reference.includes("person")))
  })

  it("are told in one sentence, also beside others", () => {
    assert.strictEqual(renderSecrets([], counted(`{ C: "c" }`)), "No secret:// references.")
    const one = counted(`{ A: "secret://file/run/{person}/key" }`)
    assert.strictEqual(renderSecrets([], one), "1 reference depends on the person and was not looked up.")
    const both = renderSecrets([{ ...use("secret://env/A"), ok: true }], 2)
    assert.match(both, /^SERVER.*secret:\/\/env\/A.*\n2 references depend on the person and were not looked up\.$/s)
  })
})

describe("the references of a configuration", () => {
  it("are those of enabled servers and of models, each with its place, without surrounding text", () => {
    const text = `{
      mcpServers: {
        fs: { command: "a", env: { A: "Bearer secret://env/T", "B.C": "secret://env/U:secret://env/V" }, args: ["x", "{secret://file/a b}c"] },
        web: { url: "https://a.example/?k=secret://env/K", headers: { H: "secret://keychain/a/b" } },
        off: { enabled: false, command: "a", env: { A: "secret://env/OFF" } }
      },
      agents: { defaults: { model: { id: "m", apiKey: "secret://env/KEY" } } }
    }`
    assert.deepStrictEqual(usesIn(text).map(shown), [
      "null model.apiKey secret://env/KEY (main)",
      "fs env.A secret://env/T (main)",
      'fs env["B.C"] secret://env/U (main)',
      'fs env["B.C"] secret://env/V (main)',
      "fs args[1] secret://file/a b (main)",
      "web url secret://env/K (main)",
      "web headers.H secret://keychain/a/b (main)"
    ])
  })

  it("that several agents share are listed once; different ones of an agent are listed too", () => {
    const text = `{
      mcp: { servers: { fs: { command: "a", env: { A: "secret://env/T" } } } },
      agents: { list: [{ id: "a" }, { id: "b" }, { id: "c", mcp: { servers: { fs: { env: { A: "secret://env/C" } } } } },
        { id: "d", mcp: { servers: { fs: { enabled: false } } } }] }
    }`
    assert.deepStrictEqual(usesIn(text).map(shown), ["fs env.A secret://env/T (a,b)", "fs env.A secret://env/C (c)"])
  })
})

describe("trying references", () => {
  it.effect("says ok or why not for each use, and asks once for each reference", () => {
    const { asked, layer } = resolver({
      "{secret://env/A}": Effect.succeed("canary-1234567890"),
      "{secret://env/B}": Effect.fail("the environment variable is not set")
    })
    return Effect.gen(function* () {
      const uses = [
        use("secret://env/A"),
        use("secret://env/B"),
        use("secret://env/A", { server: "web", place: "url" }),
        use("secret://env/A", { server: null, place: "model.apiKey" })
      ]
      const trials = yield* tryAll(uses)
      assert.deepStrictEqual(results(trials), ["ok", "the environment variable is not set", "ok", "ok"])
      assert.deepStrictEqual(trials[1], { ...use("secret://env/B"), ok: false, reason: results(trials)[1]! })
      assert.lengthOf(asked, 2)
      assert.notInclude(JSON.stringify(trials), "canary")
    }).pipe(Effect.provide(layer))
  })

  it.effect("a value that is a mask is no secret", () => {
    const { layer } = resolver({ "{secret://env/A}": Effect.succeed("[REDACTED]") })
    return Effect.gen(function* () {
      const [trial] = yield* tryAll([use("secret://env/A")])
      assert.deepInclude(trial, { ok: false })
      assert.include(trial?.reason, "is a mask")
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks for several at once, and waits for none of them for ever", () => {
    const gate = Deferred.makeUnsafe<string>()
    const { asked, layer } = resolver({
      "{secret://vault/kv/a/b}": Effect.never,
      "{secret://aws/x}": Deferred.await(gate),
      "{secret://env/A}": Effect.as(Deferred.succeed(gate, "late"), "value")
    })
    return Effect.gen(function* () {
      const uses = ["secret://vault/kv/a/b", "secret://aws/x", "secret://env/A"].map((reference) => use(reference))
      const fiber = yield* Effect.forkChild(tryAll(uses), { startImmediately: true })
      assert.lengthOf(asked, 3)
      yield* TestClock.adjust(SECRET_TRIAL_MS)
      assert.deepStrictEqual(results(yield* Fiber.join(fiber)), ["no answer within 30 s", "ok", "ok"])
    }).pipe(Effect.provide(layer))
  })
})
