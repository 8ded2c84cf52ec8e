import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import { AUDIT_CURRENT, rotatedAmong } from "../../src/schemas/call/AuditFiles.ts"
import { parseAuditLine, type AuditRecord } from "../../src/schemas/call/AuditRecord.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { inFixtures, serverPath } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"

// ---- several processes ---------------------------------------------------------------------------------------------

const WRITERS = ["a", "b", "c"]
const LINES = 1_500

/** Runs a writer to its end. */
const writer = (directory: string, name: string, maxBytes: number, maxFiles: number) =>
  Effect.callback<number | null>((resume) => {
    const args = [inFixtures("auditWriter.ts"), directory, name, LINES, maxBytes, maxFiles].map(String)
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] })
    child.on("close", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const together = (directory: string, maxBytes: number, maxFiles: number) =>
  Effect.forEach(WRITERS, (name) => writer(directory, name, maxBytes, maxFiles), { concurrency: "unbounded" }).pipe(
    Effect.map((codes) => assert.deepStrictEqual(codes, [0, 0, 0]))
  )

const filesOf = (directory: string) => [...rotatedAmong(readdirSync(directory)), AUDIT_CURRENT]
const linesOf = (directory: string) =>
  filesOf(directory).flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n").filter(Boolean))

interface Line {
  readonly name: string
  readonly n: number
  readonly filler: string
}

describe("several processes on one audit log", () => {
  it.live("lose and split no line while each of them rotates full files", () =>
    Effect.gen(function* () {
      const directory = join(yield* inFolder, "audit")
      const maxBytes = 20_000
      yield* together(directory, maxBytes, 10_000)
      const lines = linesOf(directory).map((line) => JSON.parse(line) as Line)
      for (const name of WRITERS) {
        const own = lines.filter((line) => line.name === name)
        assert.isTrue(
          own.every(({ filler, n }) => filler === name.repeat(n % 300)),
          "torn"
        )
        // Each is there, and once.
        assert.deepStrictEqual(
          own.map(({ n }) => n).toSorted((x, y) => x - y),
          Array.from({ length: LINES }, (_, n) => n)
        )
      }
      assert.isAbove(filesOf(directory).length, 10)
      // None was put aside by one for another that had just done so.
      for (const name of rotatedAmong(readdirSync(directory))) {
        assert.isAbove(statSync(join(directory, name)).size, maxBytes / 2)
      }
      assert.notInclude(readdirSync(directory), "rotate.lock")
    }).pipe(Effect.scoped)
  )

  it.live("keep no more files than they may, each for this user alone", () =>
    Effect.gen(function* () {
      const directory = join(yield* inFolder, "audit")
      yield* together(directory, 20_000, 3)
      assert.strictEqual(filesOf(directory).length, 3)
      for (const name of filesOf(directory)) assert.strictEqual(statSync(join(directory, name)).mode & 0o777, 0o600)
      for (const line of linesOf(directory)) JSON.parse(line)
    }).pipe(Effect.scoped)
  )
})

/** Runs a writer that may write no more than 4 KB to a file, as if the disk were full then. */
const writerOnFullDisk = (directory: string, name: string) =>
  Effect.callback<number | null>((resume) => {
    const args = [inFixtures("auditWriter.ts"), directory, name, LINES, 1_000_000, 5].map(String)
    const limited = `trap "" XFSZ; ulimit -f 8; exec "$0" "$@"`
    const child = spawn("sh", ["-c", limited, process.execPath, ...args], { stdio: "ignore" })
    child.on("close", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("a disk that is full", () => {
  it.live("costs at most part of one line: earlier lines and lines after space is freed are complete", () =>
    Effect.gen(function* () {
      const directory = join(yield* inFolder, "audit")
      assert.strictEqual(yield* writerOnFullDisk(directory, "a"), 1)
      assert.strictEqual(statSync(join(directory, AUDIT_CURRENT)).size, 4_096)
      assert.strictEqual(yield* writer(directory, "b", 1_000_000, 5), 0)
      const lines = linesOf(directory)
      const whole = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Line)
      assert.isAtMost(lines.length - whole.length, 1)
      const before = whole.filter(({ name }) => name === "a").map(({ n }) => n)
      assert.deepStrictEqual(
        before,
        before.map((_, n) => n)
      )
      assert.strictEqual(whole.length - before.length, LINES)
    }).pipe(Effect.scoped)
  )
})

// ---- the runtime ---------------------------------------------------------------------------------------------------

const SECRET = "sk-5f0e9a77c1b2d3e4"
const VALUE = "what-the-model-wrote"

const configOf = (folder: string, audit: Record<string, unknown>) => ({
  mcp: {
    audit,
    servers: {
      fs: {
        command: process.execPath,
        args: [serverPath("filesystem"), folder],
        env: { TOKEN: `secret://file${join(folder, "token")}` }
      }
    }
  },
  gateway: { tools: { deny: ["fs/move_file"] } }
})

const inRuntime = <A, E>(
  home: string,
  folder: string,
  body: Effect.Effect<A, E, McpRuntime>,
  options: { readonly audit?: Record<string, unknown>; readonly log?: Array<string> } = {}
) =>
  body.pipe(
    Effect.provide(
      McpLive({
        dataDirectory: home,
        replace: { config: ConfigSourceLayer.layerObject(configOf(folder, options.audit ?? {})) }
      }).pipe(Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void options.log?.push(String(message)))])))
    )
  )

