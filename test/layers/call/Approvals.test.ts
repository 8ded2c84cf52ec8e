import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as ApprovalsLayer from "../../../src/layers/call/Approvals.ts"
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  DenialReason,
  Verdict
} from "../../../src/schemas/call/Approval.ts"
import { APPROVAL_TIMEOUT_MS } from "../../../src/schemas/defaults/Approvals.ts"
import { Approvals, type Approve, type Approver } from "../../../src/services/call/Approvals.ts"
import { AuditLog, type ApprovalRecord } from "../../../src/services/call/AuditLog.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { sanitizer } from "../../support/sanitizer.ts"
import { inFolder as scratch } from "../../support/folder.ts"

const REQUEST: ApprovalRequest = {
  agent: "main",
  server: "fs",
  launch: "launch-1",
  tool: "delete_file",
  definition: "hash-1",
  exposed: "mcp_fs_delete_file",
  rule: "ask: fs/delete_*",
  args: { path: "a.txt" }
}

const GIVEN = (by: "once" | "session" | "always"): Verdict => ({ allowed: true, by, remembered: false })
const REMEMBERED = (by: "session" | "always"): Verdict => ({ allowed: true, by, remembered: true })
const denied = (reason: DenialReason): Verdict => ({ allowed: false, reason })

/** A process of its own, with its memory; several share a directory. */
const start = (directory: string, approve?: Approve, records: Array<ApprovalRecord> = []) =>
  Effect.map(
    Layer.build(
      Layer.fresh(ApprovalsLayer.layer({ approve, directory })).pipe(
        Layer.provideMerge(sanitizer),
        Layer.provide(Layer.mock(AuditLog, { approval: (record) => Effect.sync(() => void records.push(record)) })),
        Layer.provideMerge(Logger.layer([]))
      )
    ),
    (context) => ({
      ...Effect.runSync(Effect.provide(Effect.service(Approvals), context)),
      redactor: Effect.runSync(Effect.provide(Effect.service(Redactor), context))
    })
  )

/** A person who gives these answers, one after the other, and notes what they were asked. */
const person = (...answers: ReadonlyArray<ApprovalAnswer>) => {
  const asked: Array<ApprovalQuestion> = []
  const left = [...answers]
  const approve: Approve = async (question) => {
    asked.push(question)
    return left.shift()!
  }
  return { asked, approve }
}

/** What only a caller without types can pass. */
const untyped = (approve: (...args: ReadonlyArray<AbortSignal>) => unknown) => approve as unknown as Approve

const filesIn = (directory: string) =>
  readdirSync(join(directory, "approvals")).map((name) => join(directory, "approvals", name))

