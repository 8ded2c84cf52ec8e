/** Frames of a gateway that may send anything. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { pendingOf, readChallenge, readFrame, readHello } from "../../../src/schemas/agent/GatewayFrames.ts"

const recorded = (name: string) =>
  readFileSync(new URL(`../../fixtures/openclaw/frames/${name}.json`, import.meta.url), "utf8")

const HOSTILE: ReadonlyArray<unknown> = [
  null,
  7,
  "text",
  [],
  {},
  { type: "hello-ok" },
  { type: "hello-ok", protocol: "4" },
  { nonce: "", ts: 1 },
  { nonce: "n", ts: -1 },
  { nonce: "n", ts: 1.5 },
  { nonce: {}, ts: 1 }
]

describe("frames of an OpenClaw gateway", () => {
  it("are read from recordings", () => {
    assert.deepStrictEqual(readFrame(recorded("challenge")), {
      type: "event",
      event: "connect.challenge",
      payload: { nonce: "{{nonce}}", ts: 1_790_000_000_000 }
    })
    const wrong = readFrame(recorded("wrongToken"))
    assert.isTrue(wrong?.type === "failure" && wrong.failure.code === "AUTH_TOKEN_MISMATCH" && !wrong.failure.retryable)
    const starting = readFrame(recorded("starting"))
    assert.isTrue(starting?.type === "failure")
    assert.deepInclude(starting?.type === "failure" ? starting.failure : {}, {
      code: "UNAVAILABLE",
      reason: "startup-sidecars",
      retryable: true,
      retryAfterMs: 500
    })
    assert.deepInclude(readHello(JSON.parse(recorded("hello"))), {
      serverVersion: "2026.9.6",
      defaultAgent: "main",
      tickMs: 30_000,
      limits: { maxPayloadBytes: 26_214_400, maxAttachmentBytes: 19_464_192, maxImageBytes: 6_291_456 }
    })
  })

  it("are undefined when they are malformed", () => {
    for (const text of [
      "",
      "{",
      "7",
      "null",
      "[]",
      "{}",
      '{"type":"event","event":7}',
      '{"type":"res","id":7,"ok":true}'
    ]) {
      assert.isUndefined(readFrame(text), text)
    }
    assert.isUndefined(readFrame(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`))
    assert.isUndefined(readFrame(`{"type":"event","event":"x","payload":${"[".repeat(300)}${"]".repeat(300)}}`))
  })

  it("with invalid fields have defaults or limits in their place", () => {
    for (const payload of HOSTILE) {
      assert.isUndefined(readHello(payload))
      assert.isUndefined(readChallenge(payload))
      assert.deepStrictEqual(pendingOf(payload, "d", 10), [])
    }
    const hello = readHello({
      type: "hello-ok",
      protocol: 4,
      server: { version: "v".repeat(1000) },
      policy: { maxPayload: -1, tickIntervalMs: 1, attachments: { maxBytes: Infinity, maxImageBytes: "6" } },
      auth: { scopes: [1, "operator.read", null] },
      snapshot: { sessionDefaults: { defaultAgentId: "../main" } }
    })
    assert.deepStrictEqual(hello, {
      serverVersion: "v".repeat(64),
      protocol: 4,
      limits: { maxPayloadBytes: 26_214_400, maxAttachmentBytes: 5_000_000, maxImageBytes: 5_000_000 },
      tickMs: 5_000,
      defaultAgent: undefined,
      scopes: ["operator.read"]
    })
    const failure = readFrame(
      '{"type":"res","id":"1","ok":false,"error":{"code":"rm -rf","message":7,"retryAfterMs":1e99}}'
    )
    assert.deepStrictEqual(failure, {
      type: "failure",
      id: "1",
      failure: { code: "UNKNOWN", message: "", retryable: false, retryAfterMs: 30_000, reason: "" }
    })
  })

  it("name the pending requests of the given device only", () => {
    const listed = {
      pending: [
        { requestId: "1", deviceId: "a" },
        { requestId: "2", deviceId: "b" },
        { requestId: 3, deviceId: "a" },
        { requestId: "4", nodeId: "a" },
        7
      ]
    }
    assert.deepStrictEqual(pendingOf(listed, "a", 10), ["1", "4"])
    assert.deepStrictEqual(pendingOf(listed, "a", 1), ["1"])
  })
})
