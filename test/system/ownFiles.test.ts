import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
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
import * as Effect from "effect/Effect"
import { makeFiles as makeConversations } from "../../src/layers/agent/AgentGateway/conversationFiles.ts"
import { operatorDevice } from "../../src/layers/agent/GatewayLink/device.ts"
import { save } from "../../src/layers/call/Approvals/approvalFiles.ts"
import { lineFileNames } from "../../src/schemas/data/LineFiles.ts"
import { makeLineFiles } from "../../src/system/lineFiles.ts"
import { makeDirectory as makePinsDirectory } from "../../src/layers/call/DefinitionLedger/pinFiles.ts"
import { makeRunFiles } from "../../src/layers/call/ResultStore/runFiles.ts"
import { makeDirectory as makeCredentialsDirectory } from "../../src/layers/login/TokenStore/credentialFiles.ts"
import {
  closeToWriters,
  codeOf,
  fileSystemSays,
  makeDirectory,
  makeOwnDirectory,
  readOwn as readOwnSlowly,
  readOwnSync,
  removeFile,
  replaceFile
} from "../../src/system/ownFiles.ts"

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

const REMEMBERED = { agent: "a", server: "s", launch: "l", tool: "t", definition: "d", approvedAt: 1 }

const rejectsWith = async (work: Promise<unknown>, words: string) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason
  )
  assert.include(String(error), words)
}

