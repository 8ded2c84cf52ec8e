/** The bridge with its real sanitiser and a store that a test can look into, and a reader for what it wraps. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ContentSanitizerLayer from "../../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import * as ToolBridgeLayer from "../../../../src/layers/call/ToolBridge.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { ResultStore } from "../../../../src/services/call/ResultStore.ts"
import { ToolBridge } from "../../../../src/services/call/ToolBridge.ts"

/** What the bridge had kept, by handle. A text longer than this is refused. */
export const kept = new Map<string, string>()
export const KEPT_MAX_CHARS = 2_000_000

const store = ResultStore.of({
  keep: (text) => {
    if (text.length > KEPT_MAX_CHARS) return undefined
    const handle = `r-${String(kept.size).padStart(16, "0")}`
    kept.set(handle, text)
    return handle
  },
  open: () => Effect.die("the bridge reads nothing"),
  read: () => Effect.die("the bridge reads nothing"),
  part: Effect.die("the bridge has what it is given"),
  readAny: () => Effect.die("the bridge reads nothing"),
  settled: Effect.void
})

const live = ToolBridgeLayer.layer.pipe(
  Layer.provide([ContentSanitizerLayer.layer, Layer.succeed(ResultStore, store)]),
  Layer.provideMerge(RedactorLayer.layer)
)

export const SECRET = "sk-live-0123456789abcdefghij"
/** A secret that is a number as well. */
export const DIGITS = 739104826455

export const bridge = Effect.runSync(
  Effect.gen(function* () {
    const { register } = yield* Redactor
    register(SECRET)
    register(String(DIGITS))
    return yield* ToolBridge
  }).pipe(Effect.provide(live))
)

const WRAPPED =
  /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>\n[^]*?\n---\n([^]*)\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>/
const MARKER = /<<<(?:END_)?EXTERNAL_UNTRUSTED_CONTENT/g

/** What stands between the boundaries of a text that has exactly one pair of them. */
export const inside = (text: string): string => {
  assert.strictEqual(text.match(MARKER)?.length, 2, text.slice(0, 2000))
  return WRAPPED.exec(text)![2]!
}

/** What stands outside of the boundaries. */
export const outside = (text: string): string => text.replace(WRAPPED, "")

/** The one text of a result. */
export const textOf = (result: ToolResult): string => {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  assert.strictEqual(texts.length, 1)
  return texts[0]!
}

/** The words of the server in a result. */
export const shownOf = (result: ToolResult): string => inside(textOf(result))

export const detailsOf = ({ details }: ToolResult) => {
  if ("error" in details) throw new Error(`an error result: ${details.error.tag}`)
  return details
}

export const errorOf = ({ details }: ToolResult) => {
  if (!("error" in details)) throw new Error("not an error result")
  return details.error
}

/** Control characters but tab and line breaks, and characters that cannot be seen. */
export const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
