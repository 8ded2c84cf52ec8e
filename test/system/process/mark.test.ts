import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeMark, makeWithMark, namesPlace, namesStart, parseMark } from "../../../src/system/process/mark.ts"
import { findProgram } from "../../../src/system/process/paths.ts"
import { makeRun, type Owner } from "../../../src/system/process/tag.ts"

const owner: Owner = { run: makeRun(), pid: 4_194_303, started: 987_654_321, place: "4026531836.4026531834" }

const withMark = makeWithMark()

const shown = (soft: string, hard: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max address space         unlimited            unlimited            bytes     
Max file locks            ${soft.padEnd(20)} ${hard.padEnd(20)} locks     
Max pending signals       15521                15521                signals   
`

describe("marks", () => {
  it("tell the owner, and the connections of one owner apart", () => {
    const mark = makeMark(owner)
    const [soft = "", hard = ""] = mark.text.split(":")
    assert.isTrue(BigInt(soft) < BigInt(hard), "the system takes no other")
    assert.deepStrictEqual(parseMark(shown(soft, hard)), mark)
    assert.strictEqual(mark.pid, owner.pid)
    assert.isTrue(namesStart(mark, owner.started) && namesPlace(mark, owner.place))
    assert.isFalse(namesStart(mark, owner.started + 1) || namesPlace(mark, "1.1"))
    assert.notStrictEqual(makeMark(owner).text, mark.text)
  })

  it("are not read from limits that others have set", () => {
    for (const [soft, hard] of [
      ["unlimited", "unlimited"],
      ["0", "0"],
      ["1024", "65536"],
      ["9223372036854775807", "9223372036854775807"]
    ] as const) {
      assert.isUndefined(parseMark(shown(soft, hard)))
    }
    assert.isUndefined(parseMark(""))
  })

  it.skipIf(findProgram("prlimit", "/usr/bin:/bin", "/") === undefined)(
    "are there before the first instruction of a process",
    () => {
      const mark = makeMark(owner)
      const env = { PATH: "/usr/bin:/bin" }
      const { args, command } = withMark({ command: "cat", args: ["/proc/self/limits", "--", "-n"], env }, mark)
      assert.deepStrictEqual(args.slice(-4), ["cat", "/proc/self/limits", "--", "-n"])
      const shownThere = execFileSync(command, args.slice(0, -2), { env, encoding: "latin1" })
      assert.deepStrictEqual(parseMark(shownThere), mark)
    }
  )

  it("are set by a program that is looked for once, also when it is missing", () => {
    for (const there of ["/usr/bin/prlimit", null]) {
      let looks = 0
      const withMark = makeWithMark(() => {
        looks++
        return there
      })
      const what = { command: "cat", args: [], env: { PATH: "/usr/bin:/bin" } }
      for (const { command } of [withMark(what, makeMark(owner)), withMark(what, makeMark(owner))]) {
        assert.strictEqual(command, there ?? "cat")
      }
      assert.strictEqual(looks, 1)
    }
  })

  it.skipIf(findProgram("prlimit", "/usr/bin:/bin", "/") === undefined)(
    "leave alone what has libraries of its own, with which the program that sets them may not start",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
      try {
        writeFileSync(join(folder, "libsmartcols.so.1"), "none")
        const env = { PATH: "/usr/bin:/bin", LD_LIBRARY_PATH: folder }
        const { args, command } = withMark({ command: "echo", args: ["started"], env }, makeMark(owner))
        assert.strictEqual(execFileSync(command, args, { env, encoding: "utf8" }), "started\n")
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  )

  it("are not set on a command that the system could not start", () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
    const file = (name: string, text: string, mode: number) => {
      const path = join(folder, name)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }
    try {
      for (const command of [
        "mcp-live-has-no-such-program",
        folder,
        "",
        file("unreadable", "#!/bin/sh\n", 0o644),
        file("orphan", "#!/nowhere/at/all\n", 0o755)
      ]) {
        const what = { command, args: [], env: { PATH: "/usr/bin:/bin" }, cwd: undefined }
        assert.strictEqual(withMark(what, makeMark(owner)), what, command)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
