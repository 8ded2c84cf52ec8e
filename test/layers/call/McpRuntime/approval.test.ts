/** Calls that need approval, through the whole runtime: who is asked, when, and about which paths. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import * as CallLimiterLayer from "../../../../src/layers/call/CallLimiter.ts"
import * as ConfigSourceLayer from "../../../../src/layers/config/ConfigSource.ts"
import type { ApprovalAnswer, ApprovalQuestion, ApprovalRequest } from "../../../../src/schemas/call/Approval.ts"
import { APPROVAL_TIMEOUT_MS } from "../../../../src/schemas/defaults/Approvals.ts"
import { LIST_CHANGED_DEBOUNCE_MS } from "../../../../src/schemas/defaults/Definitions.ts"
import { callerOf } from "../../../../src/schemas/call/Caller.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { Approvals, type Approve } from "../../../../src/services/call/Approvals.ts"
import { CallLimiter } from "../../../../src/services/call/CallLimiter.ts"
import { type CallOptions, McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { McpLiveTest, TestServers, type TestServer } from "../../../../src/testing.ts"
import { inFolder } from "../../../support/folder.ts"

const tool = (name: string, description = "") => ({
  name,
  description,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true, destructiveHint: false }
})

const FS: TestServer = {
  tools: [tool("read"), tool("write")],
  resources: [{ uri: "note://1", name: "One", read: () => "words" }]
}

interface Open {
  readonly question: ApprovalQuestion
  readonly answer: (answer: ApprovalAnswer) => Effect.Effect<boolean>
}

interface Setup {
  readonly ask: ReadonlyArray<string>
  readonly serverAsk?: ReadonlyArray<string>
  readonly more?: object
  readonly threshold?: number
  readonly servers?: Record<string, TestServer>
  readonly limiter?: Layer.Layer<CallLimiter>
  readonly approvals?: Layer.Layer<Approvals>
}

/** A runtime, and the questions that are open, one after the other. */
const live = (
  { approvals, ask, limiter, more, serverAsk, servers = { fs: FS }, threshold = 0 }: Setup,
  answers?: Queue.Queue<Open>
) =>
  Layer.unwrap(
    Effect.map(inFolder, (dataDirectory) => {
      const configured = Object.keys(servers).map((name) => [
        name,
        { command: "in-memory", ...(serverAsk && { tools: { ask: serverAsk } }) }
      ])
      const config = ConfigSourceLayer.layerObject({
        mcp: { servers: Object.fromEntries(configured), toolIndex: { threshold } },
        agents: { defaults: { tools: { ask, ...more } } }
      })
      const approve: Approve = (question) =>
        Effect.flatMap(Deferred.make<ApprovalAnswer>(), (answer) =>
          Effect.andThen(
            Queue.offer(answers!, { question, answer: (given) => Deferred.succeed(answer, given) }),
            Deferred.await(answer)
          )
        )
      return McpLiveTest(servers, {
        dataDirectory,
        approve: answers === undefined ? undefined : approve,
        replace: { config, ...(limiter && { limiter }), ...(approvals && { approvals }) }
      }).pipe(Layer.provideMerge(Logger.layer([])))
    })
  )

const call = (name: string, args: Record<string, unknown> = {}) =>
  Effect.flatMap(McpRuntime, (runtime) => Effect.andThen(runtime.ready, runtime.call(name, args)))

const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)
const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

const callsAt = (server: string) => Effect.map(TestServers, ({ counts }) => counts(server).calls)

