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

describe("a random word that is kept in a file", () => {
  it("is made once and found again", async () => {
    const first = await keptOnce(word)
    assert.match(first!, /^[0-9a-f]{32}$/)
    assert.strictEqual(await keptOnce(word), first)
    assert.notStrictEqual(await keptOnce({ ...word, path: `${word.path}2` }), first)
  })

  it("is the same for all callers that make it at once, and leaves no other file", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => keptOnce(word)))
    assert.strictEqual(new Set(all).size, 1)
    assert.deepStrictEqual(readdirSync(join(directory, "folder")), ["word"])
  })

  it("has permissions for this user only, as its directory has", async () => {
    await keptOnce(word)
    assert.strictEqual(statSync(word.path).mode & 0o777, 0o600)
    assert.strictEqual(statSync(join(directory, "folder")).mode & 0o777, 0o700)
  })

  it("may be longer than a generated one when a person wrote it", async () => {
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

  it("is not read through a symbolic link", async () => {
    mkdirSync(join(directory, "folder"))
    writeFileSync(join(directory, "other"), makeWord(word), { mode: 0o600 })
    symlinkSync(join(directory, "other"), word.path)
    const found = await keptOnce(word).then(
      () => "found",
      () => "refused"
    )
    assert.strictEqual(found, "refused")
  })

  it("fails where its directory cannot be made", async () => {
    writeFileSync(join(directory, "folder"), "")
    const kept = await keptOnce(word).then(
      () => "kept",
      () => "refused"
    )
    assert.strictEqual(kept, "refused")
  })
})
