import { assert, describe, it } from "@effect/vitest"
import { noDeadlines } from "../../../../support/deadlines.ts"
import type { HostAnswer } from "../../../../../src/layers/connection/ServerConnector/rpc/Inbound.ts"
import type { Link, OutgoingMessage } from "../../../../../src/layers/connection/ServerConnector/rpc/Link.ts"
import { Peer, type PeerHooks } from "../../../../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import type { Outcome } from "../../../../../src/layers/connection/ServerConnector/rpc/answer.ts"
import { HOST_REQUESTS_MAX, HOST_REQUESTS_PER_SECOND } from "../../../../../src/schemas/defaults/HostRequests.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../../../src/schemas/defaults/Results.ts"
import { CUT_MARGIN_CHARS } from "../../../../../src/schemas/defaults/Texts.ts"
import { ConnectionLost } from "../../../../../src/schemas/connection/RequestError.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import { VERSION } from "../../../../../src/schemas/data/Version.ts"
import packageJson from "../../../../../package.json" with { type: "json" }

const LONG = { idleMs: 60_000, totalMs: 60_000 }

/** A request that a host was given. */
interface Asked {
  readonly params: Readonly<Record<string, unknown>>
  readonly settle: (answer: HostAnswer) => void
  stopped: boolean
}

/** A peer whose link only remembers what was sent. */
const connect = (link: Partial<Link> = {}, tidy: PeerHooks["tidy"] = (text) => text) => {
  const sent: Array<OutgoingMessage> = []
  const notifications: Array<string> = []
  const oddities: Array<string> = []
  const asked: Array<Asked> = []
  const answered: Array<string> = []
  const peer = new Peer(
    "fs",
    { send: (message) => void sent.push(message), ...link },
    {
      deadlines: noDeadlines,
      loop: makeEventLoop(),
      onNotification: (method) => notifications.push(method),
      onViolation: (what) => oddities.push(what),
      tidy,
      onAnswered: () => answered.push("answered"),
      onRequest: (method, params, settle) => {
        if (!["roots/list", "elicitation/create"].includes(method)) return undefined
        const request: Asked = { params, settle, stopped: false }
        asked.push(request)
        return () => {
          request.stopped = true
        }
      }
    }
  )
  const ask = (method = "tools/call") => {
    const outcomes: Array<Outcome> = []
    const id = peer.request(method, { name: "x" }, LONG, (outcome) => outcomes.push(outcome))
    return { outcomes, cancel: () => peer.cancel(id), id }
  }
  return { peer, sent, notifications, oddities, asked, answered, ask }
}

const tagOf = (outcome: Outcome | undefined) => (outcome === undefined || outcome.ok ? undefined : outcome.error._tag)

