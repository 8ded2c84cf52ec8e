import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { save } from "../../../../src/layers/call/Approvals/approvalFiles.ts"
import type { RememberedApproval } from "../../../../src/schemas/call/Approval.ts"
import { run as runProgram } from "../../../support/cli.ts"

const APPROVAL: RememberedApproval = {
  agent: "main",
  server: "files",
  launch: "launch",
  tool: "delete_file",
  definition: "0123456789abcdef",
  approvedAt: Date.UTC(2026, 10, 22)
}

const run = (...args: ReadonlyArray<string>) => runProgram("approvals", ...args)

/** A data directory with these approvals, for as long as the scope is open. */
const kept = (...approvals: ReadonlyArray<Partial<RememberedApproval>>) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const before = process.env["MCP_LIVE_HOME"]
        const directory = mkdtempSync(join(tmpdir(), "mcp-live-cli-"))
        process.env["MCP_LIVE_HOME"] = directory
        return { before, directory }
      }),
      ({ before, directory }) =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["MCP_LIVE_HOME"]
          else process.env["MCP_LIVE_HOME"] = before
          rmSync(directory, { recursive: true })
        })
    ).pipe(Effect.map(({ directory }) => directory))
    for (const approval of approvals) yield* Effect.promise(() => save(directory, { ...APPROVAL, ...approval }))
    return directory
  })

describe("mcp-live approvals", () => {
  it.live("list --json tells people of one name apart", () =>
    Effect.gen(function* () {
      const personId = "0".repeat(32)
      yield* kept({ personId, personName: "Ada" })
      assert.deepInclude(JSON.parse((yield* run("list", "--json")).stdout).approvals[0], { person: "Ada", personId })
    }).pipe(Effect.scoped)
  )

  it.live("list names what is approved for good, when, and which definition of it", () =>
    Effect.gen(function* () {
      yield* kept({}, { tool: "b" })
      const { code, stderr, stdout } = yield* run("list")
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(stdout.trim().split("\n"), [
        "TOOL                    APPROVED                  DEFINITION",
        "main/files/b            2026-11-22T00:00:00.000Z  0123456789ab",
        "main/files/delete_file  2026-11-22T00:00:00.000Z  0123456789ab"
      ])
      const { stdout: json } = yield* run("list", "--json")
      assert.deepStrictEqual(JSON.parse(json).approvals[0], {
        agent: "main",
        server: "files",
        tool: "b",
        definition: "0123456789abcdef",
        approvedAt: "2026-11-22T00:00:00.000Z"
      })
    })
  )

  it.live("list needs no configuration, and says when there is nothing", () =>
    Effect.gen(function* () {
      yield* kept()
      assert.strictEqual((yield* run("list")).stdout, "Nothing is approved for good.\n")
      assert.deepStrictEqual(JSON.parse((yield* run("list", "--json")).stdout), { approvals: [] })
    })
  )

  it.live("list shows no names that could be anything else", () =>
    Effect.gen(function* () {
      yield* kept({ tool: "x\u001b[2Jy\nmain/files/fake\u202e", approvedAt: 1e300 })
      const { stdout } = yield* run("list")
      assert.notMatch(stdout, /[\u001b\u202e]/)
      assert.lengthOf(stdout.trim().split("\n"), 2)
      assert.include(stdout, "unknown")
    })
  )

  it.live("forget takes one, some, or all of it back", () =>
    Effect.gen(function* () {
      yield* kept({}, { tool: "b" }, { server: "git" }, { agent: "other" })
      assert.strictEqual((yield* run("forget", "main/files/b")).stdout, "1 approval is forgotten.\n")
      assert.strictEqual((yield* run("forget", "main")).stdout, "2 approvals are forgotten.\n")
      assert.deepStrictEqual(JSON.parse((yield* run("forget", "--json")).stdout), { forgotten: 1 })
      assert.deepStrictEqual(JSON.parse((yield* run("list", "--json")).stdout), { approvals: [] })
      assert.strictEqual((yield* run("forget")).stdout, "0 approvals are forgotten.\n")
    })
  )

  it.live("forget of a name that is not there changes nothing, says so, and exits with 1", () =>
    Effect.gen(function* () {
      yield* kept({})
      for (const name of ["main/file/delete_file", "delete_file", ""]) {
        const { code, stderr, stdout } = yield* run("forget", name)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.include(stderr, `no approval matches '${name}'`)
      }
      assert.lengthOf(JSON.parse((yield* run("list", "--json")).stdout).approvals, 1)
    })
  )

  it.live("what cannot be read is an error, not an empty list", () =>
    Effect.gen(function* () {
      const directory = yield* kept()
      writeFileSync(join(directory, "approvals"), "")
      for (const command of ["list", "forget"]) {
        const { code, stderr } = yield* run(command)
        assert.strictEqual(code, 1)
        assert.include(stderr, "the stored approvals cannot be used: the file system says ENOTDIR")
      }
    })
  )
})
