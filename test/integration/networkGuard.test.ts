import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buildConnector } from "undici"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import { SHOWN_URI_MAX_CHARS } from "../../src/schemas/defaults/Texts.ts"
import { SUPPLIED_BODY_MAX_BYTES } from "../../src/schemas/defaults/Wire.ts"
import { AddressBlocked, RedirectBlocked } from "../../src/schemas/connection/HttpError.ts"
import { answering, doorTo, openDoor } from "../support/network.ts"
import { pauses } from "../support/pause.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

interface Fixture {
  readonly port: number
  /** `METHOD path`, in the order in which they came. */
  readonly requests: ReadonlyArray<string>
  readonly bodies: ReadonlyArray<string>
  /** The address that each connection came to. */
  readonly connections: ReadonlyArray<string>
}

const serve = Effect.fnUntraced(function* (handler: Handler, host = "127.0.0.1") {
  const requests: Array<string> = []
  const bodies: Array<string> = []
  const connections: Array<string> = []
  const server: Server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const made = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`)
        let body = ""
        request.on("data", (chunk: Buffer) => (body += chunk.toString()))
        request.on("end", () => {
          bodies.push(body)
          handler(request, response)
        })
      })
      made.on("connection", (socket) => connections.push(socket.localAddress ?? ""))
      made.listen(0, host, () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.callback<void>((resume) => {
        made.close(() => resume(Effect.void))
        made.closeAllConnections()
      })
  )
  const fixture: Fixture = { port: (server.address() as AddressInfo).port, requests, bodies, connections }
  return fixture
})

const hello: Handler = (_request, response) => void response.end("hello")
/** Every request has a connection of its own. */
const helloAndBye: Handler = (_request, response) => {
  response.setHeader("connection", "close")
  response.end("hello")
}

type Fetch = (url: string, init?: RequestInit) => Promise<{ text: () => Promise<string> }>

const read = (fetch: Fetch, url: string, init?: RequestInit) =>
  Effect.tryPromise(async () => (await fetch(url, init)).text())

/** What was thrown, and what caused that. */
const chainOf = (error: Error): ReadonlyArray<unknown> => {
  const thrown = error.cause
  return [thrown, thrown instanceof Error ? thrown.cause : undefined]
}

/** What the guard says, wherever it stands in an error. */
const blockedBy = (error: Error): AddressBlocked | RedirectBlocked => {
  const chain = chainOf(error)
  const found = chain.find((each) => each instanceof AddressBlocked || each instanceof RedirectBlocked)
  assert.isDefined(found, chain.join(", "))
  return found!
}

const scenario = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body))

describe("NetworkGuard: this machine", () => {
  for (const [written, host] of [
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.2", "127.0.0.2"],
    ["2130706435", "127.0.0.3"],
    ["[::1]", "::1"],
    ["[::ffff:127.0.0.1]", "127.0.0.1"],
    ["localhost", "127.0.0.1"]
  ] as const) {
    scenario(
      `is reached by ${written}, as an operator writes it`,
      Effect.gen(function* () {
        const { port } = yield* serve(hello, host)
        const url = `http://${written}:${port}/`
        assert.strictEqual(yield* read((yield* doorTo(url)).fetch, url), "hello")
      })
    )

    scenario(
      `is not reached by ${written}, as a server writes it`,
      Effect.gen(function* () {
        const { connections, port } = yield* serve(hello, host)
        const door = yield* openDoor({ own: [{ url: new URL("https://example.com/"), allowPrivate: true }] })
        const error = blockedBy(yield* Effect.flip(read(door.fetch, `http://${written}:${port}/`)))
        assert.include(error.message, "sent us to")
        assert.lengthOf(connections, 0)
      })
    )
  }

  scenario(
    "another port of it is another origin",
    Effect.gen(function* () {
      const own = yield* serve(hello)
      const other = yield* serve(hello)
      const door = yield* doorTo(`http://127.0.0.1:${own.port}/mcp`, true)
      blockedBy(yield* Effect.flip(read(door.fetch, `http://127.0.0.1:${other.port}/`)))
      assert.lengthOf(other.connections, 0)
    })
  )
})

