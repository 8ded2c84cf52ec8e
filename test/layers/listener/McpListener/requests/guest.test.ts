/** What is heard of the roots that a client names. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { makeGuest } from "../../../../../src/layers/listener/McpListener/requests/guest.ts"
import type { Server } from "../../../../../src/layers/listener/McpListener/requests/sdk.ts"
import {
  LISTENER_CALL_MAX_VALUES,
  LISTENER_NAME_MAX_CHARS,
  LISTENER_ROOTS_MAX,
  LISTENER_URI_MAX_CHARS,
  LISTENER_URIS_MAX_CHARS
} from "../../../../../src/schemas/defaults/Listener.ts"

interface Named {
  readonly uri: unknown
  readonly name?: unknown
}

/** A client that names these roots, and how many names of them were made presentable. */
const heard = Effect.fnUntraced(function* (roots: ReadonlyArray<Named>) {
  let labelled = 0
  const label = (text: string, maxChars: number) => {
    labelled++
    return text.slice(0, maxChars)
  }
  const who = { principal: "p", agent: undefined, only: undefined, name: undefined }
  const { client, follow } = yield* makeGuest(who, who.name, label)
  const { look } = yield* follow({
    getClientCapabilities: () => ({ roots: {} }),
    setNotificationHandler: () => {},
    request: async () => ({ roots })
  } as unknown as Server)
  look()
  const [known = []] = yield* Stream.runCollect(Stream.take(client.roots, 1))
  return { known, labelled }
}, Effect.scoped)

const folder = (at: number, chars: number) => `file:///${at}/`.padEnd(chars, "x")
const many = <A>(count: number, make: (at: number) => A) => Array.from({ length: count }, (_, at) => make(at))

describe("roots of a client", () => {
  it.live("are heard up to so many, each with a name of so many characters, whatever a message holds of them", () =>
    Effect.gen(function* () {
      // Each is an object with two strings.
      const roots = many(LISTENER_CALL_MAX_VALUES / 3, (at) => ({ uri: folder(at, 20), name: "n".repeat(1_000) }))
      const { known, labelled } = yield* heard(roots)
      assert.lengthOf(known, LISTENER_ROOTS_MAX)
      assert.strictEqual(labelled, LISTENER_ROOTS_MAX)
      assert.deepStrictEqual(known[0], { uri: folder(0, 20), name: "n".repeat(LISTENER_NAME_MAX_CHARS) })
    })
  )

  it.live("have so many characters, each and together", () =>
    Effect.gen(function* () {
      const roots = many(LISTENER_ROOTS_MAX, (at) => ({ uri: folder(at, LISTENER_URI_MAX_CHARS) }))
      const { known } = yield* heard([{ uri: folder(0, LISTENER_URI_MAX_CHARS + 1) }, ...roots])
      assert.lengthOf(known, LISTENER_URIS_MAX_CHARS / LISTENER_URI_MAX_CHARS)
      assert.isTrue(known.every(({ uri }) => uri.length === LISTENER_URI_MAX_CHARS))
    })
  )

  it.live("are folders: what is no address of one is passed over", () =>
    Effect.gen(function* () {
      const { known } = yield* heard([{ uri: "https://example.com" }, { uri: 7 }, { uri: "file:///a", name: 7 }])
      assert.deepStrictEqual(known, [{ uri: "file:///a" }])
    })
  )
})
