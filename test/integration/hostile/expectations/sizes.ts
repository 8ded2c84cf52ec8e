import { assert } from "@effect/vitest"
import { echoed, failed, noted, textOf, type Expectations } from "../expectation.ts"

/** What is kept of an answer stays below this, whatever was sent. */
const ROOM_MB = 300

const BOMB = failed("ProtocolError", { alone: true, says: /nested too deep or holds too much/ })

export const SIZE: Expectations = {
  "huge-text": { error: "MessageTooLarge", stdio: { roomMb: ROOM_MB }, alone: true },
  "huge-text:9000000": { says: /9,000,000/ },
  "huge-line:50000000": { error: "MessageTooLarge", roomMb: ROOM_MB },
  "many-blocks": { says: /quoth block 0\n/, lacks: /quoth block 9999/ },
  "many-images": {
    check: ({ results }) => {
      const images = results[0]!.content.filter(({ type }) => type === "image")
      assert.isAbove(images.length, 0)
      assert.isBelow(JSON.stringify(images).length, 17 * 2 ** 20)
    }
  },
  "huge-image": { check: ({ results }) => assert.isTrue(results[0]!.content.every(({ type }) => type === "text")) },
  "slow-drip": failed("CallTimeout", { keys: { timeout: 15_000 } }),
  "pours:endless-answer": failed("MessageTooLarge", { roomMb: ROOM_MB, keys: { toolTimeout: 15_000 } }),
  "endless-line": failed("MessageTooLarge", { roomMb: ROOM_MB, keys: { toolTimeout: 15_000 } }),
  "deep-json": failed("ProtocolError"),
  "deep-error": failed("ProtocolError"),
  "deep-schema": {
    ...echoed,
    check: ({ tools }) =>
      assert.isFalse(
        tools().some(({ tool }) => tool === "deep"),
        "it costs itself alone"
      )
  },
  "pours:brackets-answer": failed("ProtocolError", { roomMb: ROOM_MB }),
  "pours:braces-answer": failed("ProtocolError", { roomMb: ROOM_MB }),
  "pours:empty-objects-answer": failed("ProtocolError", { roomMb: ROOM_MB }),
  "pours:nests-answer": failed("ProtocolError", { roomMb: ROOM_MB }),
  "pours:keys-answer": failed("ProtocolError", { roomMb: ROOM_MB }),
  "pours:strings-answer": failed("ProtocolError", { roomMb: ROOM_MB }),
  "pours:keys-notifications": { says: /begun/, roomMb: ROOM_MB },
  ...Object.fromEntries(
    ["brackets", "nests", "keys", "strings", "objects"].flatMap((kind) =>
      ["json", "stream", "comment"].map((form) => [`json-bomb:${kind}:${form}`, BOMB] as const)
    )
  ),
  "many-keys": { error: "ProtocolError", alone: true },
  "long-key": {
    says: /^see the value$/m,
    check: (play) => {
      noted(/^the structured content is too large: kept as JSON, handle /)(play)
      assert.isUndefined(play.results[0]!.structuredContent)
    }
  },
  "big-numbers": {
    says: /^see the value$/m,
    alone: true,
    // Numbers that are too large for JSON have no other sign in it.
    check: ({ results }) =>
      assert.strictEqual(JSON.stringify(results[0]!.structuredContent), "[null,null,0,null]", "none of ten megabytes")
  },
  "big-list": { check: ({ tools }) => assert.isAtLeast(tools().length, 1_030) },
  "long-error": failed("ProtocolError", {
    says: /quoth eee/,
    check: ({ results }) => assert.isBelow(textOf(results[0]!).length, 4_096)
  }),
  "duplicate-keys": echoed
}
