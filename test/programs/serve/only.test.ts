import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TOOL_NAME_MAX_CHARS } from "../../../src/schemas/defaults/Definitions.ts"
import { QUOTED_NAME_MAX_CHARS } from "../../../src/schemas/defaults/Texts.ts"
import type { TestServer } from "../../../src/testing.ts"
import { call, offered, request, service, textOf, type Loose, type Setup } from "./live.ts"

const said = (text: string) => ({ content: [{ type: "text", text }] })

const files: TestServer = {
  tools: [
    { name: "read", handle: () => said("words of files") },
    { name: "Copy" },
    { name: "copy" },
    { name: "two words" },
    { name: "mcp_read_more" },
    { name: "mcp_other_read" }
  ],
  resources: [{ uri: "x://a", name: "a", read: () => "a of files" }],
  prompts: [{ name: "greet", get: () => "hello from files", arguments: [{ name: "who" }], complete: () => ["Ada"] }]
}

const other: TestServer = {
  tools: [
    { name: "read", handle: () => said("words of other") },
    { name: "secret", handle: () => said("of other") }
  ],
  resources: [
    { uri: "x://a", name: "a", read: () => "a of other" },
    { uri: "x://b", name: "b", read: () => "b of other" }
  ],
  prompts: [{ name: "theirs", get: () => "from other" }]
}

const HTTP = { oneClient: false } satisfies Setup

const names = (list: ReadonlyArray<Loose>) => list.map(({ name }) => name).toSorted()

