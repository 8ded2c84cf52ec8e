import { assert, describe, it } from "@effect/vitest"
import { makeEntryNames, modeOf, permissionsOf } from "../../../../src/schemas/config/bundle/EntryNames.ts"

const problem = (name: string, mode = 0o100644) => makeEntryNames().problem(name, mode)

describe("the name of an entry", () => {
  it("may be any file or folder below", () => {
    const names = makeEntryNames()
    for (const name of [
      "manifest.json",
      "server/",
      "server/index.js",
      "a/.bin/x",
      "node_modules/@a/b/c.d.ts",
      "ä/ö",
      "...x"
    ]) {
      assert.isUndefined(names.problem(name, name.endsWith("/") ? 0o040755 : 0o100644), name)
    }
    assert.isUndefined(names.problem("without-a-mode", 0))
  })

  it("does not lead out of its folder", () => {
    for (const name of ["../x", "a/../../x", "a/..", "..", ".", "./x", "a/./b"]) {
      assert.strictEqual(problem(name), "leads out of its folder", name)
    }
    for (const name of ["/etc/passwd", "C:/x", "c:x", "a\\b", "\\\\host\\x"])
      assert.include(problem(name) ?? "", "absolute name", name)
    assert.strictEqual(problem("a//b"), "has an empty part in its name")
  })

  it("is a file or a folder, and no link or device", () => {
    assert.strictEqual(problem("x", 0o120777), "is a link")
    for (const mode of [0o010644, 0o020644, 0o060644, 0o140644, 0o040755]) {
      assert.strictEqual(problem("x", mode), "is neither a file nor a folder")
    }
    assert.strictEqual(problem("x/", 0o100644), "is neither a file nor a folder")
    for (const name of ["con", "NUL.txt", "a/com1", "LPT9.js"])
      assert.strictEqual(problem(name), "has the name of a device", name)
  })

  it("means the same on every system", () => {
    for (const name of ["ab:c", 'a"b', "a?b", "a*b"])
      assert.include(problem(name) ?? "", "not every system allows", name)
    for (const name of ["a.", "a ", "x./y"]) assert.include(problem(name) ?? "", "Windows reads as another one", name)
    for (const name of ["a\u0000b", "a\u001b[2J", "a\u2028b"])
      assert.include(problem(name) ?? "", "control characters", name)
    assert.include(problem("x".repeat(300)) ?? "", "too long")
    assert.include(problem("a/".repeat(80).concat("x")) ?? "", "too long")
  })

  it("is not another one's in another case, and is there once", () => {
    const after = (first: string, second: string) => {
      const names = makeEntryNames()
      assert.isUndefined(names.problem(first, 0))
      return names.problem(second, 0)
    }
    assert.include(after("a/File", "a/file") ?? "", "only in upper and lower case")
    assert.include(after("Lib/x", "lib/y") ?? "", "only in upper and lower case")
    assert.include(after("\u00e4", "a\u0308") ?? "", "only in upper and lower case")
    assert.strictEqual(after("a", "a"), "is there twice")
    assert.strictEqual(after("a", "a/b"), "is a file and a folder")
    assert.strictEqual(after("a/b", "a"), "is a file and a folder")
    assert.isUndefined(after("a/", "a/b"))
  })
})

describe("the permissions of a file", () => {
  it("are for this user only, and never more than to run it", () => {
    assert.strictEqual(modeOf(0o104755 * 0x10000), 0o104755)
    assert.strictEqual(permissionsOf(0o104755), 0o700)
    assert.strictEqual(permissionsOf(0o100666), 0o600)
    assert.strictEqual(permissionsOf(0), 0o600)
  })
})
