/** Which agent answers, and at which gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readGateways } from "../../../src/schemas/config/GatewayEntry.ts"
import type { GatewayAddress } from "../../../src/schemas/agent/GatewayAddress.ts"
import { chooseBackend, type Backend, type Said } from "../../../src/schemas/agent/GatewayChoice.ts"

interface Given {
  readonly said?: Said
  readonly gateway?: unknown
  readonly backend?: Backend
  readonly env?: Record<string, string>
}

const choose = ({ backend, env = {}, gateway, said = {} }: Given) =>
  chooseBackend(said, { backend, gateways: readGateways(gateway === undefined ? {} : { gateway }, env) })

interface Answer {
  readonly backend: Backend
  readonly ownServers: boolean
  readonly address: GatewayAddress
}

const chosen = (given: Given) => Result.getOrThrow(choose(given)) as Answer
const refusal = (given: Given) => Result.getOrThrow(Result.flip(choose(given)))

const LOCAL = { mode: "local", port: 18_999, auth: { mode: "token", token: "local-token" } }
const REMOTE = { mode: "remote", remote: { url: "wss://gateway.example", token: "secret://env/REMOTE" } }

describe("the choice of the agent", () => {
  it("is the built-in agent by default, also with a local OpenClaw gateway in the file", () => {
    for (const gateway of [
      undefined,
      { tools: { deny: ["*"] } },
      LOCAL,
      { remote: REMOTE.remote },
      { ...LOCAL, remote: REMOTE.remote },
      "x",
      []
    ]) {
      assert.strictEqual(chosen({ gateway }).backend, "embedded")
    }
  })

  it("is the remote OpenClaw gateway when gateway.mode is remote", () => {
    assert.deepInclude(chosen({ gateway: REMOTE }), { backend: "openclaw", ownServers: true })
    assert.deepInclude(chosen({ gateway: REMOTE }).address, {
      url: "wss://gateway.example",
      token: "secret://env/REMOTE"
    })
  })

  it("fails when gateway.mode is remote without a URL, unless a flag names an agent", () => {
    for (const remote of [undefined, {}, { url: "" }, { url: 1 }, null, "wss://x.example"]) {
      const gateway = { mode: "remote", remote }
      assert.include(refusal({ gateway }), 'gateway.mode is "remote", but gateway.remote.url is missing')
      assert.strictEqual(chosen({ gateway, said: { backend: "embedded" } }).backend, "embedded")
      assert.strictEqual(chosen({ gateway, said: { gateway: "wss://y.example" } }).address.url, "wss://y.example")
    }
  })

  it("follows the configuration, and before it the command line", () => {
    assert.strictEqual(chosen({ gateway: LOCAL, backend: "openclaw" }).backend, "openclaw")
    assert.strictEqual(chosen({ gateway: REMOTE, backend: "embedded" }).backend, "embedded")
    assert.strictEqual(chosen({ gateway: REMOTE, said: { backend: "embedded" } }).backend, "embedded")
    assert.strictEqual(chosen({ said: { gateway: "ws://127.0.0.1:1" }, backend: "embedded" }).backend, "openclaw")
  })

  it("takes the local OpenClaw gateway by default, with the token and servers of its file", () => {
    assert.deepInclude(chosen({ gateway: LOCAL, said: { backend: "openclaw" } }), { ownServers: false })
    assert.deepInclude(chosen({ gateway: LOCAL, said: { backend: "openclaw" } }).address, {
      url: "ws://127.0.0.1:18999",
      token: "local-token"
    })
    assert.deepInclude(chosen({ said: { backend: "openclaw" } }), { ownServers: true })
    assert.strictEqual(chosen({ said: { backend: "openclaw" } }).address.url, "ws://127.0.0.1:18789")
    assert.strictEqual(
      chosen({ gateway: { tls: { enabled: true } }, said: { backend: "openclaw" } }).address.url,
      "wss://127.0.0.1:18789"
    )
  })

  it("does not send a configured token to another address", () => {
    const elsewhere = chosen({ gateway: LOCAL, said: { gateway: "wss://other.example" } })
    assert.isUndefined(elsewhere.address.token)
    const otherPort = chosen({
      gateway: LOCAL,
      said: { gateway: "ws://127.0.0.1:1234" },
      env: { OPENCLAW_GATEWAY_TOKEN: "t" }
    })
    assert.isUndefined(otherPort.address.token)
    const same = chosen({ gateway: LOCAL, said: { gateway: "ws://localhost:18999" } })
    assert.deepInclude(same.address, { url: "ws://localhost:18999", token: "local-token" })
    assert.isFalse(same.ownServers)
  })

  it("takes the token from a variable or a file", () => {
    const env = { OPENCLAW_GATEWAY_TOKEN: "of-the-environment", MINE: "mine" }
    assert.strictEqual(chosen({ said: { backend: "openclaw" }, env }).address.token, "of-the-environment")
    const gateway = { mode: "remote", remote: { url: "wss://g.example", token: "${MINE}" } }
    assert.strictEqual(chosen({ gateway, env }).address.token, "mine")
    assert.include(refusal({ gateway }), "MINE")
    assert.strictEqual(chosen({ gateway, said: { tokenFile: "/t" } }).address.tokenFile, "/t")
    assert.include(
      refusal({ gateway: { mode: "remote", remote: { url: "wss://g.example", token: { source: "env" } } } }),
      "--token-file"
    )
  })

  it("fails for ws:// to another machine, and for flags that contradict each other", () => {
    assert.include(refusal({ said: { gateway: "ws://10.0.0.7:18789" } }), "wss://")
    const env = { OPENCLAW_ALLOW_INSECURE_PRIVATE_WS: "1" }
    assert.strictEqual(chosen({ said: { gateway: "ws://10.0.0.7:18789" }, env }).address.allowPrivate, true)
    assert.include(refusal({ said: { backend: "embedded", gateway: "ws://127.0.0.1" } }), "--gateway")
    assert.include(refusal({ said: { tokenFile: "/t" } }), "--token-file")
  })

  it("tells where the token was written, without the token", () => {
    const said: Said = { backend: "openclaw" }
    const from = (token: unknown, env: Record<string, string> = {}) =>
      chosen({ said, env, gateway: { mode: "local", auth: token === undefined ? {} : { token } } }).address.tokenFrom
    assert.strictEqual(from("the-token"), "gateway.auth.token of the configuration")
    assert.strictEqual(from("${MINE}", { MINE: "the-token" }), "the variable MINE (gateway.auth.token)")
    assert.strictEqual(from(undefined, { OPENCLAW_GATEWAY_TOKEN: "the-token" }), "the variable OPENCLAW_GATEWAY_TOKEN")
    assert.isUndefined(from(undefined))
    assert.strictEqual(chosen({ gateway: REMOTE }).address.tokenFrom, "gateway.remote.token of the configuration")
  })
})
