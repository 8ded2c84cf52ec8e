import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeHandlesOf } from "../../../src/programs/serve/handles.ts"
import { SERVE_HANDLES_LEFT_MAX } from "../../../src/schemas/defaults/Serve.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import { call, offered, service, textOf, type Loose } from "./live.ts"

const long = (what: string) => ({
  name: what,
  handle: () => (what === "words" ? { content: [{ type: "text", text: "x".repeat(400_000) }] } : { structuredContent })
})

const structuredContent = { all: Array.from({ length: 50_000 }, (_, i) => `item ${i}`) }

const handleIn = (text: string): string => /handle "?(r-[0-9a-f]{16})/.exec(text)?.[1] ?? ""

describe("results that are kept to read on in", () => {
  for (const what of ["words", "structured"]) {
    it.effect(`are there for the client that was given them, on all its connections, and for no other (${what})`, () =>
      Effect.gen(function* () {
        const made = yield* service({ fs: { tools: [long(what)] } }, { oneClient: false })
        const mine = yield* offered(made)
        const handle = handleIn(textOf(yield* call(mine, `mcp_fs_${what}`)))
        assert.notStrictEqual(handle, "")
        const read = (offer: typeof mine): Effect.Effect<Loose, unknown> => call(offer, "mcp_read_more", { handle })
        assert.isUndefined((yield* read(mine)).isError)
        assert.isUndefined((yield* read(yield* offered(made))).isError)
        const theirs = yield* offered(made, { principal: "another" })
        const refused = yield* read(theirs)
        assert.isTrue(refused.isError)
        assert.deepStrictEqual(refused, yield* call(mine, "mcp_read_more", { handle: "r-0000000000000000" }))
      })
    )
  }
})

describe("who may read on in kept results", () => {
  const HANDLE = "r-0123456789abcdef"
  const given = {
    content: [],
    isError: false,
    details: { externalContent: {}, handle: HANDLE }
  } as unknown as ToolResult

  it.effect("is known as long as there is a connection, and of those who left last", () =>
    Effect.gen(function* () {
      const handlesOf = makeHandlesOf()
      const once = (principal: string) => Effect.scoped(Effect.asVoid(handlesOf(principal)))
      const mayRead = (principal: string) =>
        Effect.scoped(
          Effect.map(
            Effect.flatMap(handlesOf(principal), ({ allowed }) => allowed("mcp_read_more", { handle: HANDLE })),
            ({ handle }) => handle === HANDLE
          )
        )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* (yield* handlesOf("ada")).given(given)
          yield* once("ada")
          for (let i = 0; i < SERVE_HANDLES_LEFT_MAX * 2; i++) yield* once(`somebody ${i}`)
          assert.isTrue(yield* mayRead("ada"))
        })
      )
      assert.isTrue(yield* mayRead("ada"))
      for (let i = 0; i < SERVE_HANDLES_LEFT_MAX; i++) yield* once(`somebody ${i}`)
      assert.isFalse(yield* mayRead("ada"))
    })
  )
})
