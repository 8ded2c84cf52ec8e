/** What commands say of servers that each person has for themselves, where no person asks. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AuthRequired } from "../../../../src/schemas/connection/HttpError.ts"
import { renderFailures, renderStatus } from "../../../../src/schemas/content/Rendering.ts"
import type { ServerStatus } from "../../../../src/schemas/connection/ServerState.ts"
import { runAt } from "../../../support/cli.ts"
import { inFolder } from "../../../support/folder.ts"

const ISSUER = { issuer: "https://login.example.com", claims: { person: "email" } }

/** `notes` would leave a file if it were started. */
const place = Effect.fnUntraced(function* (rules: ReadonlyArray<object> = [], more: object = {}) {
  const home = yield* inFolder
  const mark = join(home, "started")
  const notes = {
    command: process.execPath,
    args: ["-e", `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`, ...("share" in more ? [] : ["{person}"])],
    share: "person",
    ...more
  }
  writeFileSync(
    join(home, "mcp.json"),
    JSON.stringify({
      mcp: {
        servers: { notes },
        clients: { resource: "https://mcp.example.com/mcp", issuers: [ISSUER], rules }
      }
    })
  )
  const run = (...args: ReadonlyArray<string>) =>
    runAt({ cwd: home, env: { MCP_LIVE_HOME: join(home, "data") } }, ...args, "--config", join(home, "mcp.json"))
  return { mark, run }
})

describe("a server with {person} in its entry", () => {
  it.live("is no failure where nobody asks as a person, and nothing is started", () =>
    Effect.gen(function* () {
      const { mark, run } = yield* place()
      const status = yield* run("status")
      assert.match(status.stdout, /^notes +stdio +- +per person /m)
      assert.include(status.stdout + status.stderr, "notes: runs only for people who have logged in, one process each")
      const { stdout } = yield* run("plan", "--json")
      assert.deepInclude(JSON.parse(stdout).plan.servers[0], { state: "Disabled", waits: "person" })
      const called = yield* run("call", "notes/read")
      assert.notStrictEqual(called.code, 0)
      const checked = yield* run("doctor", "--json")
      assert.notInclude(checked.stdout, "server-down")
      assert.isFalse(existsSync(mark))
    }).pipe(Effect.scoped)
  )

  it.live("is in the plan for a person with what the rules say of it, and with what the plan cannot know", () =>
    Effect.gen(function* () {
      const { run } = yield* place([
        { who: ["group:staff"], servers: ["notes"] },
        { who: ["*"], if: "person.subject == 'u-1'", servers: ["other"] }
      ])
      const staff = yield* run("plan", "--as", "ada@example.com", "--group", "staff")
      const words = (text: string) => text.replace(/\s+/g, " ")
      assert.include(words(staff.stdout), "the rules of clients let them use it")
      assert.include(staff.stderr, 'does not know of ada@example.com: give "sub" in --claims')
      const other = yield* run("plan", "--as", "ada@example.com", "--claims", '{"sub":"u-1"}')
      assert.include(words(other.stdout), "no rule of clients lets them use it")
      assert.include(words(other.stdout), "let in (clients.rules[1])")
      assert.notInclude(other.stderr, "does not know")
      // The name is not the subject.
      const wrong = yield* run("plan", "--as", "u-1")
      assert.include(words(wrong.stdout), "not let in")
    }).pipe(Effect.scoped)
  )

  it.live("is not started to say that nothing runs for a person, and neither are others", () =>
    Effect.gen(function* () {
      const { mark, run } = yield* place([], { share: true })
      const { code, stderr } = yield* run("status", "--person", "ada@example.com")
      assert.strictEqual(code, 0)
      assert.include(stderr, "nothing runs for 'ada@example.com' alone")
      assert.isFalse(existsSync(mark))
    }).pipe(Effect.scoped)
  )

  it.live("commands about a running gateway have a document also without one", () =>
    Effect.gen(function* () {
      const { run } = yield* place()
      for (const command of [["top"], ["stop", "notes"]]) {
        const { code, stdout } = yield* run(...command, "--json")
        assert.strictEqual(code, 1)
        assert.strictEqual(JSON.parse(stdout).error.tag, "NoGateway")
      }
    }).pipe(Effect.scoped)
  )

  it.live("an empty name is nobody's", () =>
    Effect.gen(function* () {
      const { run } = yield* place()
      assert.strictEqual((yield* run("plan", "--as", "")).code, 2)
      assert.strictEqual((yield* run("status", "--person", "")).code, 2)
    }).pipe(Effect.scoped)
  )
})

describe("an account that only its person can connect", () => {
  const missing = (account: string | null | undefined) =>
    new AuthRequired({
      server: "tickets",
      status: 401,
      remedy: "login",
      detail: "ada@example.com has not connected an account yet",
      ...(account === undefined ? {} : { account })
    }).message

  it("is not asked of whoever is at the terminal", () => {
    const theirs = missing("ada@example.com")
    // There may be no page for people.
    assert.strictEqual(
      theirs,
      "MCP server 'tickets' waits for a login: ada@example.com has not connected an account yet; the next call asks for it"
    )
    assert.include(
      missing(null),
      "each person connects their own account. To log in for your own use at this terminal, run mcp-live login tickets"
    )
    assert.include(missing(undefined), "Run: mcp-live login tickets")
  })

  it("is waited for, and is no failure", () => {
    const status: ServerStatus = {
      state: "Failed",
      waits: "login",
      transport: "http",
      protocolVersion: null,
      tools: 0,
      resources: 0,
      prompts: 0,
      pid: null,
      connectMs: null,
      restarts: 0,
      lastError: missing("ada@example.com")
    }
    assert.include(renderStatus({ tickets: status }), "waits for login")
    assert.include(renderFailures({ tickets: status })[0]!, "ada@example.com has not connected an account yet")
  })
})
