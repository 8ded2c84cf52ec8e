import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { realpathSync } from "node:fs"
import { leftOf } from "../../support/alive.ts"
import { everything as overHttp, inFixtures } from "../../fixtures/servers.ts"
import {
  call,
  folder,
  media,
  newSession,
  noticesIn,
  prompt,
  saidIn,
  shared,
  shell,
  start,
  type Editor
} from "./client.ts"
import { inFull } from "../../support/full.ts"

const own = (extra: object = {}) => ({ command: process.execPath, args: [inFixtures("shell.ts")], ...extra })

const until = (editor: Editor, sessionId: string, count: number) =>
  Effect.promise(() =>
    editor.until(
      (update, of) => of === sessionId && update.sessionUpdate === "notice" && noticesIn(editor, of).length >= count
    )
  )

describe("MCP servers that an editor brings along", () => {
  const usual = shared({ env: { OPENAI_API_KEY: "sk-of-the-host-0123456789" } })

  it.live("start in the session's directory, with their own environment and nothing else of ours", () =>
    Effect.gen(function* () {
      const cwd = realpathSync(yield* folder)
      const editor = yield* usual
      const session = yield* newSession(editor, [shell("shell", { COLOUR: "green" })], cwd)
      assert.strictEqual((yield* call(editor, session, "mcp__shell__cwd")).text, cwd)
      const { text = "" } = yield* call(editor, session, "mcp__shell__env")
      assert.include(text, '"COLOUR":"green"')
      assert.notInclude(text, "OPENAI_API_KEY")
    })
  )

  it.live("over Streamable HTTP and SSE work as well", () =>
    Effect.gen(function* () {
      const [http, sse] = yield* Effect.all([overHttp("streamableHttp"), overHttp("sse")])
      const editor = yield* usual
      const session = yield* newSession(editor, [
        { type: "http", name: "h", url: http.url, headers: [{ name: "X-One", value: "1" }] },
        { type: "sse", name: "s", url: sse.url, headers: [] }
      ])
      for (const tool of ["mcp__h__echo", "mcp__s__echo"]) {
        assert.include((yield* call(editor, session, tool, { message: tool })).text, tool)
      }
    })
  )

  it.live("that do not start affect no other server, and the user is told why", () =>
    Effect.gen(function* () {
      const editor = yield* usual
      const broken = { name: "broken", command: "no-such-program-anywhere", args: [], env: [] }
      const session = yield* newSession(editor, [broken, shell()])
      yield* until(editor, session, 1)
      const [notice = ""] = noticesIn(editor, session)
      assert.match(notice, /^MCP server "broken" did not start\nIts tools are missing: .*no-such-program-anywhere/)
      assert.strictEqual((yield* call(editor, session, "mcp__shell__echo", { text: "here" })).text, "here")
    })
  )

  it.live("are warned of in the log from five programs on, in whichever sessions", () =>
    Effect.gen(function* () {
      const editor = yield* start()
      yield* newSession(editor, [shell("a"), shell("b")])
      yield* newSession(editor, [shell("a"), shell("b")])
      const cannot = { name: "no", type: "http" as const, url: "http://127.0.0.1:1/", headers: [] }
      yield* newSession(editor, [cannot])
      assert.notInclude(editor.log(), "as programs on this machine")
      yield* newSession(editor, [shell("a")])
      yield* Effect.promise(() => editor.leave())
      assert.match(editor.log(), /WARN.*sessions run 5 MCP servers as programs on this machine/)
    })
  )

  it.live("that are malformed, or set what they must not, cost themselves only, and are named", () =>
    Effect.gen(function* () {
      const editor = yield* usual
      const loud = shell("loud", { NODE_OPTIONS: "--no-warnings" })
      const relative = { name: "bin", command: "./bin/server", args: [], env: [] }
      const session = yield* newSession(editor, [
        { name: "hub", type: "http", url: "ftp://x", headers: [] },
        relative,
        loud,
        shell()
      ])
      yield* until(editor, session, 3)
      const [hub = "", bin = "", variable = ""] = noticesIn(editor, session)
      assert.include(hub, 'was not started: mcpServers[0] ("hub"): url must be an http or https address')
      assert.include(bin, 'mcpServers[1] ("bin")\ncommand must be an absolute path')
      assert.match(variable, /mcpServers\[2\] \("loud"\)\s+the variable "NODE_OPTIONS" can [^]*acp\.allowEnv/)
      assert.strictEqual((yield* call(editor, session, "mcp__shell__echo", { text: "here" })).text, "here")
    })
  )

  it.live("may set what the operator has allowed them to", () =>
    Effect.gen(function* () {
      const editor = yield* start({ config: { acp: { allowEnv: ["NODE_OPTIONS"] }, mcpServers: {} } })
      const session = yield* newSession(editor, [shell("loud", { NODE_OPTIONS: "--no-warnings" })])
      const { text = "" } = yield* call(editor, session, "mcp__loud__env")
      assert.include(text, '"NODE_OPTIONS":"--no-warnings"')
    })
  )

  it.live("that print their environment and exit reveal none of the gateway's variables", () =>
    Effect.gen(function* () {
      const editor = yield* usual
      const script = "console.error('env', ...Object.entries(process.env).map((one) => one.join('='))); process.exit(3)"
      const loud = { name: "loud", command: process.execPath, args: ["-e", script], env: [{ name: "A", value: "b" }] }
      const session = yield* newSession(editor, [loud])
      yield* until(editor, session, 1)
      const [notice = ""] = noticesIn(editor, session)
      assert.match(notice, /its last words: .*A=b/)
      assert.notInclude(notice, "MCP_LIVE_TAG")
      assert.notMatch(notice, /[0-9a-f]{16}:\d+:/)
    })
  )

  it.live("are reported in the next answer to a client without notices", () =>
    Effect.gen(function* () {
      const editor = yield* start({ notices: false })
      const session = yield* newSession(editor, [{ name: "broken", command: "no-such-program", args: [], env: [] }])
      yield* prompt(editor, session, "/status")
      assert.match(saidIn(editor, session), /^MCP server "broken" did not start/)
    })
  )

  it.live("are added to the gateway's own servers, never replace one, and follow the gateway's rules", () =>
    Effect.gen(function* () {
      const config = {
        mcp: { servers: { files: own({ env: { WHOSE: "the operator's" } }) } },
        gateway: { tools: { deny: ["*/write_note", "mcp__shell__sh"] } }
      }
      const editor = yield* start({ config })
      const session = yield* newSession(editor, [shell("FILES", { WHOSE: "the client's" }), shell(), media()])
      yield* until(editor, session, 1)
      assert.match(noticesIn(editor, session)[0]!, /"FILES" was not started: the gateway has a server of that name/)
      assert.include((yield* call(editor, session, "mcp_files_env")).text, "the operator's")
      assert.strictEqual((yield* call(editor, session, "mcp__FILES__env")).status, "failed")
      for (const denied of ["mcp__media__write_note", "mcp__shell__sh"]) {
        assert.strictEqual((yield* call(editor, session, denied)).status, "failed")
      }
      assert.strictEqual((yield* call(editor, session, "mcp__shell__echo", { text: "x" })).text, "x")
    })
  )

  it.live("are no more than the configuration says, nor are their tools", () =>
    Effect.gen(function* () {
      const editor = yield* start({ config: { mcp: { acp: { maxServers: 1, maxTools: 5 }, servers: {} } } })
      const session = yield* newSession(editor, [media("media", "--tools=10"), shell()])
      yield* until(editor, session, 2)
      const notices = noticesIn(editor, session)
      assert.match(notices[0]!, /"shell" was not started: a session may have 1/)
      // Three of its own and ten more.
      assert.match(
        notices[1]!,
        /^8 tools left out: a session may have 5 \(acp\.maxTools\)\.\n"media": 8 of 13 left out\.$/
      )
      assert.strictEqual((yield* call(editor, session, "mcp__media__tool1")).status, "completed")
      assert.strictEqual((yield* call(editor, session, "mcp__media__tool2")).status, "failed")
    })
  )

  it.live("may not be programs where the operator does not want that", () =>
    Effect.gen(function* () {
      const editor = yield* start({ config: { mcp: { acp: { stdio: false }, servers: {} } } })
      const session = yield* newSession(editor, [shell()])
      yield* until(editor, session, 1)
      assert.match(noticesIn(editor, session)[0]!, /"shell" was not started: this gateway starts no programs/)
      assert.strictEqual((yield* call(editor, session, "mcp__shell__echo")).status, "failed")
    })
  )

  it.live("of many sessions at once, with the same names and different secrets, never meet", () =>
    Effect.gen(function* () {
      const editor = yield* start()
      const numbers = Array.from({ length: inFull(20, 6) }, (_, index) => index)
      const secretOf = (index: number) => `s3cret-${index}-${"x".repeat(index)}-Qz8w`
      const sessions = yield* Effect.forEach(
        numbers,
        (index) => newSession(editor, [shell("same", { MARK: `mark-${index}.`, API_TOKEN: secretOf(index) })]),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(sessions), numbers.length)
      yield* Effect.forEach(sessions, (session) => prompt(editor, session, "/call mcp__same__env"), {
        concurrency: "unbounded"
      })
      for (const index of numbers) {
        const all = JSON.stringify(editor.updates.filter(({ sessionId }) => sessionId === sessions[index]))
        assert.deepStrictEqual([...new Set(all.match(/mark-\d+\./g))], [`mark-${index}.`])
        // Its own server was given it: what comes back of it is masked.
        assert.match(all, /API_TOKEN[\\":]+\[REDACTED\]/)
      }
      const pids = new Set<string>()
      for (const session of sessions) {
        const { text = "" } = yield* call(editor, session, "mcp__same__pid")
        pids.add(text)
        // What belongs to another session is not sent to this one's server.
        const foreign = yield* call(editor, session, "mcp__same__echo", {
          text: secretOf(sessions.indexOf(session) === 0 ? 1 : 0)
        })
        assert.strictEqual(foreign.status, "failed")
      }
      assert.lengthOf(pids, numbers.length)
      for (const index of numbers) {
        const shown = editor.updates.filter(({ update }) => update.sessionUpdate === "tool_call_update")
        assert.notInclude(JSON.stringify(shown), secretOf(index))
      }
      yield* Effect.promise(editor.leave)
      // All that it has written has come by now.
      for (const index of numbers) assert.notInclude(editor.log(), secretOf(index))
      assert.deepStrictEqual(yield* leftOf([...pids].map(Number)), [])
    })
  )
})
