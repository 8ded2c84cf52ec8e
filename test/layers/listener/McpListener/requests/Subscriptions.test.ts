import { assert, describe, it } from "@effect/vitest"
import { Subscriptions } from "../../../../../src/layers/listener/McpListener/requests/Subscriptions.ts"
import {
  LISTENER_SUBSCRIPTIONS_MAX,
  LISTENER_URI_MAX_CHARS,
  LISTENER_URIS_MAX_CHARS
} from "../../../../../src/schemas/defaults/Listener.ts"

describe("resources that a client wants to hear of", () => {
  it("are bounded in number, and in characters together; what is taken back makes room", () => {
    const short = new Subscriptions()
    for (let i = 0; i < LISTENER_SUBSCRIPTIONS_MAX; i++) assert.isTrue(short.add(`note://${i}`))
    assert.isFalse(short.add("note://more"))
    assert.isTrue(short.add("note://0"))
    const long = new Subscriptions()
    const uri = (i: number) => `note://${i}/`.padEnd(LISTENER_URI_MAX_CHARS, "x")
    const most = LISTENER_URIS_MAX_CHARS / LISTENER_URI_MAX_CHARS
    for (let i = 0; i < most; i++) assert.isTrue(long.add(uri(i)))
    assert.isFalse(long.add(uri(most)))
    // One that is there already counts once.
    assert.isTrue(long.add(uri(0)))
    long.remove(uri(0))
    long.remove(uri(0))
    assert.isTrue(long.add(uri(most)))
    assert.isFalse(long.add(uri(0)))
  })
})
