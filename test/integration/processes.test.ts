import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { execFileSync, spawnSync } from "node:child_process"
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statSync } from "node:fs"
import { open as openFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DESCRIPTORS_COVERED_MAX } from "../../src/schemas/defaults/Processes.ts"
import { descriptorsMax } from "../../src/system/descriptors.ts"
import { entryOf } from "../../src/system/process/procfs.ts"
import { makeSurveys } from "../../src/system/process/survey.ts"
import { makeTree } from "../../src/system/process/tree.ts"
import { makeWatch } from "../../src/system/process/watch.ts"
import type { ServerConnection, ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { findBubblewrap } from "../../src/layers/connection/ServerConnector/sandbox/bubblewrap.ts"
import { inFixtures, shell } from "../fixtures/servers.ts"
import { alive, leftOf } from "../support/alive.ts"
import { child, died, firstLine } from "../support/children.ts"
import { callTool, connectorLayer, open, stdioConfig, textOf } from "../support/connector.ts"
import {
  comet,
  doubleFork,
  doubleForkWithoutEnvironment,
  inGroup,
  ownSession,
  politeDoubleFork,
  withoutEnvironment
} from "../support/daemons.ts"
import { inFolder as folder } from "../support/folder.ts"
import { isFull } from "../support/full.ts"

const surveys = makeSurveys()

const missing = await Effect.runPromise(
  Effect.flip(findBubblewrap()).pipe(Effect.option, Effect.map(Option.getOrUndefined))
)

/** Every thread that reads files waits for somebody to write into a pipe, until the Scope ends. */
const readersWait = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
    const pipe = join(folder, "pipe")
    execFileSync("mkfifo", [pipe])
    return { folder, pipe, opened: Array.from({ length: 16 }, () => openFile(pipe, "r")) }
  }),
  ({ folder, opened, pipe }) =>
    Effect.promise(async () => {
      const both = openSync(pipe, "r+")
      for (const each of await Promise.all(opened)) await each.close()
      closeSync(both)
      rmSync(folder, { recursive: true })
    })
)

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

/** What waits for long, beside others that end the same way. */
const lengthy: typeof scenario = (name, body) => {
  if (isFull) scenario(name, body)
}

const openShell = (...options: ReadonlyArray<string>) => {
  const { args, command } = shell(...options)
  return open(stdioConfig(command, args))
}

/** Runs a script in the server to its end, or starts one that goes on; the numbers that it printed. */
const run = (connection: ServerConnection, script: string, tool: "sh" | "start" = "sh") =>
  Effect.map(callTool(connection, tool, { script }), (result) =>
    textOf(result).split(/\s+/).filter(Boolean).map(Number)
  )

describe.skipIf(process.platform !== "linux")(
  "processes: nothing of a server outlives its connection",
  { concurrent: true },
  () => {
    for (const how of ["closed", "killed", "stubborn"] as const) {
      scenario(
        `what stays in the group, leaves it, or leaves its parent, deaf to SIGTERM, ends with a server that is ${how}`,
        Effect.gen(function* () {
          const pids = yield* Effect.scoped(
            Effect.gen(function* () {
              const connection = yield* openShell(...(how === "stubborn" ? ["--stubborn"] : []))
              const started = {
                inGroup: yield* run(connection, inGroup, "start"),
                ownSession: yield* run(connection, ownSession, "start"),
                doubleFork: yield* run(connection, doubleFork),
                withoutEnvironment: yield* run(connection, withoutEnvironment, "start"),
                withoutEither: yield* run(connection, doubleForkWithoutEnvironment)
              }
              assert.lengthOf(Object.values(started).flat().filter(alive), 5)
              if (how === "killed") {
                process.kill(connection.info.pid!, "SIGKILL")
                yield* Effect.flip(connection.closed)
              }
              return { ...started, leader: [connection.info.pid!] }
            })
          )
          // They were killed; the system may take a moment.
          yield* leftOf(Object.values(pids).flat())
          const left = Object.entries(pids).filter(([, each]) => each.some(alive))
          assert.deepStrictEqual(left, [])
        })
      )
    }

    scenario(
      "a gateway that is itself somebody's server ends with all it started, also when it is killed",
      Effect.gen(function* () {
        const pids = yield* Effect.scoped(
          Effect.gen(function* () {
            const connection = yield* openShell()
            const gateway = `${process.execPath} ${inFixtures("gateway.ts")}`
            const script = `script=$(cat <<'END'\n${doubleFork}\nEND\n)\nsleep 300 | ${gateway} "$script" &`
            const told = textOf(yield* callTool(connection, "start", { script }, 30_000))
            return JSON.parse(told) as ReadonlyArray<number>
          })
        )
        assert.lengthOf(pids, 2)
        assert.deepStrictEqual(yield* leftOf(pids), [])
      })
    )
  }
)

