import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Report } from "../../../../src/layers/call/McpRuntime/definitions.ts"
import { makePrompts } from "../../../../src/layers/call/McpRuntime/prompts.ts"
import * as PromptBridgeLayer from "../../../../src/layers/content/PromptBridge.ts"
import { CALL_TIMEOUT_MS } from "../../../../src/schemas/defaults/Connections.ts"
import { TOOL_NAME_MAX_CHARS } from "../../../../src/schemas/defaults/Definitions.ts"
import { InvalidLaunch } from "../../../../src/schemas/connection/ConnectError.ts"
import { ProtocolError } from "../../../../src/schemas/connection/RequestError.ts"
import type { NamingStyle } from "../../../../src/schemas/call/Names.ts"
import type { PromptResult } from "../../../../src/schemas/content/Prompt.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { PromptBridge } from "../../../../src/services/content/PromptBridge.ts"
import { bodyOf, NONSENSE } from "../../../support/boundaries.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import { fakeServer, type FakeServer } from "./fakeServer.ts"

const bridge = PromptBridgeLayer.layer.pipe(Layer.provideMerge(sanitizer))

const promptsOf = (fakes: ReadonlyArray<FakeServer>, naming: NamingStyle = "gateway", report: Report = () => {}) =>
  Effect.gen(function* () {
    const servers = fakes.map(({ server }) => server)
    return makePrompts({
      guard: () => Effect.void,
      standings: { refusedAt: () => undefined, unstarted: () => undefined },
      admit: (_, __, request) => request(),
      naming,
      servers: () => servers,
      bridge: yield* PromptBridge,
      sanitizer: yield* ContentSanitizer,
      report,
      secrets: () => 0
    })
  })

const echo = ({ params }: { readonly params: unknown }) =>
  Effect.succeed({ messages: [{ role: "user", content: { type: "text", text: JSON.stringify(params) } }] })

const REVIEW = {
  name: "review",
  arguments: [{ name: "path", required: true }, { name: "style", required: true }, { name: "depth" }]
}

/** What the server was sent, as `echo` says it back. */
const sent = ({ messages }: PromptResult): unknown => {
  const block = messages[0]!.content[0]!
  return JSON.parse(block.type === "text" ? bodyOf(block.text) : "")
}
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error._tag)
const messageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)

describe("prompts", () => {
  const names = (fakes: ReadonlyArray<FakeServer>, naming?: NamingStyle) =>
    Effect.flatMap(promptsOf(fakes, naming), ({ prompts }) => Effect.map(prompts, (all) => all.map(({ name }) => name)))

  it.effect("are listed for all servers under exposed names, in the order of the servers", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [{ name: "two words" }, { name: "x" }] })
      const b = yield* fakeServer("b", { prompts: [REVIEW], config: { toolPrefix: "B" } })
      assert.deepStrictEqual(yield* names([a, b]), ["mcp_a_two_words", "mcp_a_x", "mcp_B_review"])
      assert.deepStrictEqual(yield* names([b], "library"), ["B__review"])
    }).pipe(Effect.provide(bridge))
  )

  it.effect("get different exposed names when their names collide", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [{ name: "x y" }, { name: "x_y" }, { name: "X.Y" }] })
      const all = yield* names([a])
      assert.lengthOf(new Set(all.map((name) => name.toLowerCase())), 3)
    }).pipe(Effect.provide(bridge))
  )

  it.effect("are built once, and reused when another server's list changes", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [REVIEW] })
      const b = yield* fakeServer("b", { prompts: [{ name: "x" }] })
      const { prompts } = yield* promptsOf([a, b])
      const [before] = yield* prompts
      yield* b.offer({ prompts: [{ name: "y" }] })
      const [after, other] = yield* prompts
      assert.strictEqual(after, before)
      assert.strictEqual(other!.prompt, "y")
    }).pipe(Effect.provide(bridge))
  )

  it.effect("follow the lists, and disappear when their server fails", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [REVIEW] })
      const { prompts } = yield* promptsOf([a])
      const [before] = yield* prompts
      assert.strictEqual((yield* prompts)[0], before)
      yield* a.offer({ prompts: [{ name: "new" }] })
      assert.strictEqual((yield* prompts)[0]!.prompt, "new")
      yield* a.set({ state: { _tag: "Failed", cause: new InvalidLaunch({ server: "a", detail: "gone" }) } })
      assert.deepStrictEqual(yield* prompts, [])
    }).pipe(Effect.provide(bridge))
  )
})

