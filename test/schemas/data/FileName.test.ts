import { assert, describe, it } from "@effect/vitest"
import { FILE_NAME_MAX_BYTES } from "../../../src/schemas/defaults/Orders.ts"
import { safeFileName, uniqueFileName } from "../../../src/schemas/data/FileName.ts"

const safe = (name: string | undefined) => safeFileName(name, "otherwise.bin")

describe("safe file names", () => {
  it("are the same as harmless names", () => {
    for (const name of ["report.pdf", "Über die Lage (2).tar.gz", "日本語.txt", "a b-c_d.1.json", "🦞.png"]) {
      assert.strictEqual(safe(name), name)
    }
  })

  it.each([
    ["../../etc/passwd", "passwd"],
    ["..\\..\\windows\\win.ini", "win.ini"],
    ["C:\\a.txt", "a.txt"],
    ["a.txt:stream", "a.txt_stream"],
    ["/", "otherwise.bin"],
    ["..", "otherwise.bin"],
    ["", "otherwise.bin"],
    [".bashrc", "bashrc"],
    ["-rf", "rf"],
    ["~root", "root"],
    ["a.txt. .", "a.txt"],
    ['<>:"|?*', "_______"],
    ["a\u0000b\nc\r\u001b[31md", "abc[31md"],
    ["photo\u202egnp.exe", "photognp.exe"],
    ["a\u200b\u2066b\u2069\ufeff\u00ad.txt", "ab.txt"],
    ["a\u{e0041}b\ufe0f\u3164\u2028c", "abc"],
    ["\ud800a.txt", "a.txt"],
    ["a\u00a0\u2003b", "a b"],
    ["CON", "_CON"],
    ["nul.txt", "_nul.txt"],
    ["Com1.tar.gz", "_Com1.tar.gz"],
    ["LPT9 .x", "_LPT9 .x"],
    ["com¹", "_com¹"],
    ["console.txt", "console.txt"],
    ["e\u0301.txt", "é.txt"]
  ])("%j becomes %j", (given, expected) => {
    assert.strictEqual(safe(given), expected)
  })

  it("are the default without a name", () => {
    assert.strictEqual(safe(undefined), "otherwise.bin")
  })

  it("are cut by bytes between characters, and keep the extension", () => {
    const name = safe(`${"🦞".repeat(5_000)}.tar.gz`)
    assert.isAtMost(Buffer.byteLength(name), FILE_NAME_MAX_BYTES)
    assert.isAtLeast(Buffer.byteLength(name), FILE_NAME_MAX_BYTES - 4)
    assert.isTrue(name.endsWith("🦞.tar.gz"))
    assert.isTrue(name.isWellFormed())
    assert.strictEqual(Buffer.byteLength(safe("x".repeat(FILE_NAME_MAX_BYTES + 1))), FILE_NAME_MAX_BYTES)
    assert.strictEqual(safe("x".repeat(FILE_NAME_MAX_BYTES)), "x".repeat(FILE_NAME_MAX_BYTES))
  })

  it("are the same when made safe twice", () => {
    for (const name of ["../CON", " .a", "-.-x.", "a/\u202e b.", `${"é".repeat(300)}.txt`, "~.nul"]) {
      assert.strictEqual(safe(safe(name)), safe(name))
    }
  })

  it("are unique, also without case", () => {
    const taken = new Set<string>()
    const unique = (name: string) => uniqueFileName(name, taken)
    assert.deepStrictEqual(["a.txt", "A.TXT", "a.txt", "a (2).txt", "b.tar.gz", "b.tar.gz", "c"].map(unique), [
      "a.txt",
      "A (2).TXT",
      "a (3).txt",
      "a (2) (2).txt",
      "b.tar.gz",
      "b (2).tar.gz",
      "c"
    ])
  })
})
