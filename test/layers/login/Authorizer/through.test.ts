import { assert, describe, it } from "@effect/vitest"
import { through, type TokenSource } from "../../../../src/layers/login/Authorizer/through.ts"
import type { Tokens } from "../../../../src/schemas/login/Credentials.ts"

const ORIGIN = "https://a.example"

const tokens = (accessToken: string): Tokens => ({ accessToken, tokenType: "Bearer", scopes: [], obtainedAt: 0 })

const source = (overrides: Partial<TokenSource> = {}): TokenSource => ({
  token: async () => tokens("old"),
  renewed: async () => undefined,
  widened: async () => undefined,
  served: () => {},
  dpop: async () => undefined,
  ...overrides
})

interface Sent {
  readonly url: string
  readonly authorization: string | null
  readonly body: unknown
}

/** Answers with these, one after the other, and then for ever with the last one. */
const server = (...answers: ReadonlyArray<readonly [status: number, challenge?: string]>) => {
  const sent: Array<Sent> = []
  const discarded: Array<number> = []
  const send = async (url: string | URL, init: RequestInit = {}) => {
    const [status, challenge] = answers[Math.min(sent.length, answers.length - 1)]!
    const index = sent.length
    sent.push({ url: String(url), authorization: new Headers(init.headers).get("authorization"), body: init.body })
    return {
      status,
      headers: new Headers(challenge === undefined ? {} : { "www-authenticate": challenge }),
      body: { cancel: async () => void discarded.push(index) }
    }
  }
  return { sent, discarded, send }
}

const POST = { method: "POST", body: "{}" }

describe("a request with a token", () => {
  it("carries the token as a Bearer Authorization header", async () => {
    const { send, sent } = server([200])
    await through(source(), ORIGIN)(send)(`${ORIGIN}/mcp`, POST)
    assert.deepStrictEqual(sent, [{ url: `${ORIGIN}/mcp`, authorization: "Bearer old", body: "{}" }])
  })

  it("carries no token to another origin, and does not renew one", async () => {
    for (const url of ["https://evil.example/mcp", "http://a.example/mcp", "https://a.example:444/mcp"]) {
      const { send, sent } = server([401])
      const renewed = async () => assert.fail("renewed")
      await through(source({ renewed }), ORIGIN)(send)(url, POST)
      assert.deepStrictEqual(sent, [{ url, authorization: null, body: "{}" }])
    }
  })

  it("is sent again with a renewed token after a 401, with the same body", async () => {
    const { discarded, send, sent } = server([401], [200])
    const response = await through(source({ renewed: async () => tokens("new") }), ORIGIN)(send)(`${ORIGIN}/mcp`, POST)
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(
      sent.map(({ authorization, body }) => [authorization, body]),
      [
        ["Bearer old", "{}"],
        ["Bearer new", "{}"]
      ]
    )
    assert.deepStrictEqual(discarded, [0])
  })

  it("gives back the 401 when there is no other token", async () => {
    const { discarded, send, sent } = server([401])
    assert.strictEqual((await through(source(), ORIGIN)(send)(`${ORIGIN}/mcp`, POST)).status, 401)
    assert.lengthOf(sent, 1)
    assert.deepStrictEqual(discarded, [])
  })

  it("is sent at most four times, however many tokens there are", async () => {
    const { send, sent } = server([401])
    let count = 0
    const renewed = async () => tokens(`new${count++}`)
    assert.strictEqual((await through(source({ renewed }), ORIGIN)(send)(`${ORIGIN}/mcp`, POST)).status, 401)
    assert.isAtMost(sent.length, 4)
  })

  it("is sent once more after insufficient_scope, and not after another 403", async () => {
    const lacking = server([403, 'Bearer error="insufficient_scope", scope="write"'])
    const widened = async () => tokens("wide")
    await through(source({ widened }), ORIGIN)(lacking.send)(`${ORIGIN}/mcp`, POST)
    assert.deepStrictEqual(
      lacking.sent.map(({ authorization }) => authorization),
      ["Bearer old", "Bearer wide"]
    )
    for (const challenge of ['Bearer error="invalid_token"', 'Basic error="insufficient_scope"', undefined]) {
      const other = server(challenge === undefined ? [403] : [403, challenge])
      await through(source({ widened }), ORIGIN)(other.send)(`${ORIGIN}/mcp`, POST)
      assert.lengthOf(other.sent, 1)
    }
  })

  it("of the method DELETE does not start a renewal after a 401", async () => {
    const { send, sent } = server([401])
    const renewed = async () => assert.fail("renewed")
    await through(source({ renewed }), ORIGIN)(send)(`${ORIGIN}/mcp`, { method: "DELETE" })
    assert.lengthOf(sent, 1)
  })

  it("can be aborted while it waits for a token", async () => {
    const controller = new AbortController()
    const { send, sent } = server([401])
    const renewed = () => new Promise<undefined>(() => {})
    const waiting = through(source({ renewed }), ORIGIN)(send)(`${ORIGIN}/mcp`, { ...POST, signal: controller.signal })
    setImmediate(() => controller.abort(new Error("given up")))
    const error = await waiting.then(
      () => undefined,
      (reason: unknown) => reason
    )
    assert.include(String(error), "given up")
    assert.lengthOf(sent, 1)
  })
})
