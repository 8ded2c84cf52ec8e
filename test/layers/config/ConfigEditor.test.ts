import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigEditorLayer from "../../../src/layers/config/ConfigEditor.ts"
import { meaningOf } from "../../../src/layers/config/ConfigEditor/place.ts"
import * as ContentSanitizer from "../../../src/layers/content/ContentSanitizer.ts"
import * as Redactor from "../../../src/layers/content/Redactor.ts"
import { ConfigError } from "../../../src/schemas/config/ConfigError.ts"
import { ClientFiles } from "../../../src/services/config/ClientFiles.ts"
import { ConfigEditor } from "../../../src/services/config/ConfigEditor.ts"
import { LiveConfig } from "../../../src/services/config/LiveConfig.ts"
import { ServerRegistry } from "../../../src/services/config/ServerRegistry.ts"
import { inFolder } from "../../support/folder.ts"

/** An editor of a file with this text. */
const editing = Effect.fnUntraced(function* (text: string) {
  const path = join(yield* inFolder, "mcp-live.json")
  writeFileSync(path, text)
  const config = meaningOf("{}", path).config!
  const live = Layer.mock(LiveConfig, {
    current: () => config,
    state: () => ({ file: path, readAt: 1, watched: true, fault: null, pending: [], unread: [] }),
    changeTo: () => assert.fail("no text is checked"),
    reload: Effect.fail(new ConfigError({ issues: [] }))
  })
  const others = Layer.mergeAll(live, Layer.mock(ClientFiles, {}), Layer.mock(ServerRegistry, {}))
  const content = ContentSanitizer.layer.pipe(Layer.provideMerge(Redactor.layer))
  const context = yield* Layer.build(ConfigEditorLayer.layer.pipe(Layer.provide([others, content])))
  return { editor: yield* Effect.provide(ConfigEditor, context), text: () => readFileSync(path, "utf8") }
})

describe("the editor of the configuration", () => {
  it.effect("saves a file with a byte order mark, and leaves the mark", () =>
    Effect.gen(function* () {
      const { editor, text } = yield* editing("\ufeff{}")
      const file = yield* editor.file
      assert.strictEqual(file.text, "{}")
      const { hash } = yield* editor.save("{ }", file.hash)
      assert.strictEqual(text(), "\ufeff{ }")
      assert.strictEqual((yield* editor.file).hash, hash)
      assert.strictEqual((yield* Effect.flip(editor.save("{}", file.hash))).reason, "changed")
    }).pipe(Effect.scoped)
  )

  it.effect("gives nothing of a file that does not parse, and says why", () =>
    Effect.gen(function* () {
      const { editor } = yield* editing('{ servers: { a: { command: "x", args: ["--token", "tok_1234567890abcdef"] }')
      const { locked, masked, text } = yield* editor.file
      assert.deepStrictEqual([text, masked], ["", 0])
      assert.include(locked, "not valid JSON5")
    }).pipe(Effect.scoped)
  )
})
