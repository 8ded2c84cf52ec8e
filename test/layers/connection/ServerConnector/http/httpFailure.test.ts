import { assert, describe, it } from "@effect/vitest"
import { BadSessionId, Refused } from "../../../../../src/layers/connection/ServerConnector/http/wire.ts"
import {
  failureOf,
  isAnswer,
  isSessionLost,
  type FailureContext
} from "../../../../../src/layers/connection/ServerConnector/http/httpFailure.ts"
import { AddressBlocked, RedirectBlocked } from "../../../../../src/schemas/connection/HttpError.ts"
import { ConnectionLost } from "../../../../../src/schemas/connection/RequestError.ts"

const httpError = (status: number, text = "") => new Refused({ status, text, retryAfterMs: undefined })
const rpcError = (id: unknown, code: number, message = "no") =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

const SENT = { jsonrpc: "2.0", id: 7, method: "prompts/list" } as const
const MODERN = { ...SENT, params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } }

const STANDING: FailureContext = {
  server: "web",
  established: true,
  inSession: true,
  tidy: (text, max) => text.slice(0, max),
  neverSent: () => false
}
const judge = (error: unknown, standing: Partial<FailureContext> = {}) => failureOf(error, { ...STANDING, ...standing })

describe("HTTP failures: JSON-RPC errors in the body", () => {
  it("are the response to their request at any status, since 2026-07-28", () => {
    for (const status of [400, 404, 500]) {
      assert.isTrue(isAnswer(httpError(status, rpcError(7, -32601)), MODERN))
    }
  })

  it("are the response before 2026-07-28 only for header, capability and version errors", () => {
    assert.isFalse(isAnswer(httpError(404, rpcError(7, -32001)), SENT))
    for (const code of [-32020, -32021, -32022]) assert.isTrue(isAnswer(httpError(400, rpcError(7, code)), SENT))
  })

  it("are not the response when they have another id or none, or are a result", () => {
    for (const id of [8, "7", null, undefined]) {
      assert.isFalse(isAnswer(httpError(404, rpcError(id, -32601)), MODERN))
    }
    assert.isFalse(isAnswer(httpError(404, '{"jsonrpc":"2.0","id":7,"result":{}}'), MODERN))
    assert.isFalse(isAnswer(httpError(404, rpcError(undefined, -32601)), { jsonrpc: "2.0", method: "x" }))
  })

  it("are ignored at the statuses 401, 403 and 429", () => {
    for (const status of [401, 403, 429]) {
      assert.isFalse(isAnswer(httpError(status, rpcError(7, -32601)), MODERN))
    }
  })

  it("never make the parser throw", () => {
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
      assert.isFalse(isAnswer(httpError(400, text), MODERN))
      assert.strictEqual(judge(httpError(400, text))._tag, "HttpFailed")
    }
    for (const error of [undefined, null, 7, "x", {}, { status: "400" }, { status: 400, data: null }]) {
      assert.isString(judge(error).message)
    }
  })
})

