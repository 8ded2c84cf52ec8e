import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeNotifications } from "../../../../../src/layers/connection/ServerConnector/rpc/notifications.ts"
import { followLists, makeWatch } from "../../../../../src/layers/connection/ServerConnector/rpc/subscriptions.ts"
import { LISTEN_AGAIN_MAX_MS, WATCHED_RESOURCES_MAX } from "../../../../../src/schemas/defaults/HostRequests.ts"
import { ConnectionLost } from "../../../../../src/schemas/connection/RequestError.ts"
import type { Era } from "../../../../../src/schemas/connection/ServerState.ts"
import { scripted, type Script } from "../../../../support/session.ts"

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

const subscriber = (era: Era, script: Script, capabilities: Readonly<Record<string, unknown>> = {}) => {
  const incoming = makeNotifications(
    "fs",
    (text) => text,
    () => {}
  )
  const connected = scripted(script, incoming.hooks)
  if (era === "modern") connected.peer.envelope = {}
  const heard: Array<string> = []
  incoming.onEvent((event) => heard.push(event._tag === "ListChanged" ? "lists" : event.uri))
  return {
    ...connected,
    heard,
    incoming,
    subscriber: {
      session: connected.session,
      agreement: { era, protocolVersion: "x", capabilities },
      incoming,
      timeoutMs: 30_000
    },
    /** The resources of each stream that was asked for, and of those that were ended. */
    streams: () => connected.of("subscriptions/listen").map(({ id, params }) => [id, resourcesOf(params)] as const),
    ended: () => connected.of("notifications/cancelled").map(({ params }) => params!["requestId"])
  }
}

const filterOf = (params: unknown) => (params as { notifications: Record<string, unknown> }).notifications
const resourcesOf = (params: unknown) => filterOf(params)["resourceSubscriptions"] as ReadonlyArray<string>

/** Acknowledges what was asked for, or what `honour` makes of it, and leaves the stream open. As any server: later. */
const acknowledge =
  (honour: (filter: Record<string, unknown>) => unknown = (filter) => filter): Script =>
  (method, params, say, id) => {
    if (method !== "subscriptions/listen") return {}
    const notifications = honour(filterOf(params))
    queueMicrotask(() =>
      say({
        method: "notifications/subscriptions/acknowledged",
        params: { notifications, _meta: { [SUBSCRIPTION]: id } }
      })
    )
    return undefined
  }

const soon = Effect.promise(() => Promise.resolve())

