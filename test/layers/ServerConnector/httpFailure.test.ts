import { assert, describe, it } from "@effect/vitest"
import { BadSessionId, Refused } from "../../../src/layers/ServerConnector/boundedFetch.ts"
import { answerIn, failureOf, isSessionLost, type Standing } from "../../../src/layers/ServerConnector/httpFailure.ts"
import { AddressBlocked, ConnectionLost, RedirectBlocked } from "../../../src/schemas/McpError.ts"

/** A failure as the SDK's transport has it. */
const httpError = (status: number, text = "") => Object.assign(new Error(`HTTP ${status}`), { status, data: { text } })
const rpcError = (id: unknown, code: number, message = "no") =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

const SENT = { jsonrpc: "2.0", id: 7, method: "prompts/list" } as const

const STANDING: Standing = {
  server: "web",
  established: true,
  inSession: true,
  tidy: (text, max) => text.slice(0, max),
  neverSent: () => false
}
const judge = (error: unknown, standing: Partial<Standing> = {}) => failureOf(error, { ...STANDING, ...standing })

describe("HTTP failures: answers among them", () => {
  it("an error that answers the request is its answer, whatever the status, since 2026-07-28", () => {
    for (const status of [400, 404, 500]) {
      assert.isDefined(answerIn(httpError(status, rpcError(7, -32601)), SENT, true))
    }
  })

  it("before, only an error that nobody else could have said", () => {
    assert.isUndefined(answerIn(httpError(404, rpcError(7, -32001)), SENT, false))
    for (const code of [-32020, -32021, -32022])
      assert.isDefined(answerIn(httpError(400, rpcError(7, code)), SENT, false))
  })

  it("an error that answers another request, or none, is no answer; nor is a result", () => {
    for (const id of [8, "7", null, undefined]) {
      assert.isUndefined(answerIn(httpError(404, rpcError(id, -32601)), SENT, true))
    }
    assert.isUndefined(answerIn(httpError(404, '{"jsonrpc":"2.0","id":7,"result":{}}'), SENT, true))
    assert.isUndefined(answerIn(httpError(404, rpcError(undefined, -32601)), { jsonrpc: "2.0", method: "x" }, true))
  })

  it("who must not come in is told so by the status alone", () => {
    for (const status of [401, 403, 429]) {
      assert.isUndefined(answerIn(httpError(status, rpcError(7, -32601)), SENT, true))
    }
  })

  it("whatever a body holds, nothing is thrown", () => {
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      '"x"',
      "7",
      '{"id":7}',
      '{"id":7,"error":null}',
      '{"id":7,"error":"x"}'
    ]) {
      assert.isUndefined(answerIn(httpError(400, text), SENT, true))
      assert.strictEqual(judge(httpError(400, text))._tag, "HttpFailed")
    }
    for (const error of [undefined, null, 7, "x", {}, { status: "400" }, { status: 400, data: null }]) {
      assert.isUndefined(answerIn(error, SENT, true))
      assert.isString(judge(error).message)
    }
  })
})

describe("HTTP failures: lost sessions", () => {
  const isLost = (error: unknown, standing: Partial<Standing> = {}) => {
    const judged = judge(error, standing)
    return judged._tag === "ConnectionLost" && !judged.maybeExecuted
  }
  const noSession = rpcError(null, -32000, "Bad Request: No valid session ID provided")

  it("404 in a session, and 400 that speaks of one to nobody in particular", () => {
    assert.isTrue(isLost(httpError(404)))
    assert.isTrue(isLost(httpError(404, rpcError(7, -32001, "Session not found"))))
    assert.isTrue(isLost(httpError(400, noSession)))
  })

  it("without a session there is none to lose", () => {
    assert.isFalse(isLost(httpError(404), { inSession: false }))
    assert.isFalse(isLost(httpError(400, noSession), { inSession: false }))
  })

  it("a request that is answered with 400 was seen: its session is not lost", () => {
    assert.isFalse(isLost(httpError(400, rpcError(7, -32000, "the browser session has ended"))))
    assert.isFalse(isLost(httpError(400, "no session")))
    assert.isFalse(isLost(httpError(500, noSession)))
  })
})

describe("HTTP failures: what was sent", () => {
  const failure = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })

  it("a request that had no connection was not sent; any other may have run", () => {
    const refused = judge(failure("ECONNREFUSED"), { neverSent: () => true })
    assert.isTrue(refused._tag === "HttpFailed" && refused.status === null)
    // The same code may come of a connection that was there.
    for (const code of ["ECONNRESET", "ECONNREFUSED", "EPIPE", "UND_ERR_SOCKET"]) {
      const lost = judge(failure(code))
      assert.isTrue(lost._tag === "ConnectionLost" && lost.maybeExecuted, code)
    }
  })

  it("a certificate that is not good is told in words", () => {
    for (const [code, words] of [
      ["CERT_HAS_EXPIRED", "has expired"],
      ["CERT_NOT_YET_VALID", "not valid yet"],
      ["ERR_TLS_CERT_ALTNAME_INVALID", "another host"],
      ["DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS"],
      ["SELF_SIGNED_CERT_IN_CHAIN", "NODE_EXTRA_CA_CERTS"],
      ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "NODE_EXTRA_CA_CERTS"]
    ] as const) {
      assert.include(judge(failure(code), { neverSent: () => true }).message, words)
    }
    assert.isString(judge(failure("constructor"), { neverSent: () => true }).message)
  })

  it("what the guard refused stays what it is, wrapped or not", () => {
    const address = new AddressBlocked({ server: "web", host: null, leadsTo: "a private address", openable: true })
    const redirect = new RedirectBlocked({ server: "web", target: "https://x/", detail: "because" })
    for (const refusal of [address, redirect]) {
      assert.strictEqual(judge(refusal), refusal)
      assert.strictEqual(judge(new TypeError("fetch failed", { cause: refusal })), refusal)
    }
  })

  it("a session id that is none is a broken protocol", () => {
    assert.strictEqual(judge(new BadSessionId())._tag, "ProtocolError")
  })

  it("a refusal keeps the time that the server asks for", () => {
    assert.include(judge(new Refused(429, "slow down", 5_000)), {
      status: 429,
      retryAfterMs: 5_000,
      detail: "slow down"
    })
    assert.notProperty(judge(new Refused(503, "", undefined)), "retryAfterMs")
  })

  it("only a lost session, of which nothing was taken, is one", () => {
    assert.isTrue(isSessionLost(judge(httpError(404))))
    const other = { server: "web", detail: "the event stream ended" }
    assert.isFalse(isSessionLost(new ConnectionLost({ ...other, maybeExecuted: false })))
    assert.isFalse(isSessionLost(judge(httpError(404), { inSession: false })))
  })
})