const call = (name: string, args: Record<string, unknown>) =>
  Effect.flatMap(McpRuntime, (runtime) => Effect.andThen(runtime.ready, runtime.call(name, args)))

const scene = Effect.map(inFolder, (root) => {
  const [home, folder] = [join(root, "home"), join(root, "files")]
  mkdirSync(folder)
  writeFileSync(join(folder, "token"), SECRET)
  const directory = join(home, "audit")
  const text = () => readFileSync(join(directory, AUDIT_CURRENT), "utf8")
  const records = (): ReadonlyArray<AuditRecord> =>
    text()
      .split("\n")
      .filter(Boolean)
      .map((line) => parseAuditLine(line)!)
  return { home, folder, directory, text, records }
})

describe("calls of a real server", () => {
  it.live("are in the file when the runtime is closed, without a value that went in or out", () =>
    Effect.gen(function* () {
      const { directory, folder, home, records, text } = yield* scene
      const path = join(folder, "note.txt")
      yield* inRuntime(
        home,
        folder,
        Effect.gen(function* () {
          yield* call("mcp_fs_write_file", { path, content: VALUE, [`x-${SECRET}`]: 1 })
          yield* call("mcp_fs_write_file", { path, content: VALUE })
          yield* call("mcp_fs_read_text_file", { path })
          yield* call("mcp_fs_read_text_file", { path: join(folder, "nowhere") })
          yield* call("mcp_fs_move_file", { source: path, destination: path })
          yield* call(`mcp_fs_${SECRET}`, {})
        })
      )
      const calls = records().filter((record) => record.kind === "call")
      assert.deepStrictEqual(
        calls.slice(1, 5).map(({ agent, outcome, server, tool }) => [agent, server, tool, outcome]),
        [
          ["main", "fs", "write_file", "ok"],
          ["main", "fs", "read_text_file", "ok"],
          ["main", "fs", "read_text_file", "isError"],
          ["main", "fs", "move_file", "PolicyDenied"]
        ]
      )
      assert.strictEqual(calls[1]!.shape, `{path: string(${path.length}), content: string(${VALUE.length})}`)
      assert.isAbove(calls[2]!.resultChars, 0)
      assert.isNull(calls[5]!.server)
      for (const value of [SECRET, VALUE, "note.txt", folder]) assert.notInclude(text(), value)
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
      assert.strictEqual(statSync(join(directory, AUDIT_CURRENT)).mode & 0o777, 0o600)
    }).pipe(Effect.scoped)
  )

  it.live("create no file if the configuration switches files off", () =>
    Effect.gen(function* () {
      const { directory, folder, home } = yield* scene
      yield* inRuntime(home, folder, call("mcp_fs_list_allowed_directories", {}), { audit: { enabled: false } })
      assert.isFalse(existsSync(directory))
    }).pipe(Effect.scoped)
  )

  it.live("continue if no file can be written, with one warning", () =>
    Effect.gen(function* () {
      const { directory, folder, home } = yield* scene
      mkdirSync(join(directory, AUDIT_CURRENT), { recursive: true })
      const log: Array<string> = []
      const result = yield* inRuntime(home, folder, call("mcp_fs_list_allowed_directories", {}), { log })
      assert.isFalse(result.isError)
      const about = log.filter((line) => line.includes("audit log"))
      assert.deepStrictEqual(about, [
        `the audit log cannot be written to ${directory} (EISDIR); calls continue, and writing is tried again every 10 s`,
        "1 records of the audit log were not written"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("are not delayed if the file is a pipe without a reader", () =>
    Effect.gen(function* () {
      const { directory, folder, home } = yield* scene
      mkdirSync(directory, { recursive: true })
      execFileSync("mkfifo", [join(directory, AUDIT_CURRENT)])
      const log: Array<string> = []
      yield* inRuntime(home, folder, call("mcp_fs_list_allowed_directories", {}), { log })
      assert.match(log.find((line) => line.includes("audit log")) ?? "", /is not a file|ENXIO/)
    }).pipe(Effect.scoped)
  )
})
