import { assert, describe, it } from "@effect/vitest"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { keptOnce, makeWord, type Word } from "../../src/system/keptOnce.ts"

let directory = ""
let word: Word

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kept-once-"))
  word = { path: join(directory, "folder", "word"), bytes: 16, encoding: "hex" }
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe("a word that is made up once", () => {
  it("is found again, and is random", async () => {
    const first = await keptOnce(word)
    assert.match(first!, /^[0-9a-f]{32}$/)
    assert.strictEqual(await keptOnce(word), first)
    assert.notStrictEqual(await keptOnce({ ...word, path: `${word.path}2` }), first)
  })

  it("is one and the same for all that make it at once, and leaves nothing beside it", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => keptOnce(word)))
    assert.strictEqual(new Set(all).size, 1)
    assert.deepStrictEqual(readdirSync(join(directory, "folder")), ["word"])
  })

  it("is for this user alone, as is its directory", async () => {
    await keptOnce(word)
    assert.strictEqual(statSync(word.path).mode & 0o777, 0o600)
    assert.strictEqual(statSync(join(directory, "folder")).mode & 0o777, 0o700)
  })

  it("may be longer than one that is made, as one that a person has put there", async () => {
    const own = { ...word, encoding: "base64url" as const }
    mkdirSync(join(directory, "folder"))
    writeFileSync(word.path, `${"a-B_".repeat(20)}\n`, { mode: 0o600 })
    assert.strictEqual(await keptOnce(own), "a-B_".repeat(20))
  })

  it.each(["", "abc", `${"0".repeat(31)}g`, `${"0".repeat(32)} 0`, "0".repeat(2_000)])(
    "is none when something else is in its place: %j",
    async (text) => {
      mkdirSync(join(directory, "folder"))
      writeFileSync(word.path, text, { mode: 0o600 })
      assert.isUndefined(await keptOnce(word).catch(() => undefined))
      assert.strictEqual(readFileSync(word.path, "utf8"), text)
    }
  )

  it("is not looked for behind a link", async () => {
    mkdirSync(join(directory, "folder"))
    writeFileSync(join(directory, "other"), makeWord(word), { mode: 0o600 })
    symlinkSync(join(directory, "other"), word.path)
    const found = await keptOnce(word).then(
      () => "found",
      () => "refused"
    )
    assert.strictEqual(found, "refused")
  })

  it("is told to be impossible where nothing can be kept", async () => {
    writeFileSync(join(directory, "folder"), "")
    const kept = await keptOnce(word).then(
      () => "kept",
      () => "refused"
    )
    assert.strictEqual(kept, "refused")
  })
})