describe("Peer: responses", () => {
  it("delivers a long one in a turn of its own, also after the link closed", async () => {
    const { ask, peer } = connect()
    const [long, short] = [ask(), ask()]
    peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: long.id, result: { text: "x".repeat(100_000) } }))
    peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: short.id, result: {} }))
    assert.strictEqual(short.outcomes.length, 1)
    assert.deepStrictEqual(long.outcomes, [])
    peer.close(new ConnectionLost({ server: "fs", detail: "gone", maybeExecuted: false }))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(
      long.outcomes.map(({ ok }) => ok),
      [true]
    )
  })

  it("delivers two long ones in separate turns", async () => {
    const { ask, peer } = connect()
    const [first, second, short] = [ask(), ask(), ask()]
    for (const { id } of [first, second])
      peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "x".repeat(100_000) } }))
    peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: short.id, result: {} }))
    const given = () => [first, second, short].map(({ outcomes }) => outcomes.length)
    assert.deepStrictEqual(given(), [0, 0, 1])
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(given(), [1, 0, 1])
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(given(), [1, 1, 1])
  })

  it("counts only a response to a pending request", () => {
    const { answered, ask, peer } = connect()
    const { id } = ask()
    assert.deepStrictEqual(
      [id, String(id), id + 1, null].map((each) => peer.awaits(each)),
      [true, false, false, false]
    )
    for (const message of [{ id: id + 1, result: {} }, { id: String(id), result: {} }, { method: "ping", id }, {}]) {
      peer.receive({ jsonrpc: "2.0", ...message })
    }
    assert.lengthOf(answered, 0)
    for (let times = 0; times < 2; times++) peer.receive({ jsonrpc: "2.0", id, result: {} })
    assert.lengthOf(answered, 1)
    assert.isFalse(peer.awaits(id))
  })

  it("match requests by id, in any order", () => {
    const { ask, peer } = connect()
    const [a, b] = [ask(), ask()]
    peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: b.id, result: { n: 2 } }))
    peer.receiveText(JSON.stringify({ result: { n: 1 }, id: a.id, jsonrpc: "2.0" }))
    assert.deepStrictEqual(a.outcomes, [{ ok: true, result: { n: 1 } }])
    assert.deepStrictEqual(b.outcomes, [{ ok: true, result: { n: 2 } }])
  })

  it("accepts only the first response, with an id of the same type", () => {
    const { ask, oddities, peer } = connect()
    const { id, outcomes } = ask()
    for (const wrong of [String(id), id + 1, null, undefined]) peer.receive({ jsonrpc: "2.0", id: wrong, result: {} })
    assert.lengthOf(outcomes, 0)
    peer.receive({ jsonrpc: "2.0", id, result: { n: 1 } })
    peer.receive({ jsonrpc: "2.0", id, result: { secret: "second" } })
    assert.deepStrictEqual(outcomes, [{ ok: true, result: { n: 1 } }])
    assert.lengthOf(oddities, 5)
    assert.notInclude(oddities.join(), "second")
  })

  it("does not throw for any line, nor for an error in a listener", () => {
    const { peer, sent } = connect()
    const fail = () => {
      throw new Error("a listener's bug")
    }
    peer.request("tools/call", {}, { ...LONG, onProgress: fail }, () => {})
    const { progressToken } = sent[0]!.params!["_meta"] as { progressToken: number }
    const hostile = '{"toString":1,"valueOf":1}'
    for (const line of [
      `{"id":${sent[0]!.id},"error":{"code":${hostile},"message":${hostile}}}`,
      `{"method":"notifications/message","params":{"level":${hostile},"data":${hostile}}}`,
      `{"method":"notifications/progress","params":{"progressToken":${progressToken}}}`,
      `{"id":${hostile},"method":${hostile},"result":${hostile}}`
    ]) {
      assert.doesNotThrow(() => peer.receiveText(line))
    }
  })

  it("reads a batch, but no nested batch", () => {
    const { ask, peer } = connect()
    const [a, b] = [ask(), ask()]
    peer.receive([{ id: a.id, result: {} }, [{ id: b.id, result: {} }], []])
    assert.lengthOf(a.outcomes, 1)
    assert.lengthOf(b.outcomes, 0)
  })

  it("keeps code and message of a JSON-RPC error, whatever their types", () => {
    const { ask, peer } = connect()
    for (const [error, code, detail] of [
      [{ code: -32602, message: "bad" }, -32602, "bad"],
      [{ code: "-1", message: "text code" }, -1, "text code"],
      [{ code: {}, message: {} }, null, "an error without a message"],
      [{ code: { toString: 1, valueOf: 1 }, message: "no number" }, null, "no number"]
    ] as const) {
      const { id, outcomes } = ask()
      peer.receive({ id, error })
      assert.deepInclude((outcomes[0] as Extract<Outcome, { ok: false }>).error, {
        _tag: "ProtocolError",
        code,
        detail
      })
    }
  })

  it("refuses a result that is not an object or is nested too deep", () => {
    const { ask, peer } = connect()
    for (const result of ["1", "null", "[]", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`]) {
      const { id, outcomes } = ask()
      peer.receiveText(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
      assert.strictEqual(tagOf(outcomes[0]), "ProtocolError")
    }
  })

  it("cuts deep values out of a list, and keeps the rest", async () => {
    const { ask, peer } = connect()
    for (const depth of [1_000, 40_000]) {
      const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
      const answer = (id: number) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"a"},{"name":"b","x":${deep}}]}}`
      const [list, other] = [ask("tools/list"), ask("tools/call")]
      peer.receiveText(answer(list.id))
      peer.receiveText(answer(other.id))
      await new Promise((resolve) => setImmediate(resolve))
      assert.strictEqual(tagOf(other.outcomes[0]), "ProtocolError", "a result is taken whole or not at all")
      const [outcome] = list.outcomes
      assert.isTrue(outcome?.ok)
      const { tools } = (outcome as { result: { tools: ReadonlyArray<{ name: string }> } }).result
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["a", "b"]
      )
      assert.isBelow(JSON.stringify(tools).length, 1_000)
    }
  })

  it("skips lines that are not JSON, and accepts a byte order mark", () => {
    const { ask, oddities, peer } = connect()
    const { id, outcomes } = ask()
    for (const line of ["Starting server…", "", "   ", '{"half":', "42", '"text"']) peer.receiveText(line)
    peer.receiveText(`\ufeff{"id":${id},"result":{}}\r`)
    assert.lengthOf(outcomes, 1)
    assert.lengthOf(oddities, 4)
  })

  it("fails the request of an oversized response, or all when the id is unknown", () => {
    const { ask, peer } = connect()
    const [a, b, c] = [ask(), ask(), ask()]
    peer.receiveOversize(b.id)
    assert.deepStrictEqual([tagOf(a.outcomes[0]), tagOf(b.outcomes[0])], [undefined, "MessageTooLarge"])
    peer.receiveOversize(undefined)
    assert.deepStrictEqual([tagOf(a.outcomes[0]), tagOf(c.outcomes[0])], ["MessageTooLarge", "MessageTooLarge"])
  })
})