describe.skipIf(process.platform !== "linux")("processes: nothing of a server outlives its connection either", () => {
  lengthy(
    "also when nothing can be read for a while, because all that read files for this process wait for something else",
    Effect.gen(function* () {
      const pids = yield* Effect.scoped(
        Effect.gen(function* () {
          const started = yield* run(yield* openShell(), doubleFork)
          yield* Effect.forkDetach(Effect.scoped(Effect.andThen(readersWait, Effect.sleep("1500 millis"))), {
            startImmediately: true
          })
          return started
        })
      )
      assert.lengthOf(pids, 1)
      assert.deepStrictEqual(pids.filter(alive), [])
    })
  )

  scenario(
    "one that ends at once, and leaves another that does the same, again and again, is caught",
    Effect.gen(function* () {
      const file = join(yield* folder, "pipe")
      execFileSync("mkfifo", [file])
      const reading = createReadStream(file)
      yield* Effect.scoped(Effect.flatMap(openShell(), (connection) => run(connection, comet(file))))
      // When nobody is left who has it open for writing.
      yield* Effect.callback<void>((resume) => {
        if (reading.readableEnded) return resume(Effect.void)
        reading.once("end", () => resume(Effect.void)).resume()
      }).pipe(Effect.timeout("10 seconds"))
    })
  )

  scenario(
    "one connection's end leaves the daemons of another one alone",
    Effect.gen(function* () {
      const kept = yield* openShell()
      const [daemon] = yield* run(kept, politeDoubleFork)
      const ended = yield* Effect.scoped(Effect.flatMap(openShell(), (connection) => run(connection, politeDoubleFork)))
      assert.deepStrictEqual(ended.filter(alive), [])
      assert.isTrue(alive(daemon!))
      assert.strictEqual(textOf(yield* callTool(kept, "echo", { text: "still here" })), "still here")
    })
  )

  lengthy(
    "twenty that are closed together are gone together, daemons and all",
    Effect.gen(function* () {
      const left = yield* Ref.make(20)
      const ready = yield* Deferred.make<void>()
      const one = Effect.gen(function* () {
        const started = yield* run(yield* openShell(), `${ownSession}\n${doubleFork}`)
        if ((yield* Ref.updateAndGet(left, (count) => count - 1)) === 0) yield* Deferred.succeed(ready, undefined)
        yield* Deferred.await(ready)
        return started
      })
      const pids = yield* Effect.all(
        Array.from({ length: 20 }, () => Effect.scoped(one)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(pids.flat(), 40)
      assert.deepStrictEqual(pids.flat().filter(alive), [])
    })
  )
})

const hasPerl = spawnSync("perl", ["-v"]).status === 0
/** What a gateway is started through so that it is nobody in particular; nothing where it is that already. */
const asNobody = (() => {
  if (process.getuid?.() !== 0) return []
  const there = spawnSync("setpriv", ["--version"]).status === 0
  return there ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : undefined
})()
const isNobodyHere = process.platform !== "linux" || asNobody === undefined || !hasPerl
if (isNobodyHere) console.warn("gateways without rights are not tested here: that takes Linux, setpriv and perl")

describe.skipIf(isNobodyHere)("processes: a gateway without rights", { concurrent: true }, () => {
  it.live("finds a daemon that cannot be inspected, such as ssh-agent", () =>
    Effect.gen(function* () {
      // prctl(PR_SET_DUMPABLE, 0)
      const daemon = `perl -e "syscall(${process.arch === "arm64" ? 167 : 157}, 4, 0); sleep 300"`
      const script = `(setsid ${daemon} </dev/null >/dev/null 2>&1 & echo $!)`
      const [command, ...args] = [...asNobody!, process.execPath, inFixtures("gateway.ts"), script]
      const started = yield* child(command!, args)
      const [leader, pid] = JSON.parse(yield* firstLine(started)) as ReadonlyArray<number>
      // What could be looked into is root's then.
      yield* Effect.sync(() => statSync(`/proc/${pid}/environ`).uid).pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (uid) => uid === 0 }),
        Effect.timeout("10 seconds")
      )
      started.stdin.end()
      yield* died([leader!, pid!])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform !== "linux")("processes: those without a tag or a mark", () => {
  it.live("are known when they were seen with their parents", () =>
    Effect.gen(function* () {
      const script = "setsid env -i /bin/sleep 300 >/dev/null & echo $!; read line"
      const started = yield* child("/bin/sh", ["-c", script])
      const pid = started.pid!
      const daemon = Number(yield* firstLine(started))
      let gone = false
      const tree = makeTree({ pid, tag: "none", survey: surveys.shared, gone: () => gone, leaderIsWrapper: false })
      const unwatch = yield* Effect.acquireRelease(
        Effect.sync(() => makeWatch()(tree)),
        (each) => Effect.sync(each)
      )
      yield* Effect.sync(() => tree.left()).pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (left) => left.includes(daemon) }),
        Effect.timeout("10 seconds")
      )
      unwatch()
      const exited = Effect.callback<void>((resume) => void started.once("exit", () => resume(Effect.void)))
      started.stdin.end("\n")
      yield* exited
      gone = true
      assert.isTrue(alive(daemon))
      yield* tree.end("SIGTERM")
      assert.isFalse(alive(daemon))
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform !== "linux")("processes: the last signal", () => {
  it.live("is sent to known processes before others are searched, which is slow on a busy machine", () =>
    Effect.gen(function* () {
      const script = "trap '' TERM; (trap '' TERM; exec setsid sleep 300 >/dev/null) & echo $!; wait"
      const started = yield* child("/bin/sh", ["-c", script])
      const pids = [started.pid!, Number(yield* firstLine(started))]
      const tree = makeTree({
        pid: pids[0]!,
        tag: "none",
        survey: surveys.shared,
        gone: () => false,
        leaderIsWrapper: false
      })
      yield* tree.look
      const ending = yield* Effect.forkChild(tree.end("SIGKILL"), { startImmediately: true })
      // Nothing is looked for: this process does not get to anything else.
      const patience = performance.now() + 20_000
      while (pids.some(alive) && performance.now() < patience);
      assert.deepStrictEqual(pids.filter(alive), [])
      yield* Fiber.interrupt(ending)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform !== "linux")("processes: looking for new ones", () => {
  it.live("is repeated if processes started meanwhile whose parents ended before they were listed", () =>
    Effect.gen(function* () {
      const leader = yield* child("/bin/sh", ["-c", "exit 0"])
      const daemon = (yield* child("/bin/sleep", ["300"])).pid!
      const seen = { ...entryOf(daemon)!, parent: 1, session: leader.pid! }
      const looks = [[], [[daemon, seen] as const]]
      const survey = async () => {
        execFileSync("/bin/true")
        return { entries: new Map(looks.shift()), tags: new Map() }
      }
      const tree = makeTree({ pid: leader.pid!, tag: "none", survey, gone: () => false, leaderIsWrapper: false })
      yield* tree.end("SIGTERM")
      assert.isFalse(alive(daemon))
    }).pipe(Effect.scoped)
  )

  it.live("keeps no program running", () =>
    Effect.gen(function* () {
      const script = `
        const { makeWatch } = await import(${JSON.stringify(inFixtures("../../src/system/process/watch.ts"))})
        makeWatch()({ notice: () => {} })`
      const started = yield* child(process.execPath, ["--input-type=module", "-e", script])
      const code = yield* Effect.callback<number | null>((resume) => {
        started.once("exit", (status) => resume(Effect.succeed(status)))
      }).pipe(Effect.timeout("20 seconds"))
      assert.strictEqual(code, 0)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform !== "linux")("processes: one whose environment cannot be read", () => {
  it.live("takes one reader at most, and is known all the same if it was marked", () =>
    Effect.gen(function* () {
      const marked = yield* openShell()
      const strange = (yield* child("sleep", ["300"])).pid!
      const { started } = entryOf(strange)!
      const asked: Array<number> = []
      const { promise: hang, resolve } = Promise.withResolvers<undefined>()
      yield* Effect.addFinalizer(() => Effect.sync(() => resolve(undefined)))
      const take = Effect.promise(() =>
        surveys.take(started, (pid) => {
          asked.push(pid)
          return pid === strange ? hang : Promise.resolve(undefined)
        })
      )
      const [first, second] = [yield* take, yield* take]
      assert.deepStrictEqual(
        asked.filter((pid) => pid === strange),
        [strange]
      )
      assert.isTrue(first?.incomplete === true && second?.incomplete === true)
      const [daemon] = yield* run(marked, politeDoubleFork)
      const third = yield* take
      assert.strictEqual(third?.marks?.get(daemon!)?.pid, process.pid)
      assert.notInclude(asked, daemon)
    }).pipe(Effect.scoped, Effect.provide(connectorLayer))
  )
})

describe.skipIf(process.platform !== "linux")("processes: what a server is started with", () => {
  for (const sandbox of ["no", "yes"]) {
    it.live.skipIf(sandbox === "yes" && missing !== undefined)(
      `no file that was left open to the gateway; in a sandbox: ${sandbox}`,
      () =>
        Effect.gen(function* () {
          const root = yield* Effect.acquireRelease(
            Effect.sync(() => openSync("/", "r")),
            (each) => Effect.sync(() => closeSync(each))
          )
          // Far above the numbers that Node looks after.
          const more = Array.from({ length: 200 }, (_, at) => (at === 15 || at > 190 ? root : ("ignore" as const)))
          const count = `found=0
            for each in /proc/$PPID/fd/*; do [ "$(readlink $each)" = / ] && found=$((found + 1)); done
            echo $found`
          const gateway = [inFixtures("gateway.ts"), count]
          const started = yield* child(process.execPath, gateway, { SANDBOX: sandbox }, more)
          const [, found] = JSON.parse(yield* firstLine(started)) as ReadonlyArray<number>
          assert.strictEqual(found, 0)
        }).pipe(Effect.scoped)
    )
  }
})

describe.skipIf(process.platform !== "linux")("processes: where few files may be open", () => {
  const played = (limit: number, more: ReadonlyArray<number | "ignore"> = []) =>
    Effect.gen(function* () {
      const script = `ulimit -n ${limit} && exec "$0" "$1"`
      const started = yield* child("/bin/sh", ["-c", script, process.execPath, inFixtures("fewFiles.ts")], {}, more)
      return JSON.parse(yield* firstLine(started)) as Record<"before" | "meanwhile" | "after", ReadonlyArray<string>>
    })

  it.live("what cannot be started for want of files says so, and is started when there are some again", () =>
    Effect.gen(function* () {
      const { after, before, meanwhile } = yield* played(512)
      assert.deepStrictEqual(before, ["started", "started"])
      assert.include(meanwhile[0], "this process has as many files open as it may (ulimit -n)")
      assert.include(meanwhile[1], "could not be started (EMFILE)")
      assert.deepStrictEqual(after, before)
    }).pipe(Effect.scoped)
  )

  /** A folder at descriptor `number` of whoever is started with it. */
  const leftAt = (number: number) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => openSync("/", "r")),
        (each) => Effect.sync(() => closeSync(each))
      ),
      (root) => [...Array.from({ length: number - 3 }, () => "ignore" as const), root]
    )

  it.live.skipIf(descriptorsMax() < DESCRIPTORS_COVERED_MAX + 100)(
    "no server is started with a file whose number is too high to be kept from it",
    () =>
      Effect.gen(function* () {
        const number = DESCRIPTORS_COVERED_MAX + 1
        const [refused] = (yield* played(number + 50, yield* leftAt(number))).before
        assert.include(refused, `a file that was left open to this process has number ${number}`)
      }).pipe(Effect.scoped)
  )

  it.live("an open file descriptor above the limit is reported, with the needed limit", () =>
    Effect.gen(function* () {
      const more = yield* leftAt(302)
      const [refused] = (yield* played(128, more)).before
      const [, needed] = /start it with ulimit -n (\d+) or more/.exec(refused ?? "") ?? []
      assert.deepStrictEqual((yield* played(Number(needed), more)).before, ["started", "started"])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("processes: where there is nothing but groups", () => {
  const group = Effect.map(child("/bin/sh", ["-c", "sleep 300 & echo $!; wait"]), (started) => ({
    started,
    pid: started.pid!
  }))
  const treeOf = (pid: number, gone: boolean) =>
    makeTree({ pid, tag: "none", survey: surveys.shared, gone: () => gone, leaderIsWrapper: false }, "darwin")

  it.live("the whole group is ended", () =>
    Effect.gen(function* () {
      const { pid, started } = yield* group
      const member = Number(yield* firstLine(started))
      const tree = treeOf(pid, false)
      assert.deepStrictEqual(tree.left(), [pid])
      yield* tree.end("SIGTERM")
      assert.deepStrictEqual([pid, member].filter(alive), [])
      assert.deepStrictEqual(tree.left(), [])
    }).pipe(Effect.scoped)
  )

  it.live("a group whose number may have been reused is never signalled", () =>
    Effect.gen(function* () {
      const { pid, started } = yield* group
      const member = Number(yield* firstLine(started))
      const tree = treeOf(pid, true)
      yield* tree.end("SIGKILL")
      tree.killNow(() => ({ entries: new Map(), tags: new Map() }))
      assert.deepStrictEqual([pid, member].filter(alive), [pid, member])
    }).pipe(Effect.scoped)
  )
})
