import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { EventEmitter } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { CLIENT_STREAMS_CHECK_MS, REFUSALS_LOGGED_MS } from "../../../../../src/schemas/defaults/Clients.ts"
import { makeLogins } from "../../../../../src/layers/listener/McpListener/http/logins.ts"
import { TokenUnchecked } from "../../../../../src/schemas/login/TokenRefused.ts"
import type { TokenVerifier } from "../../../../../src/services/login/TokenVerifier.ts"

describe("the metadata of the resource", () => {
  it.live("is whole where an address has more bytes than characters", () =>
    Effect.gen(function* () {
      const issuers = ["https://login.example.com/realms/zürich"]
      const verifier = { issuers, scopes: [], proofAlgorithms: [] } as unknown as TokenVerifier["Service"]
      const nothing = () => undefined as never
      const logins = makeLogins(
        { resource: "https://a.example.com/mcp", verifier },
        nothing,
        (text) => text,
        () => 0
      )
      const server = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const made = createServer((incoming, response) => void logins.answersMetadata(incoming, response))
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) => Effect.sync(() => made.close())
      )
      const { port } = server.address() as AddressInfo
      const document = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource`).then((answer) => answer.json())
      )
      assert.deepStrictEqual((document as { readonly authorization_servers: unknown }).authorization_servers, issuers)
    }).pipe(Effect.scoped)
  )
})

describe("tokens that are not checked, because so many were wrong", () => {
  it.live("are answered with 503, and the log has one line in a while, from however many addresses they come", () =>
    Effect.gen(function* () {
      let count = 0
      const refusal = () => new TokenUnchecked({ from: `192.0.2.${count++}`, retryInMs: 1_500 })
      const verifier = { issuers: [], scopes: [], proofAlgorithms: [], known: () => undefined, refusal }
      let now = 0
      const started: Array<unknown> = []
      const logins = makeLogins(
        { resource: "https://a.example.com/mcp", verifier: verifier as unknown as TokenVerifier["Service"] },
        (effect) => started.push(effect) as never,
        (text) => text,
        () => now
      )
      const before = started.length
      const server = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const made = createServer((incoming, response) =>
            logins.admit(incoming, response, () => assert.fail("it was let in"), "")
          )
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) => Effect.sync(() => made.close())
      )
      const { port } = server.address() as AddressInfo
      const send = Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: "Bearer wrong" } })
      )
      for (let n = 0; n < 8; n++) {
        const { headers, status } = yield* send
        assert.deepStrictEqual([status, headers.get("retry-after")], [503, "2"])
      }
      // Nothing else is started for such a token.
      assert.strictEqual(started.length - before, 1)
      now += REFUSALS_LOGGED_MS
      yield* send
      assert.strictEqual(started.length - before, 2)
    }).pipe(Effect.scoped)
  )
})

describe("streams of a client whose token has ended", () => {
  it.effect("end also when another token could not be checked, and after a mistake", () =>
    Effect.gen(function* () {
      const good = new Set(["ada", "bob"])
      const verifier = {
        issuers: [],
        scopes: [],
        proofAlgorithms: [],
        known: (token: string) => ({ principal: token, agent: undefined, identity: {}, expiresAt: Infinity }),
        isStillGood: (token: string) =>
          Effect.sync(() => {
            if (token === "broken") throw new Error("a mistake")
            return good.has(token)
          })
      }
      const logins = makeLogins(
        { resource: "https://a.example.com/mcp", verifier: verifier as unknown as TokenVerifier["Service"] },
        yield* FiberSet.makeRuntime(),
        (text) => text,
        () => 0
      )
      const open = new Map<string, boolean>()
      for (const token of ["broken", "ada", "bob"]) {
        const response = Object.assign(new EventEmitter(), { destroy: () => open.set(token, false) })
        const incoming = { headers: { authorization: `Bearer ${token}` } } as IncomingMessage
        logins.admit(incoming, response as unknown as ServerResponse, () => open.set(token, true), "")
      }
      for (const { expected, left } of [
        { left: "ada", expected: [false, true] },
        { left: "bob", expected: [false, false] }
      ]) {
        good.delete(left)
        yield* TestClock.adjust(CLIENT_STREAMS_CHECK_MS)
        assert.deepStrictEqual([open.get("ada") === true, open.get("bob") === true], expected)
      }
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
