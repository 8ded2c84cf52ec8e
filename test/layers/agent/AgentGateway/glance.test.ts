/** What is said about a conversation without reading what was said. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { makeFiles } from "../../../../src/layers/agent/AgentGateway/conversationFiles.ts"
import { BUILT_IN } from "../../../../src/schemas/agent/Conversation.ts"
import { inFolder } from "../../../support/folder.ts"

/** Of the largest turn that is kept whole. */
const TURN_BYTES = 3_800_000

const info = { sessionKey: "long", backend: BUILT_IN, cwd: undefined, title: "long", createdAt: 1, updatedAt: 2 }
const turn = () => ({
  message: [{ type: "text" as const, text: Buffer.alloc(TURN_BYTES, "x").toString("latin1") }],
  events: [],
  messages: []
})

describe("a glance at a conversation", () => {
  it.live("counts its turns without parsing them: one that is damaged counts, too", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const files = makeFiles(home, (text) => text)
      assert.strictEqual(yield* files.write({ info, turns: [turn(), turn()] }, false), "kept")
      assert.strictEqual((yield* files.glance("long"))?.turns, 2)
      const folder = join(home, "conversations")
      const [name] = readdirSync(folder)
      appendFileSync(join(folder, name!), "\nno JSON\n")
      const glance = yield* files.glance("long")
      assert.strictEqual(glance?.turns, 3)
      assert.deepInclude(glance?.info, { sessionKey: "long", updatedAt: 2 })
      assert.lengthOf((yield* files.read("long"))!.turns, 2)
    }).pipe(Effect.scoped)
  )

  it.live("reports an unknown conversation", () =>
    Effect.gen(function* () {
      const files = makeFiles(yield* inFolder, (text) => text)
      assert.isUndefined(yield* files.glance("nothing"))
    }).pipe(Effect.scoped)
  )
})
