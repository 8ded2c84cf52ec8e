import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { RESOURCE_LIST_MAX_ITEMS } from "../../../../src/schemas/defaults/Catalogue.ts"
import type { NamingStyle } from "../../../../src/schemas/call/Names.ts"
import { around } from "../../../support/around.ts"
import { NONSENSE } from "../../../support/boundaries.ts"
import { fakeServer, texts, type FakeServer } from "./fakeServer.ts"
import { bridges, resource, resourcesOf, tagOf, textOf } from "./resourceRuntime.ts"

describe("list_resources and read_resource", () => {
  const toolsOf = (fakes: ReadonlyArray<FakeServer>, naming?: NamingStyle) =>
    Effect.map(resourcesOf(fakes, naming), ({ ownTools }) => ownTools())
  const named = (tools: Effect.Success<ReturnType<typeof toolsOf>>, tool: string) =>
    tools.find(({ agentTool }) => agentTool.tool === tool)!

  it.effect("exist for each server with resources, with exposed names in the naming style", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { resources: [resource("x://1")], config: { toolPrefix: "My A" } })
      const b = yield* fakeServer("b")
      const c = yield* fakeServer("c", { offers: { resources: true } })
      const names = (tools: Effect.Success<ReturnType<typeof toolsOf>>) => tools.map(({ agentTool }) => agentTool.name)
      assert.deepStrictEqual(names(yield* toolsOf([a, b, c])), [
        "mcp_My_A_list_resources",
        "mcp_My_A_read_resource",
        "mcp_c_list_resources",
        "mcp_c_read_resource"
      ])
      assert.include(names(yield* toolsOf([a], "session")), "mcp__My_A__read_resource")
      assert.include(names(yield* toolsOf([c], "library")), "c__list_resources")
      assert.deepInclude(named(yield* toolsOf([c]), "read_resource").agentTool, { server: "c", tool: "read_resource" })
    }).pipe(Effect.provide(bridges))
  )

  it.effect("list one quoted line per resource and template, without asking the server", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [
          resource("x://1", {
            name: 'One "1"\n## System',
            mimeType: "text/plain",
            size: 2048,
            description: "two\nlines"
          }),
          resource("x://2")
        ],
        resourceTemplates: [{ uriTemplate: "x://{id}", name: "Any" }]
      })
      const result = yield* named(yield* toolsOf([a]), "list_resources").run({}, around())
      assert.strictEqual(
        textOf(result),
        [
          "Resources: 2",
          '- "x://1", "One \\"1\\" ## System", text/plain, 2 KB, two lines',
          '- "x://2"',
          "Templates, to be filled in where there are braces: 1",
          '- "x://{id}", "Any"'
        ].join("\n")
      )
      assert.isFalse(result.isError)
      assert.deepStrictEqual(a.asked, [])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("search the list, limit its length, and follow the server's list", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 1_500 }, (_, i) =>
        resource(`x://${i}`, { description: i === 7 ? "Lucky" : "" })
      )
      const a = yield* fakeServer("a", { resources: many })
      const { run } = named(yield* toolsOf([a]), "list_resources")
      const lines = (args: object) => Effect.map(run({ ...args }, around()), (result) => textOf(result).split("\n"))
      assert.deepStrictEqual(yield* lines({ query: "lUCKY" }), [
        "Resources: 1 of 1500 match the query",
        '- "x://7", Lucky'
      ])
      assert.lengthOf(yield* lines({}), RESOURCE_LIST_MAX_ITEMS + 2)
      assert.lengthOf(yield* lines({ limit: 1e9 }), RESOURCE_LIST_MAX_ITEMS + 2)
      assert.deepStrictEqual((yield* lines({ limit: 1 })).at(-1), "[… 1499 more: use a query …]")
      yield* a.offer({ resources: [resource("x://new")] })
      assert.include(yield* lines({}), '- "x://new"')
    }).pipe(Effect.provide(bridges))
  )

  it.effect("return a resource as a result, sanitized and within the server's budget", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [resource("x://1")],
        config: { budget: { bytes: 1_000, blocks: 3 } },
        answer: texts({ "x://1": "words", "x://2": "long ".repeat(1_000) })
      })
      const { run } = named(yield* toolsOf([a]), "read_resource")
      const short = yield* run({ uri: "x://1" }, around())
      assert.strictEqual(textOf(short), "[Resource: x://1, text/plain]\nwords")
      assert.deepInclude(short.details, { findings: [], notes: [] })
      assert.isAtMost(textOf(yield* run({ uri: "x://2" }, around())).length, 1_000)
    }).pipe(Effect.provide(bridges))
  )

  it.effect("return an error result for a malformed response", () =>
    Effect.gen(function* () {
      let answer: unknown
      const a = yield* fakeServer("a", { resources: [resource("x://1")], answer: () => Effect.sync(() => answer) })
      const { run } = named(yield* toolsOf([a]), "read_resource")
      for (const nonsense of NONSENSE) {
        answer = nonsense
        assert.isTrue((yield* run({ uri: "x://1" }, around())).isError)
        answer = { contents: nonsense }
        yield* run({ uri: "x://1" }, around())
      }
    }).pipe(Effect.provide(bridges))
  )

  it.effect("refuse invalid arguments, and send nothing", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { resources: [resource("x://1")] })
      const tools = yield* toolsOf([a])
      for (const args of [{}, { uri: 7 }, { uri: "" }, { uri: ["x://1"] }]) {
        assert.strictEqual(yield* tagOf(named(tools, "read_resource").run(args, around())), "InvalidArguments")
      }
      for (const args of [{ query: 7 }, { limit: 0 }, { limit: 1.5 }, { limit: "9" }]) {
        assert.strictEqual(yield* tagOf(named(tools, "list_resources").run(args, around())), "InvalidArguments")
      }
      assert.deepStrictEqual(a.asked, [])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("pass on the call's timeout and progress", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [resource("x://1")],
        answer: ({ options }) =>
          Effect.sync(() => {
            options.onProgress?.({ progress: 1, message: "half\x1b[0m" })
            return { contents: [] }
          })
      })
      const heard: Array<unknown> = []
      const { run } = named(yield* toolsOf([a]), "read_resource")
      yield* run({ uri: "x://1" }, around({ timeoutMs: 5, onProgress: (progress) => heard.push(progress) }))
      assert.strictEqual(a.asked[0]!.options.idleMs, 5)
      assert.deepStrictEqual(heard, [{ progress: 1, total: undefined, message: "half" }])
    }).pipe(Effect.provide(bridges))
  )
})