describe("Peer: cancellation", () => {
  it("notifies the server once, and drops a late response", () => {
    const { ask, peer, sent } = connect()
    const { cancel, id, outcomes } = ask()
    cancel()
    cancel()
    peer.receive({ id, result: {} })
    assert.strictEqual(tagOf(outcomes[0]), "CallCancelled")
    assert.lengthOf(outcomes, 1)
    const told = sent.filter(({ method }) => method === "notifications/cancelled")
    assert.deepInclude(told[0]?.params, { requestId: id })
    assert.lengthOf(told, 1)
  })

  it("sends nothing after the response has arrived", () => {
    const { ask, peer, sent } = connect()
    const { cancel, id, outcomes } = ask()
    peer.receive({ id, result: {} })
    cancel()
    assert.lengthOf(outcomes, 1)
    assert.lengthOf(sent, 1)
  })

  it("does not cancel the handshake", () => {
    const { ask, sent } = connect()
    ask("initialize").cancel()
    ask("server/discover").cancel()
    assert.lengthOf(sent, 2)
  })
})

describe("Peer: the message of an error", () => {
  it("is cut before it is sanitized", () => {
    const cleaned: Array<number> = []
    const { ask, peer } = connect({}, (text, maxChars) => {
      cleaned.push(text.length)
      return text.slice(0, maxChars)
    })
    const { id, outcomes } = ask()
    peer.receive({ id, error: { code: -1, message: "x".repeat(1_000_000) } })
    assert.isAtMost(Math.max(...cleaned), ERROR_TEXT_MAX_CHARS + CUT_MARGIN_CHARS)
    assert.strictEqual(tagOf(outcomes[0]), "ProtocolError")
  })
})