describe("subscriptions: lists", () => {
  const LISTS = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: false } }

  it.effect("are requested from a modern server as it declares them, and not from a legacy server", () =>
    Effect.gen(function* () {
      const modern = subscriber("modern", acknowledge(), LISTS)
      yield* followLists(modern.subscriber)
      assert.deepStrictEqual(
        modern.of("subscriptions/listen").map(({ params }) => filterOf(params)),
        [{ toolsListChanged: true, promptsListChanged: true }]
      )
      const legacy = subscriber("legacy", acknowledge(), LISTS)
      yield* followLists(legacy.subscriber)
      assert.lengthOf(legacy.sent, 0)
    })
  )

  it.effect("count as changed when announcements of a legacy server may have been missed, if it makes any", () =>
    Effect.gen(function* () {
      for (const [capabilities, expected] of [
        [LISTS, ["lists"]],
        [{ tools: {} }, []]
      ] as const) {
        const { heard, subscriber: given } = subscriber("legacy", () => ({}), capabilities)
        const tells: Array<() => void> = []
        const session = { ...given.session, onMissed: (tell: () => void) => void tells.push(tell) }
        yield* followLists({ ...given, session })
        for (const tell of tells) tell()
        assert.deepStrictEqual(heard, [...expected])
      }
    })
  )

  it.effect("log what the server leaves out", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const { subscriber: given } = subscriber(
        "modern",
        acknowledge(() => ({ toolsListChanged: true })),
        LISTS
      )
      const hooks = { ...given.incoming.hooks, onViolation: (what: string) => void logged.push(what) }
      yield* followLists({ ...given, incoming: { ...given.incoming, hooks } })
      yield* soon
      assert.lengthOf(logged, 1)
      assert.include(logged[0], "promptsListChanged")
    })
  )

  it.effect("are requested again at growing intervals when the stream ends, each time as a change", () =>
    Effect.gen(function* () {
      const { heard, of, subscriber: given } = subscriber("modern", () => ({}), LISTS)
      yield* followLists(given)
      for (const [seconds, opened] of [
        [0, 1],
        [1, 2],
        [2, 3],
        [4, 4],
        [8, 5],
        [16, 6],
        [30, 7],
        [30, 8]
      ] as const) {
        yield* TestClock.adjust(seconds * 1000)
        assert.deepStrictEqual([of("subscriptions/listen").length, heard.length], [opened, opened - 1])
      }
      assert.strictEqual(LISTEN_AGAIN_MAX_MS, 30_000)
    })
  )

  it.effect("are requested again soon after a stream that lasted", () =>
    Effect.gen(function* () {
      const { of, peer, subscriber: given } = subscriber("modern", acknowledge(), LISTS)
      yield* followLists(given)
      for (let n = 1; n <= 3; n++) {
        yield* TestClock.adjust("2 minutes")
        peer.receive({
          method: "notifications/cancelled",
          params: { requestId: of("subscriptions/listen").at(-1)!.id }
        })
        yield* TestClock.adjust("1 second")
        assert.lengthOf(of("subscriptions/listen"), n + 1)
      }
    })
  )

  it.effect("are requested again after a mistake in the program at a change", () =>
    Effect.gen(function* () {
      const { incoming, of, subscriber: given } = subscriber("modern", () => ({}), LISTS)
      let changes = 0
      incoming.onEvent(() => {
        if (++changes === 1) throw new Error("a mistake")
      })
      yield* followLists(given)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(changes, 2)
      assert.lengthOf(of("subscriptions/listen"), 3)
    })
  )

  it.effect("are not requested again after a refusal or a lost connection", () =>
    Effect.gen(function* () {
      const refusing = subscriber(
        "modern",
        () => {
          throw { code: -32601, message: "no" }
        },
        LISTS
      )
      const gone = subscriber("modern", acknowledge(), LISTS)
      yield* followLists(refusing.subscriber)
      yield* followLists(gone.subscriber)
      gone.peer.close(new ConnectionLost({ server: "fs", detail: "gone", maybeExecuted: true }))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([refusing.sent.length, gone.of("subscriptions/listen").length], [1, 1])
    })
  )
})

describe("subscriptions: resources of a modern server", () => {
  it.effect("use one stream, which is opened before the previous one is cancelled", () =>
    Effect.gen(function* () {
      const {
        ended,
        streams,
        subscriber: given
      } = subscriber("modern", (method, params, say, id) => {
        assert.isEmpty(id === 1 ? [] : ended().filter((ended) => ended === id - 1))
        return acknowledge()(method, params, say, id)
      })
      const watch = makeWatch(given, yield* Effect.scope)
      yield* watch(["test://a"])
      yield* watch(["test://a", "test://b"])
      yield* watch(["test://b", "test://a"])
      assert.deepStrictEqual(streams(), [
        [1, ["test://a"]],
        [2, ["test://a", "test://b"]]
      ])
      assert.deepStrictEqual(ended(), [1])
      yield* watch([])
      assert.deepStrictEqual(ended(), [1, 2])
    })
  )

  it.effect("report updates, and all watched resources after a broken stream", () =>
    Effect.gen(function* () {
      const { heard, of, peer, subscriber: given } = subscriber("modern", acknowledge())
      yield* makeWatch(given, yield* Effect.scope)(["test://a", "test://b"])
      peer.receive({
        method: "notifications/resources/updated",
        params: { uri: "test://a", _meta: { [SUBSCRIPTION]: 1 } }
      })
      assert.deepStrictEqual(heard, ["test://a"])
      peer.receive({ id: of("subscriptions/listen")[0]!.id, result: { resultType: "complete" } })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heard, ["test://a", "test://a", "test://b"])
    })
  )

  for (const [what, script, tag] of [
    [
      "refuses",
      () => {
        throw { code: -32602, message: "no" }
      },
      "ProtocolError"
    ],
    ["never acknowledges", () => undefined, "CallTimeout"],
    [
      "acknowledges another subscription",
      (_method, _params, say) =>
        say({
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: {}, _meta: { [SUBSCRIPTION]: 99 } }
        }),
      "CallTimeout"
    ]
  ] as ReadonlyArray<readonly [string, Script, string]>) {
    it.effect(`fail for a server that ${what}, and leave no stream`, () =>
      Effect.gen(function* () {
        const { ended, sent, subscriber: given } = subscriber("modern", script)
        const watch = makeWatch(given, yield* Effect.scope)
        const fiber = yield* Effect.forkChild(Effect.flip(watch(["test://a"])))
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* Fiber.join(fiber))._tag, tag)
        assert.lengthOf(ended(), tag === "CallTimeout" ? 1 : 0)
        const before = sent.length
        yield* TestClock.adjust("1 hour")
        assert.lengthOf(sent, before)
      })
    )
  }

  it.effect("are requested again by the next watch after a refusal", () =>
    Effect.gen(function* () {
      let refuses = false
      const {
        of,
        peer,
        subscriber: given
      } = subscriber("modern", (method, params, say, id) => {
        if (refuses) throw { code: -32602, message: "no" }
        return acknowledge()(method, params, say, id)
      })
      const watch = makeWatch(given, yield* Effect.scope)
      yield* watch(["test://a"])
      refuses = true
      peer.receive({ id: 1, result: {} })
      yield* TestClock.adjust("1 second")
      refuses = false
      yield* watch(["test://a"])
      assert.lengthOf(of("subscriptions/listen"), 3)
    })
  )
})