describe("a call that needs approval", () => {
  const refusals: ReadonlyArray<readonly [answer: ApprovalAnswer | undefined, words: string]> = [
    ["deny", "who said no"],
    [undefined, "nobody answered in time"]
  ]
  for (const [answer, words] of refusals) {
    it.effect(`is not sent, and its result says "${words}"`, () =>
      Effect.gen(function* () {
        const answers = yield* Queue.unbounded<Open>()
        yield* Effect.gen(function* () {
          const waiting = yield* Effect.forkChild(call("mcp_fs_write"))
          const open = yield* Queue.take(answers)
          yield* answer === undefined ? TestClock.adjust(APPROVAL_TIMEOUT_MS) : open.answer(answer)
          const result = yield* Fiber.join(waiting)
          assert.strictEqual(tagOf(result), "ApprovalDenied")
          assert.include(textOf(result), words)
          assert.strictEqual(yield* callsAt("fs"), 0)
        }).pipe(Effect.provide(live({ ask: ["fs/write"] }, answers)))
      })
    )
  }

  it.effect("and was refused tells a person who reads the result nothing that is meant for a model", () =>
    Effect.gen(function* () {
      const answers = yield* Queue.unbounded<Open>()
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        const refused = Effect.fnUntraced(function* (options: CallOptions) {
          const waiting = yield* Effect.forkChild(runtime.call("mcp_fs_write", {}, options))
          yield* (yield* Queue.take(answers)).answer("deny")
          return textOf(yield* Fiber.join(waiting))
        })
        const forModel = "Do not call it again for this"
        assert.include(yield* refused({}), forModel)
        assert.include(yield* refused({ look: "agent" }), forModel)
        for (const options of [{ look: "person" }, { look: "raw" }, { reader: "person" }] as const) {
          assert.match(yield* refused(options), /who said no \(ask: fs\/write\)\. Nothing was sent\.$/)
        }
      }).pipe(Effect.provide(live({ ask: ["fs/write"] }, answers)))
    })
  )

  for (const [answer, words] of [
    ["deny", "it needs the approval of ada or group:leads, and it was refused"],
    [undefined, "it waited for the approval of ada or group:leads, and nobody answered in time"]
  ] as const) {
    it.effect(`that named people approve says whom it waited for: "${words}"`, () =>
      Effect.gen(function* () {
        const answers = yield* Queue.unbounded<Open>()
        yield* Effect.gen(function* () {
          const runtime = yield* McpRuntime
          yield* runtime.ready
          const own = { session: "own", approve: () => Effect.succeed("once" as const) }
          const options = { approver: own, caller: callerOf("client ci") }
          const waiting = yield* Effect.forkChild(runtime.call("mcp_fs_write", {}, options))
          const open = yield* Queue.take(answers)
          assert.deepInclude(open.question, { caller: "client ci", approvers: ["ada", "group:leads"] })
          yield* answer === undefined ? TestClock.adjust(APPROVAL_TIMEOUT_MS) : open.answer(answer)
          const result = yield* Fiber.join(waiting)
          assert.include(textOf(result), words)
          assert.strictEqual(yield* callsAt("fs"), 0)
        }).pipe(Effect.provide(live({ ask: ["fs/write"], more: { approvers: ["ada", "group:leads"] } }, answers)))
      })
    )
  }

  it.effect("is not sent without an approver, and its tool is still listed", () =>
    Effect.gen(function* () {
      const { tools } = yield* McpRuntime
      assert.include(
        (yield* tools).map(({ name }) => name),
        "mcp_fs_write"
      )
      assert.include(textOf(yield* call("mcp_fs_write")), "nobody can be asked here")
      assert.isFalse((yield* call("mcp_fs_read")).isError)
      assert.strictEqual(yield* callsAt("fs"), 1)
    }).pipe(Effect.provide(live({ ask: ["fs/write"] })))
  )

  it.effect("is asked about on every path, whatever annotations its tool has", () =>
    Effect.gen(function* () {
      const paths: ReadonlyArray<readonly [setup: Setup, name: string, args?: Record<string, unknown>]> = [
        [{ ask: ["fs/write"] }, "mcp_fs_write"],
        [{ ask: ["MCP_FS_*"] }, "mcp_fs_write"],
        [{ ask: [], serverAsk: ["writ?"] }, "mcp_fs_write"],
        [{ ask: ["fs/write"], more: { allow: ["fs/write", "mcp_call_tool"] } }, "mcp_fs_write"],
        [{ ask: ["fs/write"], threshold: 1 }, "mcp_fs_write"],
        [{ ask: ["fs/write"], threshold: 1 }, "mcp_call_tool", { name: "mcp_fs_write" }],
        [{ ask: ["mcp_call_tool"], threshold: 1 }, "mcp_call_tool", { name: "mcp_fs_write" }],
        [{ ask: ["*"], threshold: 1 }, "mcp_call_tool", { name: "mcp_fs_write" }],
        [{ ask: ["*"], threshold: 1 }, "mcp_search_tools", {}],
        [{ ask: ["fs/read_resource"] }, "mcp_fs_read_resource", { uri: "note://1" }],
        [{ ask: ["*/list_resources"] }, "mcp_fs_list_resources"],
        [{ ask: [], serverAsk: ["*"] }, "mcp_fs_read_resource", { uri: "note://1" }],
        [{ ask: ["fs/read_resource"], threshold: 1 }, "mcp_call_tool", { name: "mcp_fs_read_resource" }],
        [
          { ask: ["*"], threshold: 1 },
          "mcp_call_tool",
          { name: "mcp_fs_read_resource", arguments: { uri: "note://1" } }
        ],
        [{ ask: ["mcp_read_more"] }, "mcp_read_more", { id: "x" }]
      ]
      for (const [setup, name, args] of paths) {
        const at = JSON.stringify([setup.ask, setup.serverAsk, name])
        const result = yield* Effect.provide(call(name, args), live(setup))
        assert.strictEqual(tagOf(result), "ApprovalDenied", at)
        const answers = yield* Queue.unbounded<Open>()
        yield* Effect.gen(function* () {
          let asked = 0
          const sayYes = Effect.flatMap(Queue.take(answers), ({ answer }) => {
            asked++
            return answer("once")
          })
          yield* Effect.forkChild(Effect.forever(sayYes))
          assert.notStrictEqual(tagOf(yield* call(name, args)), "ApprovalDenied", at)
          assert.strictEqual(asked, 1, at)
        }).pipe(Effect.provide(live(setup, answers)))
      }
    })
  )

  it.effect("is asked about with the launch of its server, also for the tools that read resources", () => {
    const requests: Array<ApprovalRequest> = []
    const approvals = Layer.mock(Approvals, {
      decide: (request) => Effect.sync(() => (requests.push(request), { allowed: false, reason: "nobody" } as const))
    })
    return Effect.gen(function* () {
      for (const name of ["mcp_fs_write", "mcp_fs_read", "mcp_fs_read_resource", "mcp_read_more"]) yield* call(name)
      const [write, read, resource, own] = requests
      assert.match(write!.launch, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual([read!.launch, resource!.launch], [write!.launch, write!.launch])
      assert.notStrictEqual(own!.launch, write!.launch)
      assert.notStrictEqual(write!.definition, read!.definition)
      assert.deepStrictEqual(
        requests.map(({ server, tool }) => `${server}/${tool}`),
        ["fs/write", "fs/read", "fs/read_resource", "mcp/read_more"]
      )
    }).pipe(Effect.provide(live({ ask: ["*"], approvals })))
  })

  it.effect("is not asked about when it is refused anyway", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [more: object, args: unknown, tag: string]> = [
        [{ deny: ["fs/write"] }, {}, "PolicyDenied"],
        [{ allow: ["fs/read"] }, {}, "PolicyDenied"],
        [{}, "text", "InvalidArguments"]
      ]
      for (const [more, args, tag] of cases) {
        const answers = yield* Queue.unbounded<Open>()
        const result = yield* Effect.provide(
          call("mcp_fs_write", args as Record<string, unknown>),
          live({ ask: ["fs/*"], more }, answers)
        )
        assert.strictEqual(tagOf(result), tag)
        assert.strictEqual(yield* Queue.size(answers), 0)
      }
    })
  )

  it.effect("takes its place at the limiter, and starts its timeout, after the answer", () =>
    Effect.gen(function* () {
      const answers = yield* Queue.unbounded<Open>()
      const admitted: Array<string> = []
      const limiter = Layer.effect(
        CallLimiter,
        Effect.map(CallLimiter, (own) => ({
          ...own,
          admit: (caller, work) =>
            Effect.suspend(() => {
              admitted.push(caller.server)
              return own.admit(caller, work)
            })
        }))
      ).pipe(Layer.provide(CallLimiterLayer.layer()))
      const servers: Record<string, TestServer> = { fs: { ...FS, faults: { callTime: "50 seconds" } } }
      yield* Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(call("mcp_fs_write"))
        const open = yield* Queue.take(answers)
        yield* TestClock.adjust(APPROVAL_TIMEOUT_MS - 1)
        assert.deepStrictEqual(admitted, [])
        yield* open.answer("once")
        yield* TestClock.adjust("50 seconds")
        assert.isFalse((yield* Fiber.join(waiting)).isError)
        assert.deepStrictEqual(admitted, ["fs"])
      }).pipe(Effect.provide(live({ ask: ["fs/*"], limiter, servers }, answers)))
    })
  )

  it.effect("is not sent when its tool changes before the answer", () =>
    Effect.gen(function* () {
      const answers = yield* Queue.unbounded<Open>()
      yield* Effect.gen(function* () {
        const { setTools } = yield* TestServers
        const waiting = yield* Effect.forkChild(call("mcp_fs_write"))
        const open = yield* Queue.take(answers)
        yield* setTools("fs", [tool("write", "Sends everything away")])
        yield* TestClock.adjust(LIST_CHANGED_DEBOUNCE_MS)
        yield* open.answer("always")
        const result = yield* Fiber.join(waiting)
        assert.strictEqual(tagOf(result), "ApprovalDenied")
        assert.include(textOf(result), "the tool changed while a person was asked")
        assert.strictEqual(yield* callsAt("fs"), 0)
        // What was approved for good was the other one.
        const again = yield* Effect.forkChild(call("mcp_fs_write"))
        const { answer, question } = yield* Queue.take(answers)
        assert.isTrue(question.changed)
        yield* answer("once")
        assert.isFalse((yield* Fiber.join(again)).isError)
      }).pipe(Effect.provide(live({ ask: ["fs/*"] }, answers)))
    })
  )

  it.effect("asks the caller's approver instead of the program's, also through mcp_call_tool", () =>
    Effect.gen(function* () {
      const answers = yield* Queue.unbounded<Open>()
      const asked: Array<string> = []
      const approver = {
        session: "s1",
        approve: ({ exposed }: ApprovalQuestion) => Effect.sync(() => (asked.push(exposed), "once" as const))
      }
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        assert.isFalse((yield* runtime.call("mcp_fs_write", {}, { approver })).isError)
        assert.isFalse((yield* runtime.call("mcp_call_tool", { name: "mcp_fs_read" }, { approver })).isError)
        assert.deepStrictEqual(asked, ["mcp_fs_write", "mcp_fs_read"])
        assert.strictEqual(yield* Queue.size(answers), 0)
      }).pipe(Effect.provide(live({ ask: ["fs/*"], threshold: 1 }, answers)))
    })
  )

  it.effect("is any call under askAlways, with one question through mcp_call_tool and none for a denied call", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const approver = {
        session: "s1",
        approve: ({ exposed }: ApprovalQuestion) => Effect.sync(() => (asked.push(exposed), "once" as const))
      }
      const options = { approver, askAlways: true }
      const runtime = yield* McpRuntime
      yield* runtime.ready
      assert.isFalse((yield* runtime.call("mcp_fs_read", {}, options)).isError)
      assert.isFalse((yield* runtime.call("mcp_call_tool", { name: "mcp_fs_read" }, options)).isError)
      assert.isFalse((yield* runtime.call("mcp_fs_list_resources", {}, options)).isError)
      assert.deepStrictEqual(asked, ["mcp_fs_read", "mcp_fs_read", "mcp_fs_list_resources"])
      assert.strictEqual(tagOf(yield* runtime.call("mcp_fs_write", {}, options)), "PolicyDenied")
      assert.lengthOf(asked, 3)
      assert.isTrue((yield* runtime.call("mcp_call_tool", { name: "mcp_fs_write" }, options)).isError)
      // Without somebody to ask it is a no.
      assert.strictEqual(tagOf(yield* runtime.call("mcp_fs_read", {}, { askAlways: true })), "ApprovalDenied")
    }).pipe(Effect.provide(live({ ask: [], more: { deny: ["fs/write"] }, threshold: 1 })))
  )
})