describe("Peer: requests of the server", () => {
  it("answers ping, and declines methods that the host does not offer", () => {
    const { peer, sent } = connect()
    peer.receive({ id: 1, method: "ping" })
    peer.receive({ id: "a", method: "sampling/createMessage", params: {} })
    assert.deepStrictEqual(sent[0], { jsonrpc: "2.0", id: 1, result: {} })
    assert.deepInclude(sent[1]?.error, { code: -32601 })
    assert.strictEqual(sent[1]?.id, "a")
  })

  it("passes a request to the host, and answers once under the server's id", () => {
    const { asked, peer, sent } = connect()
    peer.receive({ id: 1, method: "roots/list" })
    peer.receive({ id: "1", method: "elicitation/create", params: { message: "?" } })
    assert.deepStrictEqual(asked[1]!.params, { message: "?" })
    asked[1]!.settle({ result: { action: "accept" } })
    asked[0]!.settle({ error: { code: -1, message: "no" } })
    asked[0]!.settle({ result: {} })
    assert.deepStrictEqual(sent, [
      { jsonrpc: "2.0", id: "1", result: { action: "accept" } },
      { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } }
    ])
  })

  it("limits concurrent requests, and refuses the others at once", () => {
    const { asked, peer, sent } = connect()
    for (let id = 0; id < HOST_REQUESTS_MAX + 1; id++) peer.receive({ id, method: "roots/list" })
    assert.lengthOf(asked, HOST_REQUESTS_MAX)
    assert.deepStrictEqual(
      sent.map(({ error, id }) => [id, error?.code]),
      [[HOST_REQUESTS_MAX, -1]]
    )
    asked[0]!.settle({ result: {} })
    peer.receive({ id: 99, method: "roots/list" })
    assert.lengthOf(asked, HOST_REQUESTS_MAX + 1)
  })

  it("limits its responses to 10,000 requests", () => {
    const { oddities, peer, sent } = connect()
    for (let id = 0; id < 10_000; id++) peer.receive({ id, method: id % 2 === 0 ? "ping" : "sampling/createMessage" })
    assert.lengthOf(sent, HOST_REQUESTS_PER_SECOND)
    assert.lengthOf(oddities, 10_000 - HOST_REQUESTS_PER_SECOND)
  })

  it("limits the requests that the host answers at once", () => {
    const { asked, peer, sent } = connect()
    for (let id = 0; id < 10_000; id++) {
      peer.receive({ id, method: "roots/list" })
      asked[id]?.settle({ result: { roots: [] } })
    }
    assert.lengthOf(asked, HOST_REQUESTS_PER_SECOND)
    assert.lengthOf(sent, HOST_REQUESTS_PER_SECOND)
  })

  it("refuses an id that is in flight, and keeps the first request", () => {
    const { asked, peer, sent } = connect()
    peer.receive({ id: 7, method: "roots/list" })
    peer.receive({ id: 7, method: "elicitation/create" })
    assert.lengthOf(asked, 1)
    assert.strictEqual(sent[0]?.error?.code, -32600)
    asked[0]!.settle({ result: { roots: [] } })
    assert.deepStrictEqual(sent[1], { jsonrpc: "2.0", id: 7, result: { roots: [] } })
  })

  it("ignores messages with an invalid id", () => {
    const { asked, notifications, oddities, peer, sent } = connect()
    for (const id of ["{}", "[1]", "true", "1e999", '{"toString":1}']) {
      peer.receiveText(`{"id":${id},"method":"notifications/tools/list_changed"}`)
      peer.receiveText(`{"id":${id},"method":"roots/list"}`)
    }
    assert.lengthOf(asked, 0)
    assert.lengthOf(sent, 0)
    assert.lengthOf(notifications, 0)
    assert.lengthOf(oddities, 10)
  })

  it("stops a cancelled request, and sends no response", () => {
    const { asked, peer, sent } = connect()
    peer.receive({ id: "q", method: "elicitation/create" })
    for (const requestId of ["x", 1, null, {}, ["q"]]) {
      peer.receive({ method: "notifications/cancelled", params: { requestId } })
    }
    assert.isFalse(asked[0]!.stopped)
    peer.receive({ method: "notifications/cancelled", params: { requestId: "q" } })
    assert.isTrue(asked[0]!.stopped)
    asked[0]!.settle({ result: {} })
    assert.lengthOf(sent, 0)
  })

  it("ignores the cancellation of our own request", () => {
    const { ask, peer } = connect()
    const { id, outcomes } = ask()
    peer.receive({ method: "notifications/cancelled", params: { requestId: id } })
    assert.lengthOf(outcomes, 0)
    peer.receive({ id, result: {} })
    assert.lengthOf(outcomes, 1)
  })

  it("drops a late answer to a cancelled request whose id is used again", () => {
    const { asked, peer, sent } = connect()
    peer.receive({ id: 1, method: "elicitation/create" })
    peer.receive({ method: "notifications/cancelled", params: { requestId: 1 } })
    peer.receive({ id: 1, method: "elicitation/create" })
    asked[0]!.settle({ result: { action: "accept" } })
    assert.lengthOf(sent, 0)
    asked[1]!.settle({ result: { action: "decline" } })
    assert.deepStrictEqual(sent[0]?.result, { action: "decline" })
  })

  it("stops the host's work when the connection ends", () => {
    const { asked, peer, sent } = connect()
    for (const id of [1, 2]) peer.receive({ id, method: "elicitation/create" })
    peer.close(new ConnectionLost({ server: "fs", detail: "gone", maybeExecuted: true }))
    assert.isTrue(asked[0]!.stopped && asked[1]!.stopped)
    asked[0]!.settle({ result: {} })
    assert.lengthOf(sent, 0)
  })

  it("ignores requests under 2026-07-28", () => {
    const { peer, sent } = connect()
    peer.envelope = {}
    peer.receive({ id: 1, method: "ping" })
    assert.lengthOf(sent, 0)
  })

  it("adds the 2026-07-28 envelope to every request, below the caller's own keys", () => {
    const { peer, sent } = connect()
    peer.envelope = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", a: 1 }
    peer.request("tools/call", { name: "x", _meta: { a: 2 } }, LONG, () => {})
    assert.deepStrictEqual(sent[0]?.params, {
      name: "x",
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", a: 2 }
    })
  })

  it("accepts the cancellation of a subscription only, under 2026-07-28", () => {
    const { ask, peer } = connect()
    peer.envelope = {}
    const [call, subscription] = [ask(), ask("subscriptions/listen")]
    for (const requestId of [call.id, subscription.id]) {
      peer.receive({ method: "notifications/cancelled", params: { requestId } })
    }
    assert.lengthOf(call.outcomes, 0)
    assert.deepStrictEqual(subscription.outcomes, [{ ok: true, result: {} }])
  })

  it("refuses a result of unknown type under 2026-07-28", () => {
    const { ask, peer } = connect()
    peer.envelope = {}
    const outcomes = ["complete", undefined, "input_required", "task", 5].map((resultType) => {
      const { id, outcomes } = ask()
      peer.receive({ id, result: { resultType } })
      return tagOf(outcomes[0])
    })
    assert.deepStrictEqual(outcomes, [undefined, undefined, "ProtocolError", "ProtocolError", "ProtocolError"])
  })

  it("passes notifications on", () => {
    const { notifications, peer } = connect()
    peer.receive({ method: "notifications/tools/list_changed" })
    assert.deepStrictEqual(notifications, ["notifications/tools/list_changed"])
  })
})