describe("subscriptions: resources of a legacy server", () => {
  it.effect("are subscribed to and unsubscribed from one by one", () =>
    Effect.gen(function* () {
      const { sent, subscriber: given } = subscriber("legacy", () => ({}))
      const watch = makeWatch(given, yield* Effect.scope)
      yield* watch(["test://a", "test://b", "test://a"])
      yield* watch(["test://b", "test://c"])
      yield* watch(["test://c", "test://b"])
      assert.deepStrictEqual(
        sent.map(({ method, params }) => [method, params!["uri"]]),
        [
          ["resources/subscribe", "test://a"],
          ["resources/subscribe", "test://b"],
          ["resources/unsubscribe", "test://a"],
          ["resources/subscribe", "test://c"]
        ]
      )
    })
  )

  it.effect("count as changed when announcements may have been missed", () =>
    Effect.gen(function* () {
      const { heard, subscriber: given } = subscriber("legacy", () => ({}))
      const tells: Array<() => void> = []
      const session = { ...given.session, onMissed: (tell: () => void) => void tells.push(tell) }
      const watch = makeWatch({ ...given, session }, yield* Effect.scope)
      yield* watch(["test://a", "test://b"])
      yield* watch(["test://b"])
      for (const tell of tells) tell()
      assert.deepStrictEqual(heard, ["test://b"])
    })
  )

  it.effect("are subscribed to independently, and a refused one is tried again", () =>
    Effect.gen(function* () {
      let missing = true
      const { of, subscriber: given } = subscriber("legacy", (_method, { uri }) => {
        if (missing && uri === "test://a") throw { code: -32002, message: "not found" }
        return {}
      })
      const watch = makeWatch(given, yield* Effect.scope)
      const uris = ["test://a", "test://b"]
      assert.strictEqual((yield* Effect.flip(watch(uris)))._tag, "ProtocolError")
      missing = false
      yield* watch(uris)
      yield* watch(uris)
      assert.deepStrictEqual(
        of("resources/subscribe").map(({ params }) => params!["uri"]),
        ["test://a", "test://b", "test://a"]
      )
    })
  )

  it.effect("are limited in number and length", () =>
    Effect.gen(function* () {
      const { sent, subscriber: given } = subscriber("legacy", () => ({}))
      const many = Array.from({ length: 10_000 }, (_, i) => `test://${i}`)
      yield* makeWatch(given, yield* Effect.scope)(["x".repeat(100_000), ...many])
      assert.lengthOf(sent, WATCHED_RESOURCES_MAX)
      assert.strictEqual(sent[0]!.params!["uri"], "test://0")
    })
  )

  it.effect("fail after a timeout when the server is silent", () =>
    Effect.gen(function* () {
      const { of, subscriber: given } = subscriber("legacy", () => undefined)
      const watch = makeWatch(given, yield* Effect.scope)
      const fiber = yield* Effect.forkChild(Effect.flip(watch(["test://a"])))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "CallTimeout")
      assert.lengthOf(of("notifications/cancelled"), 1)
    })
  )
})