describe("NetworkGuard: names", () => {
  scenario(
    "a name that leads to this machine is not contacted, and the words say what to do",
    Effect.gen(function* () {
      const { connections, port } = yield* serve(hello)
      const url = `https://tools.test:${port}/`
      const door = yield* doorTo(url, false, answering(["127.0.0.1"]))
      const error = blockedBy(yield* Effect.flip(read(door.fetch, url)))
      assert.include(error.message, '"allowPrivate": true')
      assert.lengthOf(connections, 0)
    })
  )

  scenario(
    "with leave it is",
    Effect.gen(function* () {
      const { port } = yield* serve(hello)
      const url = `http://tools.test:${port}/`
      assert.strictEqual(yield* read((yield* doorTo(url, true, answering(["127.0.0.1"]))).fetch, url), "hello")
    })
  )

  scenario(
    "one address among several that must not be reached is enough, wherever it stands",
    Effect.gen(function* () {
      const { connections, port } = yield* serve(hello)
      const url = `https://tools.test:${port}/`
      for (const addresses of [
        ["127.0.0.1", "93.184.216.34"],
        ["93.184.216.34", "127.0.0.1"],
        ["93.184.216.34", "2606:4700::1111", "::ffff:10.0.0.1"]
      ]) {
        const door = yield* doorTo(url, false, answering(addresses))
        blockedBy(yield* Effect.flip(read(door.fetch, url)))
      }
      // With leave for private networks, metadata is that one.
      const door = yield* doorTo(url, true, answering(["127.0.0.1", "169.254.169.254"]))
      assert.include(blockedBy(yield* Effect.flip(read(door.fetch, url))).message, "credentials")
      assert.lengthOf(connections, 0)
    })
  )

  scenario(
    "a name that changes its mind is looked up once for each connection, and every answer is judged",
    Effect.gen(function* () {
      const { connections, port } = yield* serve(helloAndBye)
      const url = `http://tools.test:${port}/`
      const dns = answering(["127.0.0.1"], ["169.254.169.254"])
      const door = yield* doorTo(url, true, dns)
      assert.strictEqual(yield* read(door.fetch, url), "hello")
      assert.lengthOf(dns.asked, 1)
      blockedBy(yield* Effect.flip(read(door.fetch, url)))
      assert.lengthOf(dns.asked, 2)
      assert.lengthOf(connections, 1)
    })
  )

  scenario(
    "a connection is made to the address that was judged, not to one of a second look-up",
    Effect.gen(function* () {
      const { connections, port } = yield* serve(hello, "0.0.0.0")
      const url = `http://tools.test:${port}/`
      const dns = answering(["127.0.0.2"], ["127.0.0.3"])
      assert.strictEqual(yield* read((yield* doorTo(url, true, dns)).fetch, url), "hello")
      assert.deepStrictEqual(connections, ["127.0.0.2"])
    })
  )

  scenario(
    "requests on a connection that is there ask nobody",
    Effect.gen(function* () {
      const { connections, port } = yield* serve(hello)
      const url = `http://tools.test:${port}/`
      const dns = answering(["127.0.0.1"])
      const door = yield* doorTo(url, true, dns)
      for (let i = 0; i < 20; i++) yield* read(door.fetch, url)
      assert.isBelow(connections.length, 20)
      assert.strictEqual(dns.asked.length, connections.length)
    })
  )

  scenario(
    "of several good addresses the next one is tried",
    Effect.gen(function* () {
      const { connections, port } = yield* serve(hello, "127.0.0.2")
      const url = `http://tools.test:${port}/`
      const door = yield* doorTo(url, true, answering(["127.0.0.9", "127.0.0.2"]))
      assert.strictEqual(yield* read(door.fetch, url), "hello")
      assert.deepStrictEqual(connections, ["127.0.0.2"])
    })
  )

  scenario(
    "names of the local network and of clouds are not even looked up",
    Effect.gen(function* () {
      const dns = answering(["93.184.216.34"])
      for (const url of ["https://db.internal/", "https://printer.local/", "https://metadata.google.internal/"]) {
        blockedBy(yield* Effect.flip(read((yield* doorTo(url, false, dns)).fetch, url)))
      }
      assert.lengthOf(dns.asked, 0)
    })
  )

  scenario(
    "localhost that leads elsewhere is not taken for this machine",
    Effect.gen(function* () {
      for (const address of ["10.0.0.1", "93.184.216.34"]) {
        const door = yield* doorTo("http://localhost:8080/", false, answering([address]))
        blockedBy(yield* Effect.flip(read(door.fetch, "http://localhost:8080/")))
      }
    })
  )

  scenario(
    "a look-up without an answer is an error like any other",
    Effect.gen(function* () {
      const door = yield* doorTo("https://tools.test/", false, answering([]))
      const error = yield* Effect.flip(read(door.fetch, "https://tools.test/"))
      assert.include(chainOf(error)[1], { code: "ENOTFOUND" })
    })
  )
})