describe("getPrompt", () => {
  it.effect("takes the exposed name, server/prompt, or the server's own name where it is unique", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [{ name: "two words" }, { name: "both" }], answer: echo })
      const b = yield* fakeServer("b", { prompts: [{ name: "both" }], answer: echo })
      const { getPrompt } = yield* promptsOf([a, b])
      for (const name of ["mcp_a_two_words", "a/two words", "two words"]) {
        const result = yield* getPrompt(name)
        assert.deepInclude(result, { server: "a", prompt: "two words" })
        assert.deepStrictEqual(sent(result), { name: "two words", arguments: {} })
      }
      assert.strictEqual((yield* getPrompt("b/both")).server, "b")
      assert.include(
        yield* messageOf(getPrompt("both")),
        "no prompt 'both'. Did you mean 'mcp_a_both' or 'mcp_b_both'?"
      )
      assert.include(yield* messageOf(getPrompt("mcp_b_bot")), "Did you mean 'mcp_b_both'?")
      assert.include(yield* messageOf(getPrompt("two wrods")), "no prompt 'two wrods'. Did you mean 'mcp_a_two_words'?")
      assert.notInclude(yield* messageOf(getPrompt("boht")), "Did you mean")
    }).pipe(Effect.provide(bridge))
  )

  it.effect("prefers the exposed name and server/prompt to another server's own name", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [{ name: "mcp_b_x" }, { name: "b/x" }], answer: echo })
      const b = yield* fakeServer("b", { prompts: [{ name: "x" }], answer: echo })
      const { getPrompt } = yield* promptsOf([a, b])
      for (const name of ["mcp_b_x", "b/x"]) assert.strictEqual((yield* getPrompt(name)).server, "b")
    }).pipe(Effect.provide(bridge))
  )

  it.effect("refuses an own name that looks like another server's exposed name, also while that server is down", () =>
    Effect.gen(function* () {
      const names = ["mcp_b_review", "MCP_b_review", "b/review", "mcp_a_review", "free"]
      const a = yield* fakeServer("a", { prompts: names.map((name) => ({ name })), answer: echo })
      const b = yield* fakeServer("b", { state: "broken" })
      const { getPrompt } = yield* promptsOf([a, b])
      for (const name of names.slice(0, 4)) yield* Effect.flip(getPrompt(name))
      assert.lengthOf(a.asked, 0)
      assert.deepStrictEqual(sent(yield* getPrompt("free")), { name: "free", arguments: {} })
    }).pipe(Effect.provide(bridge))
  )

  it.effect("takes a name with invisible characters in its original and its sanitized form", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [{ name: "x\n\u202ey" }], answer: echo })
      const { getPrompt, prompts } = yield* promptsOf([a])
      const { name, prompt } = (yield* prompts)[0]!
      assert.strictEqual(prompt, "x y")
      for (const given of [name, prompt, `a/${prompt}`, "x\n\u202ey"]) yield* getPrompt(given)
      for (const { params } of a.asked) assert.strictEqual(params["name"], "x\n\u202ey")
      assert.lengthOf(a.asked, 4)
    }).pipe(Effect.provide(bridge))
  )

  it.effect("sends the arguments, with the timeout of a call", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [REVIEW], answer: echo })
      const { getPrompt } = yield* promptsOf([a])
      const args = { path: "src", style: "" }
      assert.deepStrictEqual(sent(yield* getPrompt("review", args)), { name: "review", arguments: args })
      assert.strictEqual(a.asked[0]!.options.idleMs, CALL_TIMEOUT_MS)
    }).pipe(Effect.provide(bridge))
  )

  it.effect("names missing, unknown and invalid arguments, and sends nothing", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [REVIEW, { name: "plain" }], answer: echo })
      const { getPrompt } = yield* promptsOf([a])
      const wrong = (args: unknown, name = "review") => messageOf(getPrompt(name, args as Record<string, string>))
      assert.include(yield* wrong(undefined), "missing: 'path', 'style'")
      assert.include(yield* wrong({ path: "x" }), "missing: 'style'")
      assert.include(yield* wrong({ path: "x", stile: "y" }), "'stile' is unknown, did you mean 'style'?")
      assert.include(yield* wrong({ everything: "x" }), "there are: 'path', 'style', 'depth'")
      assert.include(yield* wrong({ x: "x" }, "plain"), "there are no arguments")
      assert.include(yield* wrong({ path: 7, style: "y" }), "'path' is not a text")
      const proto = JSON.parse('{"__proto__":"x","path":"x","style":"y"}')
      assert.include(yield* wrong(proto), "'__proto__' is unknown")
      assert.isAtMost((yield* wrong({ ["x".repeat(TOOL_NAME_MAX_CHARS + 1)]: "x" })).length, 1_000)
      assert.strictEqual(yield* tagOf(getPrompt("review", {})), "InvalidArguments")
      assert.deepStrictEqual(a.asked, [])
    }).pipe(Effect.provide(bridge))
  )

  it.effect("sends arguments under the server's original names", () =>
    Effect.gen(function* () {
      const prompts = [
        { name: "p", arguments: [{ name: "a\u202eb" }, { name: "\u200b", required: true }, { name: "__proto__" }] }
      ]
      const a = yield* fakeServer("a", { prompts, answer: echo })
      const { getPrompt } = yield* promptsOf([a])
      const given = JSON.parse('{"ab":"1","argument_2":"2","__proto__":"3"}')
      yield* getPrompt("p", given)
      const { arguments: args } = a.asked[0]!.params as { arguments: object }
      assert.deepStrictEqual(Object.entries(args), [
        ["a\u202eb", "1"],
        ["\u200b", "2"],
        ["__proto__", "3"]
      ])
    }).pipe(Effect.provide(bridge))
  )

  it.effect("starts servers with unknown lists only when no other server has the prompt", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [{ name: "x" }], answer: echo })
      const lazy = yield* fakeServer("lazy", { prompts: [{ name: "y" }], state: "unseen", answer: echo })
      const broken = yield* fakeServer("broken", { state: "broken" })
      const off = yield* fakeServer("off", { state: "unseen", config: { enabled: false } })
      const { getPrompt, prompts } = yield* promptsOf([a, lazy, off])
      yield* prompts
      yield* getPrompt("x")
      assert.isUndefined(lazy.server.supervised.snapshot().catalogue)
      assert.strictEqual((yield* getPrompt("mcp_lazy_y")).server, "lazy")
      assert.strictEqual(yield* tagOf(getPrompt("z")), "PromptNotFound")
      assert.isUndefined(off.server.supervised.snapshot().catalogue)
      assert.strictEqual(yield* tagOf((yield* promptsOf([broken])).getPrompt("z")), "ServerUnavailable")
      const both = yield* promptsOf([a, broken])
      assert.strictEqual(yield* tagOf(both.getPrompt("z")), "PromptNotFound")
      for (const name of ["broken/z", "mcp_broken_z"]) {
        assert.strictEqual(yield* tagOf(both.getPrompt(name)), "ServerUnavailable")
      }
    }).pipe(Effect.provide(bridge))
  )

  it.effect("fails with ProtocolError for a malformed response, and PromptNotFound for a malformed name", () =>
    Effect.gen(function* () {
      let answer: unknown
      const a = yield* fakeServer("a", { prompts: [{ name: "x" }], answer: () => Effect.sync(() => answer) })
      const { getPrompt } = yield* promptsOf([a])
      for (const nonsense of NONSENSE) {
        answer = nonsense
        assert.strictEqual(yield* tagOf(getPrompt("x")), "ProtocolError")
        assert.strictEqual(yield* tagOf(getPrompt(nonsense as string)), "PromptNotFound")
      }
    }).pipe(Effect.provide(bridge))
  )
})

