import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as AuditTrailLayer from "../../../src/layers/call/AuditTrail.ts"
import { AUDIT_CURRENT } from "../../../src/schemas/call/AuditFiles.ts"
import type { AuditRecord } from "../../../src/schemas/call/AuditRecord.ts"
import { AUDIT_READ_BYTES } from "../../../src/schemas/defaults/Audit.ts"
import { AuditTrail } from "../../../src/services/call/AuditTrail.ts"
import { asLines, auditCall, auditDefinition, oneOfEach } from "../../support/auditRecords.ts"
import { inFolder } from "../../support/folder.ts"

const ROTATED = "audit-2026-01-01T00-00-00.000Z-00000000.jsonl"

/** What a reader finds each time that it looks: a tool for a call, `damaged` for what is no record. */
const scene = (since?: number) =>
  Effect.gen(function* () {
    const home = yield* inFolder
    const directory = join(home, "audit")
    mkdirSync(directory)
    const trail = yield* Effect.provide(AuditTrail, AuditTrailLayer.layer({ directory: home }))
    assert.strictEqual(trail.directory, directory)
    const lines = yield* trail.read(since)
    const wordOf = (record: AuditRecord | undefined) =>
      record === undefined ? "damaged" : record.kind === "call" ? record.tool : record.kind
    const look = Stream.runCollect(lines).pipe(
      Effect.map((pieces) => pieces.flat().map(({ record }) => wordOf(record)))
    )
    return { directory, current: join(directory, AUDIT_CURRENT), rotated: join(directory, ROTATED), look }
  })

const call = (tool: string) => asLines([auditCall(0, { tool })])

describe("AuditTrail", () => {
  it.live("gives no lines when there are no files or no directory", () =>
    Effect.gen(function* () {
      const { directory, look } = yield* scene()
      assert.deepStrictEqual(yield* look, [])
      rmSync(directory, { recursive: true })
      assert.deepStrictEqual(yield* look, [])
    }).pipe(Effect.scoped)
  )

  it.live("reads records of every kind, the oldest file first, and ignores files with other names", () =>
    Effect.gen(function* () {
      const { current, directory, look, rotated } = yield* scene()
      writeFileSync(current, call("c"))
      writeFileSync(rotated, call("a") + call("b"))
      writeFileSync(join(directory, "other.jsonl"), call("x"))
      assert.deepStrictEqual(yield* look, ["a", "b", "c"])
      appendFileSync(current, asLines(oneOfEach(0)))
      assert.deepStrictEqual(yield* look, ["read_file", "finding", "definition", "approval", "dropped"])
    }).pipe(Effect.scoped)
  )

  it.live("refuses to follow a symbolic link, and names the file and the remedy", () =>
    Effect.gen(function* () {
      const { current, directory, look } = yield* scene()
      writeFileSync(join(directory, "elsewhere"), call("a"))
      symlinkSync(join(directory, "elsewhere"), current)
      assert.strictEqual(
        (yield* Effect.flip(look)).message,
        `The audit log in ${directory} cannot be read: audit.jsonl is a link, and links are not followed; put the file itself in its place, or remove the link`
      )
      rmSync(current)
      assert.deepStrictEqual(yield* look, [])
    }).pipe(Effect.scoped)
  )

  it.live("skips empty lines, and marks damaged ones", () =>
    Effect.gen(function* () {
      const { current, look } = yield* scene()
      writeFileSync(current, `${call("a")}\n\r\n{"torn\n${call("b")}\u0000\u0001\n${call("c")}`)
      assert.deepStrictEqual(yield* look, ["a", "damaged", "b", "damaged", "c"])
    }).pipe(Effect.scoped)
  )

  it.live("reports an incomplete line as damaged, and reads it once it is complete", () =>
    Effect.gen(function* () {
      const { current, look } = yield* scene()
      const line = call("b")
      writeFileSync(current, call("a") + line.slice(0, 50))
      assert.deepStrictEqual(yield* look, ["a", "damaged"])
      assert.deepStrictEqual(yield* look, [])
      appendFileSync(current, line.slice(50))
      assert.deepStrictEqual(yield* look, ["b"])
      appendFileSync(current, call("c").trim())
      assert.deepStrictEqual(yield* look, ["c"])
      appendFileSync(current, `\n${call("d")}`)
      assert.deepStrictEqual(yield* look, ["d"])
    }).pipe(Effect.scoped)
  )

  it.live("reports a line over the size limit as one damaged line", () =>
    Effect.gen(function* () {
      const { current, look } = yield* scene()
      const endless = "x".repeat(AUDIT_READ_BYTES * 3)
      writeFileSync(current, `${call("a")}${endless}\n${call("b")}`)
      assert.deepStrictEqual(yield* look, ["a", "damaged", "b"])
    }).pipe(Effect.scoped)
  )

  it.live("reads a file that is larger than one chunk", () =>
    Effect.gen(function* () {
      const { current, look } = yield* scene()
      const many = Array.from({ length: 5_000 }, (_, n) => auditCall(n, { tool: `ü${n}` }))
      writeFileSync(current, asLines(many))
      assert.deepStrictEqual(
        yield* look,
        many.map(({ tool }) => tool)
      )
    }).pipe(Effect.scoped)
  )

  it.live("continues with new lines after the file is rotated, removed or truncated", () =>
    Effect.gen(function* () {
      const { current, look, rotated } = yield* scene()
      writeFileSync(current, call("a"))
      assert.deepStrictEqual(yield* look, ["a"])
      assert.deepStrictEqual(yield* look, [])
      appendFileSync(current, call("b"))
      renameSync(current, rotated)
      appendFileSync(rotated, call("c"))
      writeFileSync(current, call("d"))
      assert.deepStrictEqual(yield* look, ["b", "c", "d"])
      rmSync(rotated)
      rmSync(current)
      writeFileSync(current, call("e"))
      assert.deepStrictEqual(yield* look, ["e"])
      truncateSync(current)
      assert.deepStrictEqual(yield* look, [])
      appendFileSync(current, call("f"))
      assert.deepStrictEqual(yield* look, ["f"])
    }).pipe(Effect.scoped)
  )

  it.live("skips files that are older than the requested time", () =>
    Effect.gen(function* () {
      const { current, look, rotated } = yield* scene(Date.UTC(2026, 5))
      writeFileSync(rotated, asLines([auditDefinition(0)]))
      utimesSync(rotated, new Date(Date.UTC(2026, 4)), new Date(Date.UTC(2026, 4)))
      writeFileSync(current, call("a"))
      assert.deepStrictEqual(yield* look, ["a"])
    }).pipe(Effect.scoped)
  )

  it.live("fails with the file system's error code when the directory cannot be read", () =>
    Effect.gen(function* () {
      const { directory, look } = yield* scene()
      rmSync(directory, { recursive: true })
      writeFileSync(directory, "")
      const error = yield* Effect.flip(look)
      assert.strictEqual(error.message, `The audit log in ${directory} cannot be read: the file system says ENOTDIR`)
    }).pipe(Effect.scoped)
  )
})