describe("NetworkGuard: the connected address", () => {
  scenario(
    "is judged again, whatever was looked up: nothing is sent",
    Effect.gen(function* () {
      const { connections, port, requests } = yield* serve(hello)
      const url = `https://tools.test:${port}/`
      // Somebody between the look-up and the socket: it says that it connects to a public address.
      const door = yield* openDoor(
        { own: [{ url: new URL(url), allowPrivate: false }] },
        {
          connect: ({ timeout } = {}) => {
            const elsewhere = buildConnector({ timeout: timeout ?? 1_000 })
            return (target, callback) =>
              elsewhere({ ...target, protocol: "http:", hostname: "127.0.0.1", host: `127.0.0.1:${port}` }, callback)
          }
        }
      )
      blockedBy(yield* Effect.flip(read(door.fetch, url)))
      // The other end may hear of it later than we do.
      yield* Effect.sync(() => connections.length).pipe(
        Effect.repeat({ schedule: pauses, until: (count) => count > 0 })
      )
      assert.lengthOf(connections, 1)
      assert.lengthOf(requests, 0)
    })
  )
})

describe("NetworkGuard: what was never sent", () => {
  scenario(
    "is told from what may have been",
    Effect.gen(function* () {
      const guard = NetworkGuardLayer.make(answering(["10.0.0.1"]))
      const reset = yield* serve((request) => request.socket.resetAndDestroy())
      const closed = yield* Effect.scoped(serve(hello))
      const attempt = (url: string) =>
        Effect.gen(function* () {
          const door = yield* Effect.acquireRelease(
            Effect.sync(() =>
              guard.open({ server: "web", own: [{ url: new URL(url), allowPrivate: false }], connectTimeoutMs: 1_000 })
            ),
            ({ close }) => Effect.promise(close)
          )
          return guard.neverSent((yield* Effect.flip(read(door.fetch, url))).cause)
        })
      assert.isTrue(yield* attempt("https://tools.test/"))
      assert.isTrue(yield* attempt(`http://127.0.0.1:${closed.port}/`))
      assert.isFalse(yield* attempt(`http://127.0.0.1:${reset.port}/`))
      assert.lengthOf(reset.requests, 1)
    })
  )
})

