import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { AgentTool } from "../../../../src/schemas/call/Tool.ts"
import { ODD_NAMES } from "../../../fixtures/hostile-server/scenarios/tools.ts"
import { answered, echoed, refused, tagOf, textOf, type Expectation, type Expectations } from "../expectation.ts"

/** What every model provider takes. */
const EXPOSED = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

const distinct = (tools: ReadonlyArray<AgentTool>) => {
  for (const { name } of tools) assert.match(name, EXPOSED)
  assert.strictEqual(new Set(tools.map(({ name }) => name)).size, tools.length, "no two have one name")
}

/** What has changed since it was first seen is withheld under `pin: "block"`. */
const pulled: Expectation = {
  says: /pulled/,
  keys: { pin: "block" },
  check: Effect.fnUntraced(function* ({ logs, named, runtime, take }) {
    const echo = named("echo")
    yield* runtime.refresh
    const result = take(yield* runtime.call(echo, { text: "honest words" }))
    assert.strictEqual(tagOf(result), "DefinitionChanged", textOf(result))
    assert.isFalse((yield* runtime.allTools).some(({ name }) => name === echo))
    assert.match(logs.join("\n"), /echo/)
  })
}

export const TOOL: Expectations = {
  "odd-names": {
    check: Effect.fnUntraced(function* ({ runtime, take, tools }) {
      distinct(tools())
      assert.isFalse(tools().some(({ name }) => ["read", "exec", "bash", "mcp_read_more"].includes(name)))
      // Exact, but for the one that has no name at all.
      const odd = tools().filter(({ description }) => description.includes("quoth an odd one"))
      assert.lengthOf(odd, ODD_NAMES.length)
      for (const { name } of odd) {
        const result = take(yield* runtime.call(name, {}))
        assert.include(textOf(result), "quoth by", `${name} leads to its tool`)
      }
      for (const name of ["__proto__", "constructor", "toString", "mcp_bad___proto__x"]) {
        const { details, isError } = take(yield* runtime.call(name, {}))
        assert.isTrue(isError && "error" in details && details.error.tag === "ToolNotFound", name)
      }
    })
  },
  "twin-names": {
    check: Effect.fnUntraced(function* ({ runtime, tools }) {
      distinct(tools())
      const twins = tools().filter(({ tool }) => /^(twin|a.b|long_name_.*)$/i.test(tool))
      assert.lengthOf(twins, 9)
      const said = yield* Effect.forEach(twins, ({ name }) => runtime.call(name, {}))
      const by = said.map((result) => /quoth by "([^"]*)"/.exec(textOf(result))?.[1])
      assert.strictEqual(new Set(by).size, 9, "each leads to its own tool")
      assert.notMatch(JSON.stringify(tools()), /the second of this name/)
    })
  },
  "bad-tool": {
    check: ({ tools }) => {
      assert.includeMembers(
        tools().map(({ tool }) => tool),
        ["echo", "add"]
      )
    }
  },
  "bad-list": refused(/tools/),
  pages: { check: ({ tools }) => assert.isTrue(tools().some(({ tool }) => tool === "page_3")) },
  "endless-pages": {
    check: ({ logs, tools }) => {
      assert.isAtLeast(tools().length, 10)
      assert.isBelow(tools().length, 200)
      assert.match(logs.join("\n"), /tools\/list/)
    }
  },
  "endless-pages:same": {
    check: ({ logs, tools }) => {
      assert.isBelow(tools().length, 200)
      assert.match(logs.join("\n"), /tools\/list/)
    }
  },
  "list-changed-storm": {
    check: Effect.fnUntraced(function* ({ named, runtime }) {
      // Longer than the storm, which the server makes while it waits.
      yield* runtime.call(named("slow"), { ms: 2_000 })
      assert.isTrue(
        (yield* runtime.allTools).some(({ tool }) => tool === "added"),
        "the last word is heard"
      )
      const { structuredContent } = yield* runtime.call(named("received"), {})
      const { messages } = structuredContent as { readonly messages: ReadonlyArray<{ readonly method: string }> }
      const lists = messages.filter(({ method }) => method === "tools/list").length
      assert.isAtLeast(lists, 2)
      assert.isAtMost(lists, 5)
    })
  },
  "pours:list-changes": { says: /begun/ },
  "list-gone": {
    says: /begun/,
    check: Effect.fnUntraced(function* (play) {
      yield* play.runtime.refresh
      const tools = (yield* play.runtime.allTools).filter(({ server }) => server === "bad")
      assert.isAtLeast(tools.length, 5, "the last good list is kept")
      assert.match(play.logs.join("\n"), /its lists cannot be read, the last ones stay/)
      assert.include(textOf(yield* play.runtime.call(play.named("echo"), { text: "still callable" })), "still callable")
    })
  },
  "rug-pull:description": pulled,
  "rug-pull:schema": pulled,
  "rug-pull:annotations": pulled,
  "rug-pull:output-schema": pulled,
  "rug-pull:order": {
    says: /pulled/,
    keys: { pin: "block" },
    check: Effect.fnUntraced(function* ({ named, runtime }) {
      yield* runtime.refresh
      const result = yield* runtime.call(named("echo"), { text: "honest words" })
      assert.include(textOf(result), "honest words", "the same in another order is the same")
    })
  },
  "lying-annotations": { says: /quoth deleted/ },
  "many-tools:200": { ...echoed, ...answered }
}
