import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { discover } from "../../../../../src/layers/connection/ServerConnector/connect/discovery.ts"
import type { Session } from "../../../../../src/layers/connection/ServerConnector/rpc/Session.ts"
import {
  CURSOR_MAX_CHARS,
  LIST_MAX_BYTES,
  LIST_MAX_ITEMS,
  LIST_MAX_PAGES
} from "../../../../../src/schemas/defaults/Definitions.ts"
import { makeListRooms } from "../../../../../src/system/listRooms.ts"
import { scripted } from "../../../../support/session.ts"

const tool = (name: string) => ({ name, inputSchema: { type: "object" } })

interface Page {
  readonly tools: unknown
  readonly nextCursor?: string
}

/** In the room of a server that is alone. */
const discovered = (session: Session, capabilities: Readonly<Record<string, unknown>>, resources = true) =>
  makeListRooms().pipe(
    Effect.flatMap((room) => discover(session, capabilities, { resources, timeoutMs: 1_000, room })),
    Effect.scoped
  )

/** Lists the tools of a server that answers page by page, and counts the pages that were asked for. */
const listed = (pageOf: (index: number, cursor: string | undefined) => Page) => {
  let asked = 0
  const { session } = scripted((_method, { cursor }) => pageOf(asked++, cursor as string | undefined))
  return Effect.map(discovered(session, {}, false), (catalogue) => ({
    ...catalogue,
    asked
  }))
}

describe("discovery: a cursor over the size limit", () => {
  it.effect("ends the list with a diagnostic, and keeps what was listed", () =>
    Effect.gen(function* () {
      const cursorOf = (index: number, length: number) => String(index).padEnd(length, "x")
      const fits = yield* listed((index) => ({
        tools: [tool(`t${index}`)],
        ...(index < 3 ? { nextCursor: cursorOf(index, CURSOR_MAX_CHARS) } : undefined)
      }))
      assert.strictEqual(fits.asked, 4)
      assert.deepStrictEqual(fits.diagnostics, [])
      const long = yield* listed((index) => ({
        tools: [tool(`t${index}`)],
        nextCursor: cursorOf(index, CURSOR_MAX_CHARS + 1)
      }))
      assert.strictEqual(long.asked, 1)
      assert.lengthOf(long.tools, 1, "what was listed is used")
      assert.deepStrictEqual(long.diagnostics, ["tools/list: the server gave a cursor that is too long"])
    })
  )
})

describe("discovery: capabilities", () => {
  const offers = (capabilities: Readonly<Record<string, unknown>>, resources = true) => {
    const { of, session } = scripted((method) => ({ [method.split("/").at(-2)!]: [], resourceTemplates: [] }))
    return Effect.map(discovered(session, capabilities, resources), (catalogue) => ({
      ...catalogue.offers,
      listed: ["tools/list", "resources/list", "prompts/list"].filter((method) => of(method).length > 0)
    }))
  }

  it.effect("are those that the server declares; tools are always listed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* offers({}), {
        resources: false,
        subscriptions: false,
        prompts: false,
        completions: false,
        listed: ["tools/list"]
      })
      assert.deepStrictEqual(yield* offers({ resources: { subscribe: true }, prompts: {}, completions: {} }), {
        resources: true,
        subscriptions: true,
        prompts: true,
        completions: true,
        listed: ["tools/list", "resources/list", "prompts/list"]
      })
      for (const resources of [{}, { subscribe: "true" }, { subscribe: 1 }, true]) {
        assert.deepInclude(yield* offers({ resources }), { resources: true, subscriptions: false })
      }
    })
  )

  it.effect("leave out resources when they are not wanted", () =>
    Effect.gen(function* () {
      const found = yield* offers({ resources: { subscribe: true } }, false)
      assert.deepInclude(found, { resources: false, subscriptions: false, listed: ["tools/list"] })
    })
  )
})