describe("NetworkGuard: redirects", () => {
  const redirecting = (status: number, location: (request: IncomingMessage) => string | undefined): Handler => {
    return (request, response) => {
      const to = location(request)
      if (to === undefined) return hello(request, response)
      response.writeHead(status, { location: to })
      response.end()
    }
  }
  const once = (to: string) => (request: IncomingMessage) => (request.url === "/mcp" ? to : undefined)

  scenario(
    "within the origin a request is repeated as it is",
    Effect.gen(function* () {
      const server = yield* serve(redirecting(307, once("/elsewhere")))
      const url = `http://127.0.0.1:${server.port}/mcp`
      const { fetch } = yield* doorTo(url)
      assert.strictEqual(yield* read(fetch, url, { method: "POST", body: "question" }), "hello")
      assert.deepStrictEqual(server.requests, ["POST /mcp", "POST /elsewhere"])
      assert.deepStrictEqual(server.bodies, ["question", "question"])
    })
  )

  scenario(
    "three of them, and no more",
    Effect.gen(function* () {
      for (const [times, follows] of [
        [3, true],
        [4, false]
      ] as const) {
        let left: number = times
        const server = yield* serve(redirecting(302, () => (left-- > 0 ? "/mcp" : undefined)))
        const url = `http://127.0.0.1:${server.port}/mcp`
        const { fetch } = yield* doorTo(url)
        const outcome = yield* Effect.result(read(fetch, url))
        assert.strictEqual(outcome._tag === "Success", follows, `${times}`)
        assert.lengthOf(server.requests, 4)
        if (outcome._tag === "Failure") assert.strictEqual(blockedBy(outcome.failure)._tag, "RedirectBlocked")
      }
    })
  )

  scenario(
    "a redirect that would change the request is not followed",
    Effect.gen(function* () {
      for (const status of [301, 302, 303]) {
        const server = yield* serve(redirecting(status, once("/elsewhere")))
        const url = `http://127.0.0.1:${server.port}/mcp`
        const { fetch } = yield* doorTo(url)
        const error = blockedBy(yield* Effect.flip(read(fetch, url, { method: "POST", body: "x" })))
        assert.strictEqual(error._tag, "RedirectBlocked")
        assert.lengthOf(server.requests, 1)
      }
    })
  )

  scenario(
    "no other origin hears of it: neither address nor headers",
    Effect.gen(function* () {
      const foreign = yield* serve(hello)
      const targets = [
        `http://127.0.0.1:${foreign.port}/`,
        `http://127.0.0.2:${foreign.port}/`,
        `//127.0.0.1:${foreign.port}/mcp`,
        `http://localhost:${foreign.port}/`,
        "http://169.254.169.254/latest/meta-data/",
        "https://example.com/mcp",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/plain,hello"
      ]
      for (const target of targets) {
        const server = yield* serve(redirecting(307, once(target)))
        const url = `http://127.0.0.1:${server.port}/mcp`
        const { fetch } = yield* doorTo(url, true)
        const error = blockedBy(yield* Effect.flip(read(fetch, url, { headers: { authorization: "Bearer x" } })))
        assert.strictEqual(error._tag, "RedirectBlocked", target)
        assert.include(error.message, "another origin")
      }
      assert.lengthOf(foreign.connections, 0)
    })
  )

  scenario(
    "the target is told whole or without its path, because half a secret in it would not be recognized",
    Effect.gen(function* () {
      const long = "a".repeat(SHOWN_URI_MAX_CHARS)
      for (const [target, told] of [
        ["http://other.test/short?and=more", "http://other.test/short"],
        [`http://other.test/${long}`, "http://other.test/…"],
        [`other://${long}/`, "…"]
      ] as const) {
        const server = yield* serve(redirecting(307, once(target)))
        const url = `http://127.0.0.1:${server.port}/mcp`
        const { fetch } = yield* doorTo(url, true)
        const error = blockedBy(yield* Effect.flip(read(fetch, url)))
        assert.deepInclude(error, { _tag: "RedirectBlocked", target: told })
      }
    })
  )

  scenario(
    "a door that may leave its origin follows to what it may reach, and nowhere else",
    Effect.gen(function* () {
      const [other, foreign] = [yield* serve(hello), yield* serve(hello)]
      let target = `http://127.0.0.1:${other.port}/file`
      const server = yield* serve(redirecting(302, () => target))
      const own = [server, other].map(({ port }) => ({
        url: new URL(`http://127.0.0.1:${port}/`),
        allowPrivate: false
      }))
      const { fetch } = yield* openDoor({ own, anyOrigin: true })
      const url = `http://127.0.0.1:${server.port}/mcp`
      assert.strictEqual(yield* read(fetch, url), "hello")
      for (const [to, tag] of [
        [`http://127.0.0.1:${foreign.port}/`, "AddressBlocked"],
        ["http://169.254.169.254/latest/meta-data/", "AddressBlocked"],
        ["http://example.com/plaintext", "AddressBlocked"],
        ["file:///etc/passwd", "RedirectBlocked"],
        [`http://user:word@127.0.0.1:${other.port}/`, "RedirectBlocked"]
      ] as const) {
        target = to
        assert.strictEqual(blockedBy(yield* Effect.flip(read(fetch, url)))._tag, tag, to)
      }
      assert.lengthOf(foreign.connections, 0)
    })
  )

  scenario(
    "the same origin with somebody else's name on it is not the same",
    Effect.gen(function* () {
      const server = yield* serve(redirecting(307, (request) => `http://user:word@${request.headers.host}/elsewhere`))
      const url = `http://127.0.0.1:${server.port}/mcp`
      const error = blockedBy(yield* Effect.flip(read((yield* doorTo(url)).fetch, url)))
      assert.notInclude(error.message, "word@")
    })
  )

  scenario(
    "what is said of a target holds neither its query nor anything that is not plain",
    Effect.gen(function* () {
      const target = `https://example.com/${"%0a".repeat(500)}?token=secret#secret`
      const server = yield* serve(redirecting(307, once(target)))
      const url = `http://127.0.0.1:${server.port}/mcp`
      const { message } = blockedBy(yield* Effect.flip(read((yield* doorTo(url)).fetch, url)))
      assert.notInclude(message, "secret")
      assert.isBelow(message.length, 1_000)
    })
  )
})

