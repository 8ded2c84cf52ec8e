import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { discover } from "../../../src/layers/ServerConnector/discovery.ts"
import { Peer } from "../../../src/layers/ServerConnector/Peer.ts"
import type { Session } from "../../../src/layers/ServerConnector/Session.ts"
import { LIST_MAX_ITEMS, LIST_MAX_PAGES } from "../../../src/schemas/Defaults.ts"

const tool = (name: string) => ({ name, inputSchema: { type: "object" } })

interface Page {
  readonly tools: unknown
  readonly nextCursor?: string
}

/** Lists the tools of a server that answers page by page, and counts the pages that were asked for. */
const listed = (pageOf: (index: number, cursor: string | undefined) => Page) => {
  let asked = 0
  const peer: Peer = new Peer(
    "fs",
    {
      streamPerRequest: false,
      send: ({ id, params }) => peer.receive({ id, result: pageOf(asked++, params?.["cursor"] as string | undefined) })
    },
    { onNotification: () => {}, onOddity: () => {}, tidy: (text) => text }
  )
  const session: Session = {
    server: "fs",
    transport: "stdio",
    pid: undefined,
    peer,
    closed: Effect.never,
    lastWords: () => "",
    tidy: (text) => text,
    setProtocolVersion: () => {}
  }
  return Effect.map(discover(session, {}, { resources: false, timeoutMs: 1_000 }), (catalogue) => ({
    ...catalogue,
    asked
  }))
}

describe("discovery: pages", () => {
  it.effect("follows the cursors as they are, an empty one included, until there is none", () =>
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

  it.effect("a cursor that comes again ends the list", () =>
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

  it.effect("so do too many pages", () =>
    Effect.gen(function* () {
      const { asked, diagnostics } = yield* listed((index) => ({ tools: [], nextCursor: `c${index}` }))
      assert.strictEqual(asked, LIST_MAX_PAGES)
      assert.lengthOf(diagnostics, 1)
    })
  )

  it.effect("and too many entries, also of a single page", () =>
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

  it.effect("a later page without a list costs what comes after it", () =>
    Effect.gen(function* () {
      const { diagnostics, tools } = yield* listed((index) =>
        index === 0 ? { tools: [tool("t")], nextCursor: "x" } : { tools: "none" }
      )
      assert.lengthOf(tools, 1)
      assert.lengthOf(diagnostics, 1)
    })
  )
})