describe("serve: one server alone", () => {
  it.effect(
    "has the server's own names, but for those that two have, that no client takes, or that begin like ours",
    () =>
      Effect.gen(function* () {
        const made = yield* service({ files, other }, HTTP)
        const offer = yield* offered(made, { only: "files" })
        const { tools } = yield* request(offer, "tools/list")
        const listed = names(tools)
        for (const name of ["read", "list_resources", "read_resource", "mcp_files_two_words", "mcp_read_more"]) {
          assert.include(listed, name)
        }
        assert.strictEqual(new Set(listed.map((name) => name.toLowerCase())).size, listed.length)
        assert.notInclude(listed, "copy")
        assert.notInclude(listed, "mcp_other_read")
        assert.include(textOf(yield* call(offer, "read")), "words of files")
      })
  )

  it.effect("makes nothing of a name that is longer than any, and says no more of it than its beginning", () =>
    Effect.gen(function* () {
      const made = yield* service({ files }, HTTP)
      const offer = yield* offered(made, { only: "files" })
      const name = "x".repeat(TOOL_NAME_MAX_CHARS + 1)
      const result = yield* call(offer, name)
      assert.isTrue(result.isError)
      assert.include(textOf(result), `files/${name.slice(0, QUOTED_NAME_MAX_CHARS)}`)
      assert.notInclude(textOf(result), name.slice(0, QUOTED_NAME_MAX_CHARS + 1))
      const refused = yield* Effect.flip(request(offer, "prompts/get", { name }))
      assert.include(refused.message, name.slice(0, QUOTED_NAME_MAX_CHARS))
      assert.notInclude(refused.message, name.slice(0, QUOTED_NAME_MAX_CHARS + 1))
    })
  )

  it.effect("has nothing of the others: no tool, no resource and no prompt, and no name of theirs leads to them", () =>
    Effect.gen(function* () {
      const made = yield* service({ files, other }, HTTP)
      const offer = yield* offered(made, { only: "files" })
      const { tools } = yield* request(offer, "tools/list")
      assert.isFalse(names(tools).some((name) => name.includes("secret")))
      assert.deepStrictEqual((yield* request(offer, "resources/list")).resources.length, 1)
      assert.deepStrictEqual(names((yield* request(offer, "prompts/list")).prompts), ["greet"])
      for (const name of ["secret", "mcp_other_secret", "other/secret"]) {
        const result = yield* call(offer, name)
        assert.isTrue(result.isError, name)
        assert.notInclude(textOf(result), "of other")
      }
      const read = yield* request(offer, "resources/read", { uri: "x://a" })
      assert.include(read.contents[0].text, "a of files")
      for (const uri of ["x://b", "mcp-live://other/x%3A%2F%2Fb"]) {
        assert.strictEqual((yield* Effect.exit(request(offer, "resources/read", { uri })))._tag, "Failure", uri)
      }
      for (const name of ["theirs", "mcp_other_theirs", "other/theirs"]) {
        assert.strictEqual((yield* Effect.exit(request(offer, "prompts/get", { name })))._tag, "Failure", name)
      }
      assert.notInclude(offer.instructions, "other")
      assert.include(offer.instructions, "files")
    })
  )

  it.effect("a name that is made of another's prefix is nobody's", () =>
    Effect.gen(function* () {
      const made = yield* service({ a: files, a_b: { tools: [{ name: "c", handle: () => said("of a_b") }] } }, HTTP)
      const offer = yield* offered(made, { only: "a" })
      const result = yield* call(offer, "b_c")
      assert.isTrue(result.isError)
      assert.notInclude(textOf(result), "of a_b")
    })
  )

  it.effect("prompts are filled in and completed by the server's own names", () =>
    Effect.gen(function* () {
      const offer = yield* offered(yield* service({ files, other }, HTTP), { only: "files" })
      const { messages } = yield* request(offer, "prompts/get", { name: "greet" })
      assert.include(messages[0].content.text, "hello from files")
      const { completion } = yield* request(offer, "completion/complete", {
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "who", value: "A" }
      })
      assert.deepStrictEqual(completion.values, ["Ada"])
    })
  )

  it.effect("the rules of the agent hold by the agent's names", () =>
    Effect.gen(function* () {
      for (const deny of ["mcp_files_read", "files/read"]) {
        const denied = Effect.gen(function* () {
          const made = yield* service({ files }, { ...HTTP, config: { gateway: { tools: { deny: [deny] } } } })
          const offer = yield* offered(made, { only: "files" })
          assert.notInclude(names((yield* request(offer, "tools/list")).tools), "read")
          const result = yield* call(offer, "read")
          assert.isTrue(result.isError)
          assert.notInclude(textOf(result), "words of files")
        })
        yield* Effect.scoped(denied)
      }
    })
  )

  it.effect("a name that the client's agent has no server under is refused, whoever else has one", () =>
    Effect.gen(function* () {
      const list = [{ id: "a", mcp: { servers: { own: { command: "in-memory", enabled: true } } } }, { id: "b" }]
      const made = yield* service(
        { files, own: { config: { enabled: false } } },
        { ...HTTP, agents: ["b", "a"], config: { agents: { list } } }
      )
      const refusals = yield* Effect.forEach(["own", "nothing"], (only) =>
        Effect.flip(offered(made, { agent: "b", only }))
      )
      assert.deepStrictEqual(
        refusals.map(({ message }) => message),
        Array.from({ length: 2 }, () => "there is no MCP server of that name for this client")
      )
      assert.include((yield* offered(made, { agent: "a", only: "own" })).instructions, "own")
    })
  )

  it.effect("with servers of a client's own, none but that one is started for it", () =>
    Effect.gen(function* () {
      const made = yield* service({ files, other }, { ...HTTP, config: { mcp: { serve: { isolate: "session" } } } })
      const offer = yield* offered(made, { only: "files" })
      assert.include(names((yield* request(offer, "tools/list")).tools), "read")
      assert.strictEqual(made.servers.counts("files").opened, 1)
      assert.strictEqual(made.servers.counts("other").attempts, 0)
    })
  )

  it.effect("a program for one server offers that to whoever names none, and no other", () =>
    Effect.gen(function* () {
      const made = yield* service({ files, other }, { oneClient: true, only: "files" })
      const { tools } = yield* request(yield* offered(made), "tools/list")
      assert.include(names(tools), "read")
    })
  )
})