describe("a call that needs approval", () => {
  it.effect("is denied where no approver is configured", () =>
    Effect.gen(function* () {
      const records: Array<ApprovalRecord> = []
      const { decide } = yield* start(yield* scratch, undefined, records)
      assert.deepStrictEqual(yield* decide(REQUEST), denied("nobody"))
      assert.deepStrictEqual(
        records.map(({ answer }) => answer),
        ["denied"]
      )
    })
  )

  it.effect("asks the approver once per call, with names, rule and arguments", () =>
    Effect.gen(function* () {
      const { approve, asked } = person("once", "once", "deny")
      const records: Array<ApprovalRecord> = []
      const { decide } = yield* start(yield* scratch, approve, records)
      assert.deepStrictEqual(yield* decide(REQUEST), GIVEN("once"))
      assert.deepStrictEqual(yield* decide(REQUEST), GIVEN("once"))
      assert.deepStrictEqual(yield* decide(REQUEST), denied("person"))
      assert.lengthOf(asked, 3)
      assert.deepStrictEqual(asked[0], {
        agent: "main",
        server: "fs",
        tool: "delete_file",
        exposed: "mcp_fs_delete_file",
        rule: "ask: fs/delete_*",
        arguments: 'path: "a.txt"',
        changed: false
      })
      assert.deepStrictEqual(
        records.map(({ answer }) => answer),
        ["asked", "given", "asked", "given", "asked", "denied"]
      )
      assert.deepStrictEqual(records[0], {
        agent: "main",
        server: "fs",
        tool: "delete_file",
        definition: "hash-1",
        rule: "ask: fs/delete_*",
        answer: "asked"
      })
    })
  )

  it.effect("masks secrets in the arguments and names of the question", () =>
    Effect.gen(function* () {
      const { approve, asked } = person("once")
      const { decide, redactor } = yield* start(yield* scratch, approve)
      redactor.register("hunter2-hunter2", "other")
      yield* decide({ ...REQUEST, tool: "x-hunter2-hunter2\n\u202ey", args: { token: "hunter2-hunter2" } })
      assert.notInclude(JSON.stringify(asked), "hunter2")
      assert.notMatch(asked[0]!.tool, /[\n\u202e]/)
    })
  )

  it.effect("accepts an answer as an Effect or as a plain value", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const effectful = yield* start(directory, () => Effect.succeed("once"))
      assert.deepStrictEqual(yield* effectful.decide(REQUEST), GIVEN("once"))
      const plain = yield* start(
        directory,
        untyped(() => "once")
      )
      assert.deepStrictEqual(yield* plain.decide(REQUEST), GIVEN("once"))
    })
  )

  it.effect("is denied when no answer arrives in time, and the approver's signal aborts", () =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<AbortSignal>()
      const { decide } = yield* start(yield* scratch, (_, signal) => {
        Deferred.doneUnsafe(open, Effect.succeed(signal))
        return new Promise(() => {})
      })
      const asked = yield* Effect.forkChild(decide(REQUEST))
      const given = yield* Deferred.await(open)
      yield* TestClock.adjust(APPROVAL_TIMEOUT_MS - 1)
      assert.isUndefined(asked.pollUnsafe())
      assert.isFalse(given.aborted)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(asked), denied("timeout"))
      assert.isTrue(given.aborted)
    })
  )

  const failures: ReadonlyArray<readonly [name: string, approve: Approve]> = [
    [
      "throws",
      untyped(() => {
        throw new Error("x")
      })
    ],
    ["rejects", () => Promise.reject(new Error("x"))],
    ["fails", () => Effect.fail("x")],
    ["dies", () => Effect.die("x")],
    ["interrupts itself", () => Effect.interrupt],
    ...["yes", "allow", "ONCE", "once ", "", undefined, null, true, 1, {}, ["once"], { action: "accept" }].map(
      (garbage) => [`answers ${JSON.stringify(garbage)}`, untyped(async () => garbage)] as const
    ),
    ["answers with an object that reads as an answer", untyped(async () => ({ toString: () => "always" }))],
    ["answers garbage as an Effect", untyped(() => Effect.succeed("yes"))]
  ]
  for (const [name, approve] of failures) {
    it.effect(`is denied when the approver ${name}`, () =>
      Effect.gen(function* () {
        const directory = yield* scratch
        const { decide } = yield* start(directory, approve)
        assert.deepStrictEqual(yield* decide(REQUEST), denied("failed"))
        assert.deepStrictEqual(readdirSync(directory), [])
      })
    )
  }

  it.effect("is denied when its arguments cannot be shown", () =>
    Effect.gen(function* () {
      const { approve, asked } = person("always")
      const { decide } = yield* start(yield* scratch, approve)
      assert.deepStrictEqual(yield* decide({ ...REQUEST, args: { n: 1n } }), denied("failed"))
      assert.isEmpty(asked)
    })
  )

  it.effect("aborts its question when it is interrupted, and stores nothing", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const open = yield* Deferred.make<AbortSignal>()
      const { decide } = yield* start(directory, (_, signal) =>
        Effect.andThen(Deferred.succeed(open, signal), Effect.never)
      )
      const call = yield* Effect.forkChild(decide(REQUEST))
      const signal = yield* Deferred.await(open)
      assert.isFalse(signal.aborted)
      yield* Fiber.interrupt(call)
      assert.isTrue(signal.aborted)
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )
})

