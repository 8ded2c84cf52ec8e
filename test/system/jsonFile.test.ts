import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { jsonFile } from "../../src/system/jsonFile.ts"

const files = jsonFile(Schema.Struct({ version: Schema.Literal(1), names: Schema.Array(Schema.String) }), 64)

const inFolder = async (use: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const rejected = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail("it is rejected"),
    (error: unknown) => String(error)
  )

describe("a JSON file", () => {
  it("is read back as it was written, with permissions for this user only", () =>
    inFolder(async (folder) => {
      const path = join(folder, "own", "file.json")
      assert.isUndefined(await files.read(path))
      await files.replace(path, { version: 1, names: ["a"] })
      assert.deepStrictEqual(await files.read(path), { version: 1, names: ["a"] })
      assert.strictEqual(readFileSync(path, "utf8"), '{"version":1,"names":["a"]}\n')
      if (process.platform !== "win32") assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    }))

  it("reads as undefined when it is damaged or of another version", () =>
    inFolder(async (folder) => {
      const path = join(folder, "file.json")
      for (const text of ["", "{", "[]", '{"version":2,"names":[]}', '{"version":1,"names":[1]}']) {
        writeFileSync(path, text, { mode: 0o600 })
        assert.isUndefined(await files.read(path), text)
      }
    }))

  it("is not replaced when the new one would be too large to read", () =>
    inFolder(async (folder) => {
      const path = join(folder, "file.json")
      await files.replace(path, { version: 1, names: ["a"] })
      assert.include(
        await rejected(files.replace(path, { version: 1, names: ["x".repeat(64)] })),
        "the file would be too large"
      )
      assert.deepStrictEqual(await files.read(path), { version: 1, names: ["a"] })
    }))

  it.skipIf(process.platform === "win32")("is not read when others can write to it", () =>
    inFolder(async (folder) => {
      const path = join(folder, "file.json")
      await files.replace(path, { version: 1, names: [] })
      chmodSync(path, 0o666)
      assert.include(await rejected(files.read(path)), "can be written by others")
    })
  )
})
