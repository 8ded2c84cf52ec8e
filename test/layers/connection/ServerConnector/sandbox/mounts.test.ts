import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import {
  pathProblem,
  viewArguments,
  type View
} from "../../../../../src/layers/connection/ServerConnector/sandbox/mounts.ts"
import { reveal } from "../../../../../src/system/process/paths.ts"
import { SANDBOX_TMP_MAX_BYTES } from "../../../../../src/schemas/defaults/Processes.ts"

let root = ""
const at = (...names: ReadonlyArray<string>) => join(root, ...names)

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mcp-live-mounts-")))
  for (const name of ["own/deep", "other", "home"]) mkdirSync(at(name), { recursive: true })
  writeFileSync(at("other", "file"), "")
  symlinkSync("other", at("link"))
  symlinkSync("../other", at("own", "link"))
  symlinkSync("nowhere", at("broken"))
  symlinkSync("loop-b", at("loop-a"))
  symlinkSync("loop-a", at("loop-b"))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const view = (given: Partial<View>) =>
  viewArguments({ shown: [], home: undefined, network: false, canLimit: true, ...given })

/** The options that name a path below our own directory, with what stands before it. */
const ours = (args: ReadonlyArray<string>) =>
  args.flatMap((argument, index) =>
    argument.startsWith(root) && args[index - 1]?.startsWith("--") !== true ? [`${args[index - 2]} ${argument}`] : []
  )

describe.skipIf(process.platform !== "linux")("the mounts of a sandbox", () => {
  it("contain a path, and the symbolic links that lead to it", () => {
    const args = view({ shown: [{ path: at("link", "file"), access: "read" }] })
    assert.deepStrictEqual(ours(args), [`--symlink ${at("link")}`, `--ro-bind ${at("other", "file")}`])
  })

  it("leave out a path inside of another one, unless it is writable", () => {
    const outer = { path: at("own"), access: "read" } as const
    assert.deepStrictEqual(ours(view({ shown: [outer, { path: at("own", "deep"), access: "read" }] })), [
      `--ro-bind ${at("own")}`
    ])
    assert.deepStrictEqual(ours(view({ shown: [outer, { path: at("own", "deep"), access: "write" }] })), [
      `--ro-bind ${at("own")}`,
      `--bind ${at("own", "deep")}`
    ])
    assert.deepStrictEqual(ours(view({ shown: [outer, { ...outer, access: "write" }] })), [`--bind ${at("own")}`])
  })

  it("do not follow symbolic links in writable directories", () => {
    const shown = [
      { path: at("own"), access: "write" },
      { path: at("own", "link", "file"), access: "read" },
      { path: at("own", "deep"), access: "read" }
    ] as const
    assert.deepStrictEqual(ours(view({ shown })), [`--bind ${at("own")}`])
    assert.include(pathProblem(at("own", "link"), [at("own")])!, at("other"))
    assert.isUndefined(pathProblem(at("own", "link"), []))
  })

  it("replace the home directory by an empty one, unless it is shown", () => {
    const home = at("home")
    const empty = (given: Partial<View>) =>
      view({ home, ...given })
        .join(" ")
        .includes(`--tmpfs ${home}`)
    assert.isTrue(empty({}))
    assert.isTrue(empty({ shown: [{ path: "/", access: "read" }] }))
    assert.isFalse(empty({ shown: [{ path: home, access: "read" }] }))
    assert.isFalse(empty({ shown: [{ path: root, access: "read" }] }))
    assert.isFalse(empty({ home: "/" }))
    const args = view({ home: root, shown: [{ path: at("other"), access: "read" }] })
    assert.isBelow(args.lastIndexOf(root), args.indexOf(at("other")))
  })

  it("limit the size of temporary file systems when bubblewrap can", () => {
    const args = view({ home: at("home") })
    const places = args.flatMap((argument, index) => (argument === "--tmpfs" ? [index] : []))
    assert.lengthOf(places, 3)
    for (const index of places)
      assert.deepStrictEqual(args.slice(index - 2, index), ["--size", String(SANDBOX_TMP_MAX_BYTES)])
    assert.notInclude(view({ canLimit: false }), "--size")
  })

  it("contain resolver files only with network, and no files for root only", () => {
    assert.notInclude(view({}), "/etc/resolv.conf")
    for (const path of ["/etc", "/etc/shadow", "/etc/ssl", "/root", "/home", "/var", "/run", "/sys", "/proc/sys"]) {
      assert.isFalse(
        view({ network: true }).some((argument, index, all) => argument === path && all[index - 1] === path),
        path
      )
    }
  })

  it("report a path that is missing, a broken link or a link loop", () => {
    for (const name of ["missing", "broken", "loop-a"]) {
      assert.isUndefined(reveal(at(name)))
      assert.include(pathProblem(at(name), [])!, "does not exist")
    }
    assert.include(pathProblem("relative", [])!, "absolute")
    for (const path of ["/proc/self", "/dev/null", "/dev"]) assert.include(pathProblem(path, [])!, "of its own")
  })
})
