import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRoom } from "../../../../src/layers/agent/AgentGateway/room.ts"
import { CONVERSATION_HEADERS_AT_ONCE, CONVERSATIONS_KEPT_MAX } from "../../../../src/schemas/defaults/Conversations.ts"
import { inFolder } from "../../../support/folder.ts"

const nameOf = (index: number) => `${index.toString(16).padStart(32, "0")}.jsonl`

describe("the limit for stored conversations", () => {
  it.live("removes the least recently used one, reading a few headers at a time", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      for (let index = 0; index < CONVERSATIONS_KEPT_MAX; index++) {
        writeFileSync(join(folder, nameOf(index)), "")
        utimesSync(join(folder, nameOf(index)), 1_000, index === 7 ? 1 : 1_000)
      }
      let [reading, most] = [0, 0]
      const room = makeRoom(folder, async () => {
        most = Math.max(most, ++reading)
        await new Promise((resolve) => setImmediate(resolve))
        reading--
        return "somebody"
      })
      const fresh = nameOf(CONVERSATIONS_KEPT_MAX)
      yield* Effect.promise(() => room.making(fresh, async () => writeFileSync(join(folder, fresh), "")))
      assert.strictEqual(most, CONVERSATION_HEADERS_AT_ONCE)
      assert.isFalse(existsSync(join(folder, nameOf(7))))
      assert.lengthOf(yield* Effect.promise(room.names), CONVERSATIONS_KEPT_MAX)
    }).pipe(Effect.scoped)
  )
})