describe("concurrent calls that need approval", () => {
  const waiting = Effect.gen(function* () {
    const open = yield* Queue.unbounded<{
      readonly question: ApprovalQuestion
      readonly answer: Deferred.Deferred<ApprovalAnswer>
    }>()
    const approve: Approve = (question) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<ApprovalAnswer>()
        yield* Queue.offer(open, { question, answer })
        return yield* Deferred.await(answer)
      })
    return { approve, open }
  })

  it.effect("are asked about one after the other when they call the same tool", () =>
    Effect.gen(function* () {
      const { approve, open } = yield* waiting
      const { decide } = yield* start(yield* scratch, approve)
      const calls = yield* Effect.forEach([1, 2], () => Effect.forkChild(decide(REQUEST)))
      const first = yield* Queue.take(open)
      assert.strictEqual(yield* Queue.size(open), 0)
      yield* Deferred.succeed(first.answer, "deny")
      yield* Deferred.succeed((yield* Queue.take(open)).answer, "once")
      const verdicts = yield* Effect.forEach(calls, Fiber.join)
      assert.sameDeepMembers(verdicts, [denied("person"), GIVEN("once")])
    })
  )

  it.effect("are asked about once when the answer is for the session or permanent", () =>
    Effect.gen(function* () {
      for (const answer of ["session", "always"] as const) {
        const { approve, open } = yield* waiting
        const { decide } = yield* start(yield* scratch, approve)
        const calls = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(decide(REQUEST)))
        yield* Deferred.succeed((yield* Queue.take(open)).answer, answer)
        // Which of the three is asked about is up to the file system, which each looks into first.
        const verdicts = yield* Effect.forEach(calls, Fiber.join)
        const asked = verdicts.filter((verdict) => verdict.allowed && !verdict.remembered)
        assert.deepStrictEqual(asked, [GIVEN(answer)])
        const rest = verdicts.filter((verdict) => !asked.includes(verdict))
        assert.deepStrictEqual(rest, [REMEMBERED(answer), REMEMBERED(answer)])
        assert.strictEqual(yield* Queue.size(open), 0)
      }
    })
  )

  it.effect(
    "are asked about at the same time for different tools, and an interrupted call does not block the next",
    () =>
      Effect.gen(function* () {
        const { approve, open } = yield* waiting
        const { decide } = yield* start(yield* scratch, approve)
        const first = yield* Effect.forkChild(decide(REQUEST))
        yield* Queue.take(open)
        const second = yield* Effect.forkChild(decide({ ...REQUEST, tool: "other" }))
        yield* Deferred.succeed((yield* Queue.take(open)).answer, "once")
        assert.deepStrictEqual(yield* Fiber.join(second), GIVEN("once"))
        const behind = yield* Effect.forkChild(decide(REQUEST))
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed((yield* Queue.take(open)).answer, "once")
        assert.deepStrictEqual(yield* Fiber.join(behind), GIVEN("once"))
      })
  )
})