describe("complete", () => {
  const suggest = () => Effect.succeed({ completion: { values: ["a", "b"], total: 2 } })
  const offers = { completions: true, resources: true }
  const NONE = { values: [], total: undefined, hasMore: false }

  it.effect("sends an argument of a prompt, with the other arguments as context", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { prompts: [REVIEW], offers, answer: suggest })
      const { complete } = yield* promptsOf([a])
      const ref = { type: "prompt", name: "mcp_a_review" } as const
      assert.deepStrictEqual(yield* complete(ref, { name: "path", value: "s" }), {
        values: ["a", "b"],
        total: 2,
        hasMore: false
      })
      yield* complete(ref, { name: "style", value: "", others: { path: "src" } })
      assert.deepStrictEqual(
        a.asked.map(({ method, params }) => ({ method, params })),
        [
          {
            method: "completion/complete",
            params: { ref: { type: "ref/prompt", name: "review" }, argument: { name: "path", value: "s" } }
          },
          {
            method: "completion/complete",
            params: {
              ref: { type: "ref/prompt", name: "review" },
              argument: { name: "style", value: "" },
              context: { arguments: { path: "src" } }
            }
          }
        ]
      )
      assert.strictEqual(
        yield* tagOf(complete({ type: "prompt", name: "none" }, { name: "x", value: "" })),
        "PromptNotFound"
      )
    }).pipe(Effect.provide(bridge))
  )

  it.effect("sends a template variable to the server that has the template, or to the named one", () =>
    Effect.gen(function* () {
      const own = (uriTemplate: string) => [
        { uriTemplate, name: "t" },
        { uriTemplate: "x://{both}", name: "t" }
      ]
      const a = yield* fakeServer("a", { resourceTemplates: own("a://{id}"), offers, answer: suggest })
      const b = yield* fakeServer("b", { resourceTemplates: own("b://{id}"), offers, answer: suggest })
      const { complete } = yield* promptsOf([a, b])
      const of = (uriTemplate: string, server?: string) =>
        complete({ type: "resource", uriTemplate, server }, { name: "id", value: "" })
      assert.deepStrictEqual((yield* of("b://{id}")).values, ["a", "b"])
      assert.deepInclude(b.asked[0]!.params, { ref: { type: "ref/resource", uri: "b://{id}" } })
      assert.include(yield* messageOf(of("x://{both}")), "'a', 'b' have this template: name one of them")
      yield* of("x://{both}", "a")
      assert.lengthOf(a.asked, 1)
      assert.include(yield* messageOf(of("none://{id}")), "no server has this template")
      assert.strictEqual(yield* tagOf(of("b://{id}", "a")), "ResourceNotFound")
    }).pipe(Effect.provide(bridge))
  )

  it.effect("fails for a template hidden by resourceFilter or resources: false", () =>
    Effect.gen(function* () {
      const resourceTemplates = [{ uriTemplate: "x://{id}", name: "t" }]
      const a = yield* fakeServer("a", { resourceTemplates, offers, config: { resourceFilter: ["y://*"] } })
      const b = yield* fakeServer("b", { resourceTemplates, offers, config: { resources: false } })
      const { complete } = yield* promptsOf([a, b])
      const ref = { type: "resource", uriTemplate: "x://{id}" } as const
      assert.strictEqual(yield* tagOf(complete(ref, { name: "id", value: "" })), "ResourceNotFound")
    }).pipe(Effect.provide(bridge))
  )

  it.effect("returns no values when the server does not support completions for it", () =>
    Effect.gen(function* () {
      let code = -32601
      const fail = () => Effect.suspend(() => Effect.fail(new ProtocolError({ server: "b", code, detail: "no" })))
      const a = yield* fakeServer("a", { prompts: [REVIEW] })
      const b = yield* fakeServer("b", { prompts: [{ name: "x" }], offers, answer: fail })
      const { complete } = yield* promptsOf([a, b])
      const of = (name: string) => complete({ type: "prompt", name }, { name: "path", value: "" })
      assert.deepStrictEqual(yield* of("review"), NONE)
      assert.deepStrictEqual(a.asked, [])
      assert.deepStrictEqual(yield* of("x"), NONE)
      code = -32602
      assert.deepStrictEqual(yield* of("x"), NONE)
      code = -32603
      assert.strictEqual(yield* tagOf(of("x")), "ProtocolError")
    }).pipe(Effect.provide(bridge))
  )

  it.effect("returns no values for a malformed response", () =>
    Effect.gen(function* () {
      let answer: unknown
      const a = yield* fakeServer("a", { prompts: [REVIEW], offers, answer: () => Effect.sync(() => answer) })
      const { complete } = yield* promptsOf([a])
      for (const nonsense of NONSENSE) {
        answer = nonsense
        assert.deepStrictEqual(yield* complete({ type: "prompt", name: "review" }, { name: "path", value: "" }), NONE)
      }
    }).pipe(Effect.provide(bridge))
  )
})
