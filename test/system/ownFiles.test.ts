import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
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
import { codeOf, fileSystemSays, makeDirectory, readOwn, removeFile, replaceFile } from "../../src/system/ownFiles.ts"

const inFolder = async (body: (directory: string) => void | Promise<void>) => {
  const directory = mkdtempSync(join(tmpdir(), "mcp-live-own-"))
  try {
    await body(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const permissions = (path: string) => statSync(path).mode & 0o777

/** What a script says on its own: it can be ended when it does not come back. */
const said = (script: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    timeout: 20_000,
    stdio: ["ignore", "pipe", "ignore"]
  }).trim()

const moduleOf = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

const rejectsWith = async (work: Promise<unknown>, words: string) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason
  )
  assert.include(String(error), words)
}

describe("a directory for this user alone", () => {
  it("is made with all that leads to it, and may be there already", () =>
    inFolder((directory) => {
      for (let time = 0; time < 2; time++) makeDirectory(join(directory, "a", "b", "c"))
      for (const path of [["a"], ["a", "b"], ["a", "b", "c"]]) {
        assert.strictEqual(permissions(join(directory, ...path)), 0o700)
      }
    }))

  it("leaves the rights of what is there", () =>
    inFolder((directory) => {
      mkdirSync(join(directory, "a"))
      chmodSync(join(directory, "a"), 0o755)
      makeDirectory(join(directory, "a", "b"))
      assert.strictEqual(permissions(join(directory, "a")), 0o755)
    }))

  it("cannot be made where a file is, nor below one, nor through a link that leads nowhere", () =>
    inFolder((directory) => {
      writeFileSync(join(directory, "file"), "")
      symlinkSync(join(directory, "nowhere"), join(directory, "link"))
      assert.throws(() => makeDirectory(join(directory, "file")))
      assert.throws(() => makeDirectory(join(directory, "file", "below")))
      assert.throws(() => makeDirectory(join(directory, "link")))
      assert.isFalse(existsSync(join(directory, "nowhere")))
    }))

  it.runIf(existsSync("/proc/self"))("is refused at once where no directory can be made and none is missing", () => {
    const script = `import { codeOf, makeDirectory } from ${moduleOf("system/ownFiles.ts")}
      try { makeDirectory("/proc/x/y") } catch (error) { console.log(codeOf(error)) }`
    assert.strictEqual(said(script), "ENOENT")
  })

  const SERVER = `{ server: "s", url: "https://s.example/", resource: "https://s.example/" }`
  const APPROVAL = `{ agent: "a", server: "s", launch: "l", tool: "t", definition: "d", approvedAt: 1 }`

  for (const [what, from, work] of [
    ["the audit log", "layers/AuditLog/files.ts", `its.makeAuditFiles(at, { maxBytes: 9, maxFiles: 2 }).append(["x"])`],
    ["approvals", "layers/Approvals/files.ts", `its.save(at, ${APPROVAL})`],
    ["pins", "layers/DefinitionLedger/files.ts", `(async () => its.makeDirectory(at))()`],
    ["credentials", "layers/TokenStore/files.ts", `its.makeDirectory(at, ${SERVER})`],
    ["results", "layers/ResultStore/files.ts", `its.makeRunFiles(at).write("x", ["x"])`]
  ] as const) {
    it.runIf(existsSync("/proc/self"))(`is not waited for where ${what} would go and cannot`, () => {
      const script = `import * as its from ${moduleOf(from)}
        const at = "/proc/x"
        const held = setInterval(() => {}, 1000)
        await ${work}.then(() => console.log("made"), (error) => console.log(error.code))
        clearInterval(held)`
      assert.strictEqual(said(script), "ENOENT")
    })
  }

  it.runIf(existsSync("/proc/self"))(
    "is not waited for where a sandbox would cover it, and is nothing to be covered",
    () => {
      const script = `import { toBeCovered } from ${moduleOf("layers/ServerConnector/sandbox/guarded.ts")}
      console.log(JSON.stringify(toBeCovered([{ path: "/proc", access: "read" }], { files: [], directories: ["/proc/x"] })))`
      assert.strictEqual(said(script), "[]")
    }
  )
})

describe("a file for this user alone", () => {
  it("is replaced as a whole, and nothing else is left beside it", () =>
    inFolder(async (directory) => {
      const path = join(directory, "file")
      await replaceFile(path, "one")
      const first = statSync(path).ino
      chmodSync(path, 0o644)
      await replaceFile(path, "two")
      assert.notStrictEqual(statSync(path).ino, first)
      assert.strictEqual(permissions(path), 0o600)
      assert.strictEqual(readFileSync(path, "utf8"), "two")
      assert.deepStrictEqual(readdirSync(directory), ["file"])
    }))

  it("stays as it is when it cannot be replaced, and the new one goes", () =>
    inFolder(async (directory) => {
      const path = join(directory, "file")
      mkdirSync(path)
      writeFileSync(join(path, "inside"), "")
      await rejectsWith(replaceFile(path, "new"), "E")
      assert.deepStrictEqual(readdirSync(directory), ["file"])
      assert.deepStrictEqual(readdirSync(path), ["inside"])
    }))

  it("is removed, also when it is not there", () =>
    inFolder(async (directory) => {
      const path = join(directory, "file")
      writeFileSync(path, "")
      await removeFile(path)
      await removeFile(path)
      assert.isFalse(existsSync(path))
    }))

  it("is read with the time when it was written; where there is none, there is nothing", () =>
    inFolder(async (directory) => {
      const path = join(directory, "file")
      assert.isUndefined(await readOwn(path, 10))
      writeFileSync(path, "text", { mode: 0o600 })
      assert.deepStrictEqual(await readOwn(path, 4), { text: "text", mtimeMs: statSync(path).mtimeMs })
    }))

  it("is not read when it is larger than it may be", () =>
    inFolder(async (directory) => {
      writeFileSync(join(directory, "file"), "text", { mode: 0o600 })
      await rejectsWith(readOwn(join(directory, "file"), 3), "too large")
    }))

  for (const [what, words, make] of [
    ["a link", "no file", (path: string) => symlinkSync("/etc/hosts", path)],
    ["a folder", "no file", (path: string) => mkdirSync(path)],
    ["a pipe that nobody writes to", "no file", (path: string) => void spawnSync("mkfifo", [path])],
    ["what others can write", "by others", (path: string) => (writeFileSync(path, "x"), chmodSync(path, 0o666))]
  ] as const) {
    it.skipIf(process.platform === "win32")(`is not read from ${what}`, () =>
      inFolder(async (directory) => {
        make(join(directory, "it"))
        await rejectsWith(readOwn(join(directory, "it"), 1_000_000), words)
      })
    )
  }
})

describe("what the file system says", () => {
  it("is said by its code, without the path", () => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/home/me/x'"), { code: "EACCES" })
    assert.strictEqual(codeOf(error), "EACCES")
    assert.strictEqual(fileSystemSays(error), "the file system says EACCES")
    assert.strictEqual(fileSystemSays(new Error("/home/me/x")), "the file system says an unknown error")
    assert.isUndefined(codeOf({ code: "EACCES" }))
  })
})