describe("NetworkGuard: documents at addresses that a server supplied", () => {
  const supplied = (own: string) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        NetworkGuardLayer.make().openSupplied({
          server: "web",
          own: [{ url: new URL(own), allowPrivate: true }],
          connectTimeoutMs: 1_000
        })
      ),
      ({ close }) => Effect.promise(close)
    )

  scenario(
    "are read at the operator's own origin, and nowhere else on this machine or in its network",
    Effect.gen(function* () {
      const own = yield* serve(hello)
      const other = yield* serve(hello)
      const { fetch } = yield* supplied(`http://127.0.0.1:${own.port}/mcp`)
      assert.strictEqual(yield* read(fetch, `http://127.0.0.1:${own.port}/.well-known/x`), "hello")
      for (const url of [
        `http://127.0.0.1:${other.port}/`,
        `http://localhost:${own.port}/`,
        "https://10.0.0.1/",
        "https://[fd00::1]/",
        "http://169.254.169.254/latest/",
        "http://example.com/",
        "https://db.internal/"
      ]) {
        const error = blockedBy(yield* Effect.flip(read(fetch, url)))
        assert.notInclude(error.message, "allowPrivate")
      }
      assert.lengthOf(other.connections, 0)
    })
  )

  scenario(
    "are small",
    Effect.gen(function* () {
      const sized = (bytes: number): Handler => {
        return (_request, response) => void response.end(Buffer.alloc(bytes, "0"))
      }
      for (const [bytes, fits] of [
        [SUPPLIED_BODY_MAX_BYTES, true],
        [SUPPLIED_BODY_MAX_BYTES + 1, false]
      ] as const) {
        const { port } = yield* serve(sized(bytes))
        const url = `http://127.0.0.1:${port}/`
        const { fetch } = yield* supplied(url)
        const outcome = yield* Effect.result(read(fetch, url))
        assert.strictEqual(outcome._tag === "Success", fits)
      }
    })
  )

  scenario(
    "a form is sent as one",
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const server = yield* serve((request, response) => {
        seen.push(request.headers["content-type"])
        hello(request, response)
      })
      const url = `http://127.0.0.1:${server.port}/token`
      const { fetch } = yield* supplied(url)
      yield* read(fetch, url, { method: "POST", body: new URLSearchParams({ grant_type: "x" }) })
      assert.deepStrictEqual(server.bodies, ["grant_type=x"])
      assert.match(seen[0] ?? "", /^application\/x-www-form-urlencoded/)
    })
  )
})