describe("an approval for a session", () => {
  it.effect("holds until the session ends, for no other session, and is not written to a file", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const own = person("session", "deny")
      const other = person("deny")
      const whole = person("deny")
      const { decide, endSession } = yield* start(directory, whole.approve)
      const mine = { session: "s1", approve: own.approve }
      assert.deepStrictEqual(yield* decide(REQUEST, mine), GIVEN("session"))
      assert.deepStrictEqual(yield* decide({ ...REQUEST, args: { path: "b" } }, mine), REMEMBERED("session"))
      assert.deepStrictEqual(yield* decide(REQUEST, { session: "", approve: other.approve }), denied("person"))
      assert.deepStrictEqual(yield* decide(REQUEST), denied("person"))
      yield* endSession("s1")
      assert.deepStrictEqual(yield* decide(REQUEST, mine), denied("person"))
      assert.deepStrictEqual([own.asked.length, other.asked.length, whole.asked.length], [2, 1, 1])
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )

  it.effect("that the program's approver gave holds for the client whose call it was, and no other", () =>
    Effect.gen(function* () {
      const { approve, asked } = person("session", "deny", "deny")
      const { decide } = yield* start(yield* scratch, approve)
      const [laptop, ci] = [
        { ...REQUEST, client: "client laptop" },
        { ...REQUEST, client: "client ci" }
      ]
      assert.deepStrictEqual(yield* decide(laptop), GIVEN("session"))
      assert.deepStrictEqual(yield* decide(laptop), REMEMBERED("session"))
      assert.deepStrictEqual(yield* decide(ci), denied("person"))
      assert.deepStrictEqual(yield* decide(REQUEST), denied("person"))
      assert.lengthOf(asked, 3)
    })
  )

  it.effect("holds for one agent, server, launch, tool and definition", () =>
    Effect.gen(function* () {
      const { approve } = person("session", "deny", "deny", "deny", "deny", "deny")
      const { decide } = yield* start(yield* scratch, approve)
      yield* decide(REQUEST)
      for (const key of ["agent", "server", "launch", "tool", "definition"]) {
        assert.deepStrictEqual(yield* decide({ ...REQUEST, [key]: "other" }), denied("person"), key)
      }
    })
  )
})