describe("HTTP failures: lost sessions", () => {
  /** Whether a session is lost, and whether it is sure that the request was not taken. */
  const lost = (error: unknown, standing: Partial<FailureContext> = {}) => {
    const judged = judge(error, { sent: SENT, ...standing })
    return isSessionLost(judged) ? (judged.maybeExecuted ? "perhaps taken" : "not taken") : judged._tag
  }
  const noSession = rpcError(null, -32000, "Bad Request: No valid session ID provided")

  it("are recognized by 404 and by 400 with session words, and the request was not taken", () => {
    for (const words of [
      "Session not found",
      "session not found",
      "Session expired.",
      "Session 7e1f-a.b_c not found",
      "Session not found: 7e1f",
      "Not Found: Session has been terminated",
      "Invalid or expired session ID",
      "Bad Request: No valid session ID provided",
      "Unknown Mcp-Session-Id"
    ]) {
      for (const id of [null, "", "server-error", undefined]) {
        assert.strictEqual(lost(httpError(404, rpcError(id, -32001, words))), "not taken", words)
      }
      assert.strictEqual(lost(httpError(404, words)), "not taken", words)
      assert.strictEqual(lost(httpError(404, JSON.stringify({ message: words }))), "not taken", words)
      assert.strictEqual(lost(httpError(400, rpcError(null, -32000, words))), "not taken", words)
    }
    assert.strictEqual(lost(httpError(404)), "not taken")
  })

  it("are assumed for 404 with other words, where the request may have been taken", () => {
    for (const text of [
      "no such receipt",
      "<html>404</html>",
      "{}",
      "[]",
      rpcError(null, -32000, "paid, but no such receipt"),
      rpcError(null, -32000, "paid; session not found"),
      rpcError(null, -32000, "session not found after payment"),
      rpcError(null, -32000, `session ${"x".repeat(5_000)} not found`)
    ]) {
      assert.strictEqual(lost(httpError(404, text)), "perhaps taken", text.slice(0, 80))
    }
  })

  it("are recognized in a response to the request itself only for 404 with session words", () => {
    assert.strictEqual(lost(httpError(404, rpcError(7, -32602, "paid, but no such receipt"))), "HttpFailed")
    assert.strictEqual(lost(httpError(404, rpcError(7, -32001, "Session not found"))), "perhaps taken")
    assert.strictEqual(lost(httpError(400, rpcError(7, -32001, "Session not found"))), "HttpFailed")
  })

  it("are not assumed for other reasons with 400, or for other statuses", () => {
    for (const words of [
      "paid, but the database session was lost",
      "the browser session has ended",
      "no such browser"
    ]) {
      assert.strictEqual(lost(httpError(400, rpcError(null, -32000, words))), "HttpFailed", words)
    }
    assert.strictEqual(lost(httpError(400, rpcError("7", -32000, "Session not found"))), "HttpFailed")
    assert.strictEqual(lost(httpError(400, "Session not found")), "HttpFailed")
    assert.strictEqual(lost(httpError(500, noSession)), "HttpFailed")
  })

  it("are not assumed without a session", () => {
    assert.strictEqual(lost(httpError(404), { inSession: false }), "HttpFailed")
    assert.strictEqual(lost(httpError(400, noSession), { inSession: false }), "HttpFailed")
  })
})

describe("HTTP failures: connection errors", () => {
  const failure = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })

  it('mean "not sent" without a connection, and "may have run" otherwise', () => {
    const refused = judge(failure("ECONNREFUSED"), { neverSent: () => true })
    assert.isTrue(refused._tag === "HttpFailed" && refused.status === null)
    // The same code may come of a connection that was there.
    for (const code of ["ECONNRESET", "ECONNREFUSED", "EPIPE", "UND_ERR_SOCKET"]) {
      const lost = judge(failure(code))
      assert.isTrue(lost._tag === "ConnectionLost" && lost.maybeExecuted, code)
    }
  })

  it("describe invalid certificates in words", () => {
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

  it("keep a refusal of the network guard", () => {
    const address = new AddressBlocked({ server: "web", host: null, leadsTo: "a private address", openable: true })
    const redirect = new RedirectBlocked({ server: "web", target: "https://x/", detail: "because" })
    for (const refusal of [address, redirect]) {
      assert.strictEqual(judge(refusal), refusal)
      assert.strictEqual(judge(new TypeError("fetch failed", { cause: refusal })), refusal)
    }
  })

  it("report an invalid session id as ProtocolError", () => {
    assert.strictEqual(judge(new BadSessionId())._tag, "ProtocolError")
  })

  it("keep the Retry-After of the response", () => {
    assert.include(judge(new Refused({ status: 429, text: "slow down", retryAfterMs: 5_000 })), {
      status: 429,
      retryAfterMs: 5_000,
      detail: "slow down"
    })
    assert.notProperty(judge(new Refused({ status: 503, text: "", retryAfterMs: undefined })), "retryAfterMs")
  })

  it("are a lost session only when they say so", () => {
    assert.isTrue(isSessionLost(judge(httpError(404))))
    const other = { server: "web", detail: "the event stream ended" }
    assert.isFalse(isSessionLost(new ConnectionLost({ ...other, maybeExecuted: false })))
    assert.isFalse(isSessionLost(judge(httpError(404), { inSession: false })))
  })
})
