import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createSecureServer } from "node:http2"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"
import { createServer as createPlain } from "node:http"
import { open, connectorLayer, httpConfig } from "../support/connector.ts"
import { makeAuthority, selfSigned, type Identity } from "../support/certificates.ts"
import { doorTo } from "../support/network.ts"

const authority = makeAuthority("an authority of the test")

/** For the time of a test this machine trusts one more authority. */
const trusting = (cert: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = tls.getCACertificates("default")
      tls.setDefaultCACertificates([...before, cert])
      return before
    }),
    (before) => Effect.sync(() => tls.setDefaultCACertificates(before))
  )

interface Fixture {
  readonly server: Server
  readonly port: number
  /** Requests that came through. */
  readonly answered: () => number
}

const listening = <A extends Server | ReturnType<typeof createPlain>>(server: A) =>
  Effect.acquireRelease(
    Effect.callback<A>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const tlsServer = Effect.fnUntraced(function* (identity: Identity) {
  let answered = 0
  const server = yield* listening(
    createServer(identity, (_request, response) => {
      answered++
      response.end("hello")
    })
  )
  // Clients that hang up in the handshake are the point.
  server.on("tlsClientError", () => {})
  const fixture: Fixture = { server, port: (server.address() as AddressInfo).port, answered: () => answered }
  return fixture
})

const get = (url: string) =>
  Effect.flatMap(doorTo(url), ({ fetch }) => Effect.tryPromise(async () => (await fetch(url)).text()))

const bad: ReadonlyArray<readonly [what: string, identity: () => Identity, host: string, words: string]> = [
  [
    "nobody but itself has signed",
    () => selfSigned(["localhost"]),
    "localhost",
    "not signed by an authority that this machine trusts"
  ],
  [
    "an unknown authority has signed",
    () => makeAuthority("somebody").sign({ hosts: ["localhost"] }),
    "localhost",
    "not signed by an authority that this machine trusts"
  ],
  ["is for another host", () => authority.sign({ hosts: ["other.test"] }), "localhost", "is for another host"],
  ["is for a name, where an address is asked", () => authority.sign({ hosts: ["localhost"] }), "127.0.0.1", "another"],
  [
    "has expired",
    () => authority.sign({ hosts: ["localhost"], fromDays: -10, toDays: -1 }),
    "localhost",
    "has expired"
  ],
  [
    "is not valid yet",
    () => authority.sign({ hosts: ["localhost"], fromDays: 1, toDays: 2 }),
    "localhost",
    "not valid yet"
  ]
]

describe("HTTPS", () => {
  for (const host of ["localhost", "127.0.0.1"]) {
    it.live(`a good certificate for ${host} is taken`, () =>
      Effect.gen(function* () {
        yield* trusting(authority.cert)
        const { port } = yield* tlsServer(authority.sign({ hosts: [host] }))
        assert.strictEqual(yield* get(`https://${host}:${port}/`), "hello")
      }).pipe(Effect.scoped)
    )
  }

  for (const [what, identity, host, words] of bad) {
    it.live(`a certificate that ${what} is refused with a clear error, and nothing is sent`, () =>
      Effect.gen(function* () {
        yield* trusting(authority.cert)
        const { answered, port } = yield* tlsServer(identity())
        const error = yield* Effect.flip(open(httpConfig(`https://${host}:${port}/mcp`)))
        assert.strictEqual(error._tag, "HttpFailed")
        assert.include(error.message, words)
        assert.strictEqual(answered(), 0)
      }).pipe(Effect.scoped, Effect.provide(connectorLayer))
    )
  }

  it.live("a server that offers HTTP/2 is spoken to in HTTP/1.1, in which all that it sends is bounded", () =>
    Effect.gen(function* () {
      yield* trusting(authority.cert)
      const server = createSecureServer({ ...authority.sign({ hosts: ["localhost"] }), allowHTTP1: true })
      server.on("request", ({ httpVersion }, response) => void response.end(httpVersion))
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.sync(() => server.close())
      )
      const { port } = server.address() as AddressInfo
      assert.strictEqual(yield* get(`https://localhost:${port}/`), "1.1")
    }).pipe(Effect.scoped)
  )

  it.live("the environment cannot switch the check off", () =>
    Effect.gen(function* () {
      const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
          else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before
        })
      )
      const { answered, port } = yield* tlsServer(selfSigned(["localhost"]))
      yield* Effect.flip(get(`https://localhost:${port}/`))
      assert.strictEqual(answered(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("a server that does not speak TLS is not asked again without it", () =>
    Effect.gen(function* () {
      let answered = 0
      const server = yield* listening(createPlain(() => void answered++))
      const { port } = server.address() as AddressInfo
      const error = yield* Effect.flip(open(httpConfig(`https://localhost:${port}/mcp`)))
      assert.include(error.message, "does not speak TLS")
      assert.strictEqual(answered, 0)
    }).pipe(Effect.scoped, Effect.provide(connectorLayer))
  )
})