describe("a permanent approval", () => {
  it.effect(
    "for good belong to the person who gave them: Ada's is not Bob's, nor that of the user of this machine",
    () =>
      Effect.gen(function* () {
        const directory = yield* scratch
        const of = (personId: string, name: string): ApprovalRequest => ({
          ...REQUEST,
          personId,
          person: { issuer: "https://login.example.com", subject: personId, name }
        })
        const { approve, asked } = person("always", "deny", "deny")
        const records: Array<ApprovalRecord> = []
        const first = yield* start(directory, approve, records)
        assert.deepStrictEqual(yield* first.decide(of("a1", "Ada")), GIVEN("always"))
        const again = yield* start(directory, approve)
        assert.deepStrictEqual(yield* again.decide(of("a1", "Ada L.")), REMEMBERED("always"))
        assert.deepStrictEqual(yield* again.decide(of("b1", "Bob")), denied("person"))
        assert.deepStrictEqual(yield* again.decide(REQUEST), denied("person"))
        assert.deepStrictEqual(
          asked.map(({ changed }) => changed),
          [false, false, false]
        )
        assert.deepStrictEqual(
          records.map(({ answer, person: whose }) => [answer, whose?.name]),
          [
            ["asked", "Ada"],
            ["given", "Ada"]
          ]
        )
        const [kept, ...more] = yield* again.list
        assert.lengthOf(more, 0)
        assert.deepInclude(kept, { personId: "a1", personName: "Ada" })
        assert.strictEqual(yield* again.forget("main/fs"), 1)
        assert.lengthOf(yield* again.list, 0)
      }).pipe(Effect.scoped)
  )

  it.effect("holds in every process, in a private file without arguments", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const first = yield* start(directory, person("always").approve)
      const second = yield* start(directory)
      assert.deepStrictEqual(yield* second.decide(REQUEST), denied("nobody"))
      assert.deepStrictEqual(yield* first.decide(REQUEST), GIVEN("always"))
      assert.deepStrictEqual(yield* second.decide({ ...REQUEST, args: {} }), REMEMBERED("always"))
      const files = filesIn(directory)
      assert.lengthOf(files, 1)
      assert.strictEqual(statSync(files[0]!).mode & 0o777, 0o600)
      assert.strictEqual(statSync(join(directory, "approvals")).mode & 0o777, 0o700)
      assert.notInclude(readFileSync(files[0]!, "utf8"), "a.txt")
    })
  )

  it.effect("does not hold for another agent, server, launch, tool or definition", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* (yield* start(directory, person("always").approve)).decide(REQUEST)
      const { approve, asked } = person("deny", "deny", "deny", "deny", "deny")
      const { decide } = yield* start(directory, approve)
      for (const key of ["agent", "server", "launch", "tool", "definition"]) {
        assert.deepStrictEqual(yield* decide({ ...REQUEST, [key]: "other" }), denied("person"), key)
      }
      // Whoever approved it is told that it is not the same any more.
      assert.deepStrictEqual(
        asked.map(({ changed }) => changed),
        [false, false, true, false, true]
      )
      assert.deepStrictEqual(yield* decide(REQUEST), REMEMBERED("always"))
    })
  )

  it.effect(
    "does not hold when its file is damaged, writable by others or a link; the other approvals still hold",
    () =>
      Effect.gen(function* () {
        const directory = yield* scratch
        const OTHER = { ...REQUEST, tool: "other" }
        const { decide } = yield* start(directory, person("always", "always").approve)
        yield* decide(REQUEST)
        const [file] = filesIn(directory)
        const whole = readFileSync(file!, "utf8")
        yield* decide(OTHER)
        const damaged = [
          "",
          "{",
          "null",
          "[]",
          whole.slice(0, -3),
          whole.replace('"version": 1', '"version": 2'),
          whole.replace("hash-1", "hash-2"),
          whole.replace('"main"', '"other"'),
          whole.replace('"main"', "true"),
          `${whole}${" ".repeat(100_000)}`
        ]
        const process = yield* start(directory)
        for (const text of damaged) {
          writeFileSync(file!, text)
          assert.deepStrictEqual(yield* process.decide(REQUEST), denied("nobody"), JSON.stringify(text.slice(0, 40)))
          assert.deepStrictEqual(yield* process.decide(OTHER), REMEMBERED("always"))
        }
        writeFileSync(file!, whole)
        assert.deepStrictEqual(yield* process.decide(REQUEST), REMEMBERED("always"))
        chmodSync(file!, 0o666)
        assert.deepStrictEqual(yield* process.decide(REQUEST), denied("nobody"))
        chmodSync(file!, 0o600)
        renameSync(file!, `${directory}/elsewhere`)
        symlinkSync(`${directory}/elsewhere`, file!)
        assert.deepStrictEqual(yield* process.decide(REQUEST), denied("nobody"))
        rmSync(file!)
        mkdirSync(file!)
        assert.deepStrictEqual(yield* process.decide(REQUEST), denied("nobody"))
      })
  )

  it.effect("holds until the process ends when its file cannot be written", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "file")
      writeFileSync(directory, "")
      const { decide } = yield* start(directory, person("always", "deny").approve)
      assert.deepStrictEqual(yield* decide(REQUEST), GIVEN("always"))
      assert.deepStrictEqual(yield* decide(REQUEST), REMEMBERED("session"))
      assert.deepStrictEqual(yield* decide({ ...REQUEST, definition: "other" }), denied("person"))
    })
  )

  it.effect("is listed by agent, server and tool, without damaged files", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const { decide, list } = yield* start(directory, person("always", "always", "always").approve)
      assert.deepStrictEqual(yield* list, [])
      yield* TestClock.adjust(1_000)
      for (const tool of ["b", "a", "c"]) yield* decide({ ...REQUEST, tool })
      writeFileSync(join(directory, "approvals", "junk.json"), "{")
      assert.deepStrictEqual(
        (yield* list).map(({ tool }) => tool),
        ["a", "b", "c"]
      )
      assert.deepStrictEqual((yield* list)[0], {
        agent: "main",
        server: "fs",
        launch: "launch-1",
        tool: "a",
        definition: "hash-1",
        approvedAt: 1_000
      })
    })
  )

  it.effect("is forgotten by name, by pattern or with all others, and a running process asks again at once", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const running = yield* start(directory, () => Effect.succeed("always"))
      const { forget, list } = yield* start(directory)
      const approveAll = Effect.forEach(
        ["fs/a", "fs/b/c", "git/a"].map((name) => name.split("/")),
        ([server, ...tool]) => running.decide({ ...REQUEST, server: server!, tool: tool.join("/") })
      )
      const left = Effect.map(list, (all) => all.map(({ server, tool }) => `${server}/${tool}`))
      const cases: ReadonlyArray<readonly [pattern: string | undefined, count: number, left: ReadonlyArray<string>]> = [
        ["main/fs/a", 1, ["fs/b/c", "git/a"]],
        ["MAIN/fs/B/c", 1, ["fs/a", "git/a"]],
        ["main/fs", 2, ["git/a"]],
        ["*/a", 2, ["fs/b/c"]],
        ["main", 3, []],
        ["fs", 0, ["fs/a", "fs/b/c", "git/a"]],
        ["", 0, ["fs/a", "fs/b/c", "git/a"]],
        [undefined, 3, []]
      ]
      for (const [pattern, count, expected] of cases) {
        yield* approveAll
        assert.strictEqual(yield* forget(pattern), count, pattern)
        assert.deepStrictEqual(yield* left, expected, pattern)
      }
      assert.deepStrictEqual(yield* running.decide({ ...REQUEST, server: "fs", tool: "a" }), GIVEN("always"))
    })
  )

  it.effect("is not lost, and stays forgotten, when several processes add and forget at the same time", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const [one, two] = [
        yield* start(directory, () => Effect.succeed("always")),
        yield* start(directory, () => Effect.succeed("always"))
      ]
      yield* one.decide({ ...REQUEST, tool: "old" })
      const names = Array.from({ length: 20 }, (_, i) => `tool-${i}`)
      yield* Effect.all(
        [
          Effect.forEach(names, (tool) => one.decide({ ...REQUEST, tool }), { concurrency: "unbounded" }),
          two.forget("main/fs/old"),
          Effect.forEach(names, (tool) => two.decide({ ...REQUEST, server: "git", tool }), { concurrency: "unbounded" })
        ],
        { concurrency: "unbounded" }
      )
      const all = yield* one.list
      assert.lengthOf(all, 40)
      assert.isFalse(all.some(({ tool }) => tool === "old"))
      assert.isTrue(filesIn(directory).every((file) => file.endsWith(".json")))
    })
  )
})