describe("discovery: pages", () => {
  it.effect("follows cursors, also an empty one, until there is none", () =>
    Effect.gen(function* () {
      const cursors = ["", "b", undefined]
      const seen: Array<string | undefined> = []
      const { diagnostics, tools } = yield* listed((index, cursor) => {
        seen.push(cursor)
        const next = cursors[index]
        return { tools: [tool(`t${index}`)], ...(next === undefined ? undefined : { nextCursor: next }) }
      })
      assert.deepStrictEqual(seen, [undefined, "", "b"])
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["t0", "t1", "t2"]
      )
      assert.isEmpty(diagnostics)
    })
  )

  it.effect("ends the list at a repeated cursor", () =>
    Effect.gen(function* () {
      const { asked, diagnostics, tools } = yield* listed((index) => ({
        tools: [tool(`t${index}`)],
        nextCursor: "same"
      }))
      assert.strictEqual(asked, 2)
      assert.lengthOf(tools, 2)
      assert.lengthOf(diagnostics, 1)
    })
  )

  it.effect("ends the list after the maximum number of pages", () =>
    Effect.gen(function* () {
      const { asked, diagnostics } = yield* listed((index) => ({ tools: [], nextCursor: `c${index}` }))
      assert.strictEqual(asked, LIST_MAX_PAGES)
      assert.lengthOf(diagnostics, 1)
    })
  )

  it.effect("ends the list after the maximum number of entries, also within one page", () =>
    Effect.gen(function* () {
      const { asked, diagnostics, tools } = yield* listed(() => ({
        tools: Array.from({ length: LIST_MAX_ITEMS + 5 }, (_, i) => tool(`t${i}`)),
        nextCursor: "more"
      }))
      assert.strictEqual(asked, 1)
      assert.lengthOf(tools, LIST_MAX_ITEMS)
      assert.lengthOf(diagnostics, 1)
    })
  )

  it.effect("ends the list at the size limit, with a diagnostic", () =>
    Effect.gen(function* () {
      const large = (name: string) => ({ ...tool(name), description: "x".repeat(LIST_MAX_BYTES / 4) })
      const found = yield* listed(() => ({ tools: ["a", "b", "c", "d", "e"].map(large) }))
      assert.deepStrictEqual(
        found.tools.map(({ name }) => name),
        ["a", "b", "c"]
      )
      assert.deepStrictEqual(found.diagnostics, ["tools/list: only the first 3 were taken, there is no room for more"])
    })
  )

  it.effect("applies the size limit to all lists together, tools first", () =>
    Effect.gen(function* () {
      const words = (part: number) => "x".repeat(LIST_MAX_BYTES / part)
      const { session } = scripted((method) => {
        if (method === "tools/list") return { tools: [{ ...tool("a"), description: words(2) }] }
        if (method === "resources/list") {
          return { resources: ["b", "c"].map((name) => ({ uri: `file:///${name}`, name, description: words(3) })) }
        }
        return { resourceTemplates: [], prompts: [{ name: "p", description: "short" }] }
      })
      const found = yield* discovered(session, { resources: {}, prompts: {} })
      assert.deepStrictEqual(
        [found.tools, found.resources, found.prompts].map((listed) => listed.map(({ name }) => name)),
        [["a"], ["b"], ["p"]]
      )
      assert.deepStrictEqual(found.diagnostics, [
        "resources/list: only the first 1 were taken, there is no room for more"
      ])
      assert.strictEqual(
        found.tooLarge,
        "its lists are larger than the room that there is for them: it has only the first 1 resources"
      )
    })
  )

  it.effect("requests no further page once the size limit is reached", () =>
    Effect.gen(function* () {
      const found = yield* listed((index) => ({
        tools: [{ ...tool(`t${index}`), description: "x".repeat(LIST_MAX_BYTES / 4) }],
        nextCursor: `${index}`
      }))
      assert.lengthOf(found.tools, 3)
      assert.strictEqual(found.asked, 4)
    })
  )

  it.effect("accepts 2,000 tools with ten parameters each, 6.6 million characters in total", () =>
    Effect.gen(function* () {
      const text = "w".repeat(280)
      const properties = Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [`property_${index}`, { type: "string", description: text }])
      )
      const large = (_: unknown, index: number) => ({
        name: `tool_${index}`,
        description: text,
        inputSchema: { type: "object", properties }
      })
      const { tooLarge, tools } = yield* listed(() => ({ tools: Array.from({ length: LIST_MAX_ITEMS }, large) }))
      assert.isAtLeast(JSON.stringify(tools).length, 6_600_000)
      assert.lengthOf(tools, LIST_MAX_ITEMS)
      assert.isUndefined(tooLarge)
    })
  )

  it.effect("keeps the earlier pages when a later page has no list", () =>
    Effect.gen(function* () {
      const { diagnostics, tools } = yield* listed((index) =>
        index === 0 ? { tools: [tool("t")], nextCursor: "x" } : { tools: "none" }
      )
      assert.lengthOf(tools, 1)
      assert.lengthOf(diagnostics, 1)
    })
  )
})
