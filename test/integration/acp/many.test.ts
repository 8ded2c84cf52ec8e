/** What is left of sessions that came and went with servers of their own: real processes, and many of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { alive } from "../../support/alive.ts"
import { call, folder, methods, newSession, shell, start, type Editor } from "./client.ts"

const SESSIONS = 200
const AT_ONCE = 8

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    // Gone since it was listed.
    return "gone"
  }
}

/** What the program holds: open files by what they are, without the numbers of pipes and sockets; and its children (Linux). */
const heldBy = (pid: number) =>
  process.platform !== "linux"
    ? {}
    : {
        descriptors: readdirSync(`/proc/${pid}/fd`)
          .map((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)).replace(/\d+/g, "N"))
          .toSorted(),
        children: readdirSync(`/proc/${pid}/task`).flatMap((task) =>
          attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"))
            .split(" ")
            .filter(Boolean)
        )
      }

const filesIn = (directory: string) => readdirSync(directory, { recursive: true }).map(String).toSorted()

/** A session with a server of its own, which is called; then it is closed, and forgotten. */
const comeAndGo = (editor: Editor) =>
  Effect.gen(function* () {
    const sessionId = yield* newSession(editor, [shell()])
    const pid = Number((yield* call(editor, sessionId, "mcp__shell__pid")).text)
    yield* Effect.promise(() => editor.agent.request(methods.session.close, { sessionId }))
    const wasStopped = !alive(pid)
    yield* Effect.promise(() => editor.agent.request(methods.session.delete, { sessionId }))
    return { pid, wasStopped }
  })

const many = (editor: Editor, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, () => editor),
    comeAndGo,
    { concurrency: AT_ONCE }
  )

const LOG = join("audit", "audit.jsonl")

describe("many sessions that come and go, each with a server of its own", () => {
  it.live("leave nothing behind: no process, no open file, no file in the temporary and data directories", () =>
    Effect.gen(function* () {
      const [home, temporary] = [yield* folder, yield* folder]
      const editor = yield* start({ home, env: { TMPDIR: temporary } })
      let last = ""
      const left = Effect.sync(() => ({
        ...heldBy(editor.child.pid!),
        data: filesIn(home),
        temporary: filesIn(temporary)
      }))
      // The last pipe is closed a moment after its process, and the log of calls is written a moment after them.
      const settled = Effect.repeat(left, {
        until: (now) => last === (last = JSON.stringify(now)) && now.data.includes(LOG),
        schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ times: 50 }))
      }).pipe(Effect.andThen(left))
      // What is made once is made by the first.
      yield* many(editor, AT_ONCE)
      const before = yield* settled
      const servers = yield* many(editor, SESSIONS)
      assert.lengthOf(new Set(servers.map(({ pid }) => pid)), SESSIONS)
      assert.isTrue(servers.every(({ wasStopped }) => wasStopped))
      assert.deepStrictEqual(yield* settled, before)
      yield* Effect.promise(editor.leave)
      assert.deepStrictEqual(
        servers.filter(({ pid }) => alive(pid)),
        []
      )
    })
  )
})