describe("a call that named people approve", () => {
  const ADA = { issuer: "https://login.example.com", subject: "1", name: "ada" }
  const BY_LEADS: ApprovalRequest = {
    ...REQUEST,
    person: ADA,
    personId: "a1",
    client: "ada by vscode",
    approvers: ["bob", "group:leads"]
  }
  const ownClient = (...answers: ReadonlyArray<ApprovalAnswer>) => {
    const { approve, asked } = person(...answers)
    return { asked, own: { session: "s1", approve } satisfies Approver }
  }

  it.effect("is never asked of the client whose call it is, but of the operator, with whose call it is", () =>
    Effect.gen(function* () {
      const { approve, asked } = person("once", "deny")
      const records: Array<ApprovalRecord> = []
      const { decide } = yield* start(yield* scratch, approve, records)
      const { asked: askedOwn, own } = ownClient("once", "once")
      assert.deepStrictEqual(yield* decide(BY_LEADS, own), GIVEN("once"))
      assert.deepStrictEqual(yield* decide(BY_LEADS, own), denied("person"))
      assert.isEmpty(askedOwn)
      assert.deepInclude(asked[0], { caller: "ada (https://login.example.com)", approvers: ["bob", "group:leads"] })
      const answers = records.map(({ answer, answeredBy }) => [answer, answeredBy])
      assert.deepStrictEqual(answers, [
        ["asked", undefined],
        ["given", "operator"],
        ["asked", undefined],
        ["denied", "operator"]
      ])
    })
  )

  it.effect("is denied where only that client could be asked, and when nobody answers", () =>
    Effect.gen(function* () {
      const records: Array<ApprovalRecord> = []
      const { decide } = yield* start(yield* scratch, undefined, records)
      const { asked, own } = ownClient("once")
      assert.deepStrictEqual(yield* decide(BY_LEADS, own), denied("nobody"))
      const late = yield* start(yield* scratch, () => Effect.never, records)
      const waiting = yield* Effect.forkChild(late.decide(BY_LEADS, own))
      yield* TestClock.adjust(APPROVAL_TIMEOUT_MS)
      assert.deepStrictEqual(yield* Fiber.join(waiting), denied("timeout"))
      assert.isEmpty(asked)
      assert.isTrue(records.every(({ answeredBy }) => answeredBy === undefined))
    })
  )

  it.effect("may be approved by a session of the operator", () =>
    Effect.gen(function* () {
      const { decide } = yield* start(yield* scratch)
      const { asked, own } = ownClient("once")
      assert.deepStrictEqual(yield* decide(BY_LEADS, { ...own, isOperator: true }), GIVEN("once"))
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("is not allowed by what the person approved before, for the session or for good", () =>
    Effect.gen(function* () {
      const { decide } = yield* start(yield* scratch)
      const { approvers, ...own } = BY_LEADS
      for (const answer of ["session", "always"] as const) {
        const request = { ...own, tool: answer }
        const client = ownClient(answer).own
        assert.deepStrictEqual(yield* decide(request, client), GIVEN(answer))
        assert.deepStrictEqual(yield* decide(request, client), REMEMBERED(answer))
        assert.deepStrictEqual(yield* decide({ ...request, approvers }, client), denied("nobody"))
      }
    })
  )

  it.effect("is approved for good only until the session ends, and for no other client and no other approvers", () =>
    Effect.gen(function* () {
      const { approve, asked } = person("always", "deny", "deny", "deny")
      const directory = yield* scratch
      const { decide, endSession, list } = yield* start(directory, approve)
      const { own } = ownClient()
      assert.deepStrictEqual(yield* decide(BY_LEADS, own), GIVEN("session"))
      assert.deepStrictEqual(yield* decide(BY_LEADS, own), REMEMBERED("session"))
      assert.isEmpty(yield* list)
      assert.deepStrictEqual(yield* decide({ ...BY_LEADS, approvers: ["carol"] }, own), denied("person"))
      assert.deepStrictEqual(yield* decide(BY_LEADS, { ...own, session: "s2" }), denied("person"))
      yield* endSession("s1")
      assert.deepStrictEqual(yield* decide(BY_LEADS, own), denied("person"))
      assert.lengthOf(asked, 4)
    })
  )

  it.effect("is remembered for the client that cannot be asked itself, and no other", () =>
    Effect.gen(function* () {
      const { approve } = person("session", "deny")
      const { decide } = yield* start(yield* scratch, approve)
      const { person: _, personId: __, ...program } = { ...BY_LEADS, client: "client ci" }
      assert.deepStrictEqual(yield* decide(program), GIVEN("session"))
      assert.deepStrictEqual(yield* decide(program), REMEMBERED("session"))
      assert.deepStrictEqual(yield* decide({ ...program, client: "client other" }), denied("person"))
    })
  )
})

describe("the record of an answer", () => {
  it.effect("says who answered: the person of the client, the client of a program, or the operator", () =>
    Effect.gen(function* () {
      const ada = { issuer: "https://login.example.com", subject: "1", name: "ada" }
      const records: Array<ApprovalRecord> = []
      const { decide } = yield* start(yield* scratch, () => Effect.succeed("once"), records)
      const own: Approver = { session: "s", approve: () => Effect.succeed("deny") }
      yield* decide({ ...REQUEST, person: ada, personId: "a1" }, own)
      yield* decide({ ...REQUEST, client: "client ci" }, own)
      yield* decide({ ...REQUEST, client: "operator", person: ada }, { ...own, isOperator: true })
      yield* decide({ ...REQUEST, person: ada, personId: "a1" })
      const answered = records.filter(({ answer }) => answer !== "asked").map(({ answeredBy }) => answeredBy)
      assert.deepStrictEqual(answered, [ada, "client ci", "operator", "operator"])
    })
  )
})