describe("a directory for this user only", () => {
  it("is made with its parents, and may exist already", () =>
    inFolder((directory) => {
      for (let time = 0; time < 2; time++) makeDirectory(join(directory, "a", "b", "c"))
      for (const path of [["a"], ["a", "b"], ["a", "b", "c"]]) {
        assert.strictEqual(permissions(join(directory, ...path)), 0o700)
      }
    }))

  it("keeps the permissions of a parent that exists", () =>
    inFolder((directory) => {
      mkdirSync(join(directory, "a"))
      chmodSync(join(directory, "a"), 0o755)
      makeDirectory(join(directory, "a", "b"))
      assert.strictEqual(permissions(join(directory, "a")), 0o755)
    }))

  it("is not made in place of a file, below a file or through a dangling link", () =>
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

  const STORES = [
    [
      "the audit log",
      "audit",
      (at: string) =>
        makeLineFiles(join(at, "audit"), lineFileNames("audit"), { maxBytes: 9, maxFiles: 2 }).append(["x"])
    ],
    ["approvals", "approvals", (at: string) => save(at, REMEMBERED)],
    ["pins", "pins", async (at: string) => makePinsDirectory(at)],
    ["credentials", "credentials", (at: string) => makeCredentialsDirectory(at)],
    ["the keys for an OpenClaw gateway", "gateway", (at: string) => Effect.runPromise(operatorDevice(at))],
    ["results", "results", (at: string) => makeRunFiles(at).write("x", "x")]
  ] as const

  for (const [what, name, work] of STORES) {
    it.skipIf(process.platform === "win32")(`for ${what} is closed to others, also when it was open before`, () =>
      inFolder(async (directory) => {
        // The data directory may lie elsewhere.
        const data = join(directory, "data")
        mkdirSync(join(directory, "disk"))
        symlinkSync(join(directory, "disk"), data)
        mkdirSync(join(data, name))
        chmodSync(join(data, name), 0o777)
        await work(data)
        assert.strictEqual(permissions(join(data, name)), 0o700)
      })
    )

    it.skipIf(process.platform === "win32")(`for ${what} is not made through a link`, () =>
      inFolder(async (directory) => {
        mkdirSync(join(directory, "elsewhere"))
        symlinkSync(join(directory, "elsewhere"), join(directory, name))
        await rejectsWith(work(directory), "a link")
        assert.deepStrictEqual(readdirSync(join(directory, "elsewhere")), [])
      })
    )

    it.skipIf(process.getuid?.() !== 0)(`is not one of another user where ${what} would go`, () =>
      inFolder(async (directory) => {
        mkdirSync(join(directory, name))
        chownSync(join(directory, name), 65_534, 65_534)
        await rejectsWith(work(directory), "another user")
        assert.deepStrictEqual(readdirSync(join(directory, name)), [])
      })
    )
  }

  it("is not made in place of a file", () =>
    inFolder((directory) => {
      writeFileSync(join(directory, "file"), "")
      assert.throws(() => makeOwnDirectory(join(directory, "file")))
    }))

  const SERVER = `{ server: "s", url: "https://s.example/", resource: "https://s.example/" }`
  const APPROVAL = `{ agent: "a", server: "s", launch: "l", tool: "t", definition: "d", approvedAt: 1 }`

  for (const [what, from, work] of [
    [
      "the audit log",
      "system/lineFiles.ts",
      `its.makeLineFiles(at, { current: "audit.jsonl" }, { maxBytes: 9, maxFiles: 2 }).append(["x"])`
    ],
    ["approvals", "layers/call/Approvals/approvalFiles.ts", `its.save(at, ${APPROVAL})`],
    ["pins", "layers/call/DefinitionLedger/pinFiles.ts", `(async () => its.makeDirectory(at))()`],
    ["credentials", "layers/login/TokenStore/credentialFiles.ts", `its.makeDirectory(at, ${SERVER})`],
    ["results", "layers/call/ResultStore/runFiles.ts", `its.makeRunFiles(at).write("x", "x")`]
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
      const script = `import { toBeCovered } from ${moduleOf("layers/connection/ServerConnector/sandbox/guarded.ts")}
      console.log(JSON.stringify(toBeCovered([{ path: "/proc", access: "read" }], { files: [], directories: ["/proc/x"] })))`
      assert.strictEqual(said(script), "[]")
    }
  )
})

describe("a file for this user only", () => {
  it("is replaced as a whole, and no other file is left beside it", () =>
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

  it("stays as it is when it cannot be replaced, and the temporary file is removed", () =>
    inFolder(async (directory) => {
      const path = join(directory, "file")
      mkdirSync(path)
      writeFileSync(join(path, "inside"), "")
      await rejectsWith(replaceFile(path, "new"), "E")
      assert.deepStrictEqual(readdirSync(directory), ["file"])
      assert.deepStrictEqual(readdirSync(path), ["inside"])
    }))

  it("is removed, and removing it again is no error", () =>
    inFolder(async (directory) => {
      const path = join(directory, "file")
      writeFileSync(path, "")
      await removeFile(path)
      await removeFile(path)
      assert.isFalse(existsSync(path))
    }))
})

describe.skipIf(process.platform === "win32")("a directory that others may write to", () => {
  it("is closed to them before conversations are kept there", () =>
    inFolder(async (directory) => {
      mkdirSync(join(directory, "conversations"))
      chmodSync(join(directory, "conversations"), 0o777)
      await Effect.runPromise(Effect.scoped(makeConversations(directory, (text) => text).lock("agent:main:x")))
      assert.strictEqual(permissions(join(directory, "conversations")), 0o700)
    }))

  it("is closed to writers where it is the data directory, and stays readable", () =>
    inFolder((directory) => {
      const data = join(directory, "data")
      closeToWriters(data)
      mkdirSync(data)
      chmodSync(data, 0o777)
      closeToWriters(data)
      assert.strictEqual(permissions(data), 0o755)
      chmodSync(data, 0o755)
      closeToWriters(data)
      assert.strictEqual(permissions(data), 0o755)
    }))
})

for (const [how, readOwn] of [
  ["at once", async (path: string, maxBytes: number) => readOwnSync(path, maxBytes)],
  ["with time for others", readOwnSlowly]
] as const) {
  describe(`a file for this user only, ${how}`, () => {
    it("is read with its modification time, and is undefined when it does not exist", () =>
      inFolder(async (directory) => {
        const path = join(directory, "file")
        assert.isUndefined(await readOwn(path, 10))
        writeFileSync(path, "text", { mode: 0o600 })
        assert.deepStrictEqual(await readOwn(path, 4), { text: "text", mtimeMs: statSync(path).mtimeMs })
      }))

    it("is refused when it is larger than the limit", () =>
      inFolder(async (directory) => {
        writeFileSync(join(directory, "file"), "text", { mode: 0o600 })
        await rejectsWith(readOwn(join(directory, "file"), 3), "too large")
      }))

    it.runIf(existsSync(`/proc/${process.pid}/maps`))(
      "is not read any further than it may be where its size is not told",
      () => rejectsWith(readOwn(`/proc/${process.pid}/maps`, 100), "too large")
    )

    it.skipIf(process.platform === "win32")(
      "is read after its directory is closed to other writers, but not behind a link",
      () =>
        inFolder(async (directory) => {
          const folder = join(directory, "folder")
          mkdirSync(folder)
          writeFileSync(join(folder, "file"), "text", { mode: 0o600 })
          chmodSync(folder, 0o777)
          assert.deepInclude(await readOwn(join(folder, "file"), 4), { text: "text" })
          assert.strictEqual(permissions(folder), 0o700)
          symlinkSync(folder, join(directory, "link"))
          await rejectsWith(readOwn(join(directory, "link", "file"), 4), "a link")
        })
    )

    it.skipIf(process.getuid?.() !== 0)("is not read where another user has the directory", () =>
      inFolder(async (directory) => {
        const folder = join(directory, "folder")
        mkdirSync(folder)
        writeFileSync(join(folder, "file"), "text", { mode: 0o600 })
        chownSync(folder, 65_534, 65_534)
        await rejectsWith(readOwn(join(folder, "file"), 4), "another user")
      })
    )

    it("is read whole in several pieces", () =>
      inFolder(async (directory) => {
        const text = "\u00e9\u4e00\u{1f600}".repeat(10_000)
        writeFileSync(join(directory, "file"), text, { mode: 0o600 })
        assert.deepInclude(await readOwn(join(directory, "file"), 90_000), { text })
      }))

    for (const [what, words, make] of [
      ["a link", "not a file", (path: string) => symlinkSync("/etc/hosts", path)],
      ["a folder", "not a file", (path: string) => mkdirSync(path)],
      ["a pipe that nobody writes to", "not a file", (path: string) => void spawnSync("mkfifo", [path])],
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
}

describe("an error of the file system", () => {
  it("is told by its code, without the path", () => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/home/me/x'"), { code: "EACCES" })
    assert.strictEqual(codeOf(error), "EACCES")
    assert.strictEqual(fileSystemSays(error), "the file system says EACCES")
    assert.strictEqual(fileSystemSays(new Error("/home/me/x")), "the file system says an unknown error")
    assert.isUndefined(codeOf({ code: "EACCES" }))
  })
})