describe("Peer: progress", () => {
  const follow = () => {
    const connected = connect()
    const progress: Array<unknown> = []
    const id = connected.peer.request(
      "tools/call",
      {},
      { ...LONG, onProgress: (params) => progress.push(params["progress"]) },
      () => {}
    )
    const { progressToken } = connected.sent[0]!.params!["_meta"] as { progressToken: number }
    const report = (token: unknown, value: number) =>
      connected.peer.receive({ method: "notifications/progress", params: { progressToken: token, progress: value } })
    return { ...connected, id, progress, progressToken, report }
  }

  it("reaches only the request with its token", () => {
    const { notifications, progress, progressToken, report } = follow()
    for (const token of [progressToken, progressToken + 1, String(progressToken), null, {}]) report(token, 1)
    assert.deepStrictEqual(progress, [1])
    assert.lengthOf(notifications, 0)
  })

  it("is ignored after a response or cancellation", () => {
    for (const end of ["answer", "cancel"]) {
      const { id, peer, progress, progressToken, report } = follow()
      if (end === "answer") peer.receive({ id, result: {} })
      else peer.cancel(id)
      report(progressToken, 1)
      assert.lengthOf(progress, 0)
    }
  })

  it("is delivered after the response while it is followed", () => {
    const { id, peer, report } = follow()
    const heard: Array<unknown> = []
    peer.receive({ id, result: {} })
    const stop = peer.followProgress(id, ({ progress }) => heard.push(progress))
    report(id, 1)
    stop()
    report(id, 2)
    assert.deepStrictEqual(heard, [1])
  })
})

describe("Peer: the end", () => {
  it("fails requests in flight as possibly run, and later ones as not run", () => {
    const { ask, peer, sent } = connect()
    const [a, b] = [ask(), ask()]
    const reason = new ConnectionLost({ server: "fs", detail: "gone", maybeExecuted: true })
    peer.close(reason)
    const before = sent.length
    const later: Array<Outcome> = []
    peer.request("tools/call", {}, LONG, (outcome) => later.push(outcome))
    const maybe = [a.outcomes[0], b.outcomes[0], later[0]].map(
      (outcome) => outcome?.ok === false && outcome.error._tag === "ConnectionLost" && outcome.error.maybeExecuted
    )
    assert.deepStrictEqual(maybe, [true, true, false])
    assert.lengthOf(sent, before)
    peer.close(new ConnectionLost({ server: "fs", detail: "second", maybeExecuted: true }))
    assert.strictEqual(peer.lost, reason)
  })

  it("fails a request that could not be sent", () => {
    const failure = new ConnectionLost({ server: "fs", detail: "closed input", maybeExecuted: false })
    const { peer } = connect({ send: (_, sender) => void sender.failed(failure) })
    const outcomes: Array<Outcome> = []
    peer.request("tools/call", {}, LONG, (outcome) => outcomes.push(outcome))
    assert.deepStrictEqual(outcomes, [{ ok: false, error: failure }])
  })
})

describe("VERSION", () => {
  it("is the version in package.json", () => {
    assert.strictEqual(VERSION, packageJson.version)
  })
})
