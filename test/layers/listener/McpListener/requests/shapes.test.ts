import { assert, describe, it } from "@effect/vitest"
import {
  LISTENER_ARGUMENTS_MAX,
  LISTENER_GREETING_MAX_BYTES,
  LISTENER_ID_MAX_CHARS,
  LISTENER_META_NAMES_MAX
} from "../../../../../src/schemas/defaults/Listener.ts"
import { sizeFault } from "../../../../../src/layers/listener/McpListener/requests/shapes.ts"

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))

describe("what there may be much of in a message", () => {
  it("is bounded where it is kept as long as a session: what a client says of itself, in letters and in parts", () => {
    const of = (capabilities: object) =>
      sizeFault({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities } })
    assert.isUndefined(of({ roots: {}, experimental: { some: "x".repeat(10_000) } }))
    assert.include(
      of({ experimental: "x".repeat(LISTENER_GREETING_MAX_BYTES) }),
      `${LISTENER_GREETING_MAX_BYTES} bytes`
    )
    assert.isString(of({ experimental: Array.from({ length: 2_000 }, () => ({})) }))
  })

  it("is bounded where each of it takes time, or is said again in the answer", () => {
    const of = (params: object, method = "tools/call") => sizeFault({ jsonrpc: "2.0", id: 1, method, params })
    assert.isUndefined(of({ _meta: names(LISTENER_META_NAMES_MAX), arguments: names(LISTENER_ARGUMENTS_MAX) }))
    assert.include(of({ _meta: names(LISTENER_META_NAMES_MAX + 1) }), `${LISTENER_META_NAMES_MAX} names`)
    assert.include(of({ arguments: names(LISTENER_ARGUMENTS_MAX + 1) }), `${LISTENER_ARGUMENTS_MAX} arguments`)
    assert.isUndefined(of({}, "x".repeat(LISTENER_ID_MAX_CHARS)))
    assert.include(of({}, "x".repeat(LISTENER_ID_MAX_CHARS + 1)), "'method'")
  })
})
