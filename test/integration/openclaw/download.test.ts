/** Files of a gateway: from its own address, and no other. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { downloadFrom, ownUrl } from "../../../src/layers/agent/GatewayLink/download.ts"
import * as NetworkGuardLayer from "../../../src/layers/connection/NetworkGuard.ts"
import { NetworkGuard } from "../../../src/services/connection/NetworkGuard.ts"

const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: URL; readonly stop: () => void }>((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
        const stop = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

const downloading = Effect.fnUntraced(function* (url: URL) {
  const guard = yield* NetworkGuard
  return downloadFrom(url, () =>
    guard.open({ server: "the gateway", own: [{ url, allowPrivate: true }], connectTimeoutMs: 5_000 })
  )
})

describe("a file of a gateway", () => {
  it.live("is downloaded from a path or address of the gateway without our token", () =>
    Effect.gen(function* () {
      const headers: Array<unknown> = []
      const { url } = yield* serving((request, response) => {
        headers.push(request.headers["authorization"])
        response.end(`${request.url}`)
      })
      const download = yield* downloading(url)
      const got = (address: string) => Effect.map(download(address, 100), (bytes) => Buffer.from(bytes).toString())
      assert.strictEqual(yield* got("/api/a?sig=1"), "/api/a?sig=1")
      assert.strictEqual(yield* got(`${url.origin}/b`), "/b")
      assert.deepStrictEqual(headers, [undefined, undefined])
    }).pipe(Effect.provide(NetworkGuardLayer.layer()))
  )

  it.live("has a bound, to the byte, also where it says nothing of its size or lies", () =>
    Effect.gen(function* () {
      const { url } = yield* serving((request, response) => {
        if (request.url === "/endless") {
          const more = () => {
            while (!response.destroyed && response.write("x".repeat(1024))) {}
          }
          response.on("drain", more)
          return more()
        }
        response.end("x".repeat(100))
      })
      const download = yield* downloading(url)
      assert.lengthOf(yield* download("/", 100), 100)
      assert.include((yield* Effect.flip(download("/", 99))).detail, "more than the 99 bytes")
      assert.include((yield* Effect.flip(download("/endless", 5_000))).detail, "more than the 5000 bytes")
    }).pipe(Effect.provide(NetworkGuardLayer.layer()))
  )

  it.live("is not downloaded from another origin, nor through a redirect", () =>
    Effect.gen(function* () {
      let reached = 0
      const other = yield* serving((_, response) => {
        reached++
        response.end("secret")
      })
      const { url } = yield* serving((_, response) => response.writeHead(302, { location: other.url.href }).end())
      const download = yield* downloading(url)
      for (const address of [
        other.url.href,
        "//127.0.0.1:1/",
        "file:///etc/passwd",
        "http://169.254.169.254/",
        "data:,x",
        "http://[",
        `http://u:p@${url.host}/`
      ]) {
        assert.include(
          (yield* Effect.flip(download(address, 100))).detail,
          "nothing is downloaded from elsewhere",
          address
        )
      }
      assert.include((yield* Effect.flip(download("/", 100))).detail, "the gateway")
      assert.strictEqual(reached, 0)
    }).pipe(Effect.provide(NetworkGuardLayer.layer()))
  )

  it.live("that is refused is reported with the HTTP status", () =>
    Effect.gen(function* () {
      const { url } = yield* serving((_, response) => response.writeHead(404).end("no"))
      assert.strictEqual((yield* Effect.flip((yield* downloading(url))("/", 100))).detail, "the gateway answers 404")
      assert.strictEqual(ownUrl(url, "/a")?.href, `${url.href}a`)
    }).pipe(Effect.provide(NetworkGuardLayer.layer()))
  )
})
