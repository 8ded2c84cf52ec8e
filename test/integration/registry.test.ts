/** The registry, as servers on the loopback play it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import * as RegistryLayer from "../../src/layers/config/ServerRegistry.ts"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import { REGISTRY_ANSWER_MAX_BYTES } from "../../src/schemas/defaults/Bundles.ts"
import { ServerRegistry } from "../../src/services/config/ServerRegistry.ts"
import { answerFor, listening, serving, type Shelf } from "../fixtures/registry/registry.ts"
import { altered, filesystem, memory } from "../fixtures/registry/servers.ts"

const registryAt = (url: string) =>
  Effect.provide(
    Effect.service(ServerRegistry),
    RegistryLayer.layer({ url }).pipe(Layer.provide(NetworkGuardLayer.layer()))
  )

const stocked = Effect.fnUntraced(function* (shelf: Shelf) {
  const { asked, url } = yield* serving(() => shelf)
  return { asked, url, registry: yield* registryAt(url) }
})

const answering = Effect.fnUntraced(function* (handle: Parameters<typeof listening>[0]) {
  const { url } = yield* listening(handle)
  return yield* registryAt(url)
})

describe("a registry", () => {
  it.live("is asked for one server by its full name, and for a version of it", () =>
    Effect.gen(function* () {
      const { asked, registry } = yield* stocked({ servers: [memory, filesystem] })
      const { server, warning } = yield* registry.find("io.github.example/memory", undefined)
      assert.strictEqual(server.packages?.[0]?.identifier, "@modelcontextprotocol/server-memory")
      assert.isUndefined(warning)
      yield* registry.find("io.github.example/filesystem", "1.0.2")
      assert.deepStrictEqual(asked, [
        "/v0.1/servers/io.github.example%2Fmemory/versions/latest",
        "/v0.1/servers/io.github.example%2Ffilesystem/versions/1.0.2"
      ])
      const { message } = yield* Effect.flip(registry.find("io.github.example/none", undefined))
      assert.match(message, /^127\.0\.0\.1:\d+ has no server 'io\.github\.example\/none'$/)
      assert.include(
        (yield* Effect.flip(registry.find("io.github.example/memory", "9.9.9"))).message,
        "in version 9.9.9"
      )
    }).pipe(Effect.scoped)
  )

  it.live("may be below a path", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* serving(() => ({ servers: [] }))
      yield* Effect.flip((yield* registryAt(`${url}/team/registry`)).find("a/b", undefined))
      assert.deepStrictEqual(asked, ["/team/registry/v0.1/servers/a%2Fb/versions/latest"])
    }).pipe(Effect.scoped)
  )

  it.live("says that a server is deprecated; a deleted one is not there", () =>
    Effect.gen(function* () {
      const deprecated = answerFor(memory, "deprecated", { statusMessage: "use another" })
      const { registry } = yield* stocked({ servers: [deprecated, answerFor(filesystem, "deleted")] })
      const { warning } = yield* registry.find("io.github.example/memory", undefined)
      assert.strictEqual(warning, "the registry says that it is deprecated: use another")
      const { message } = yield* Effect.flip(registry.find("io.github.example/filesystem", undefined))
      assert.include(message, "has deleted")
    }).pipe(Effect.scoped)
  )
})

describe("a registry that lies", () => {
  const name = "io.github.example/memory"
  const fails = Effect.fnUntraced(function* (handle: Parameters<typeof listening>[0], words: string, version?: string) {
    const registry = yield* answering(handle)
    const { message } = yield* Effect.flip(registry.find(name, version))
    assert.include(message, words)
  })
  const sends =
    (body: unknown): Parameters<typeof listening>[0] =>
    (_, response) =>
      void response.end(typeof body === "string" ? body : JSON.stringify(body))

  it.live("answers with another server, or another version", () =>
    Effect.gen(function* () {
      yield* fails(sends(answerFor(altered({}, "io.github.evil/memory"))), "answers with another server")
      yield* fails(
        sends(answerFor({ ...memory, version: "6.6.6" })),
        "answers with another version than 1.0.0",
        "1.0.0"
      )
    }).pipe(Effect.scoped)
  )

  it.live("answers with something else than a description", () =>
    Effect.gen(function* () {
      for (const body of ["", "<html>", "{", "null"]) yield* fails(sends(body), "sends")
      yield* fails(sends({ server: { ...memory, packages: "npm" } }), 'at ["server"]["packages"]')
      yield* fails(sends({ server: { ...memory, name: "../../etc" } }), "something else than a server.json")
      yield* fails(
        sends({ server: { ...memory, packages: Array.from({ length: 300 }, () => memory) } }),
        "something else"
      )
      yield* fails(sends("[".repeat(100_000)), "nested more than")
      yield* fails((_, response) => void response.writeHead(500).end("secret words"), "answers with HTTP 500")
    }).pipe(Effect.scoped)
  )

  it.live("sends without an end", () =>
    fails((_, response) => {
      const piece = Buffer.alloc(64 * 1024, " ")
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on("drain", more)
      more()
    }, `sends more than the ${REGISTRY_ANSWER_MAX_BYTES} bytes`).pipe(Effect.scoped)
  )

  it.live("redirects elsewhere, or ends the connection", () =>
    Effect.gen(function* () {
      yield* fails(
        (_, response) => void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
        "redirects elsewhere"
      )
      yield* fails((request) => void request.socket.destroy(), "does not answer")
    }).pipe(Effect.scoped)
  )
})

describe("the file of a package", () => {
  const file = Buffer.from("the file")
  const digest = createHash("sha256").update(file).digest("hex")

  it.live("is taken with its digest only", () =>
    Effect.gen(function* () {
      const { registry, url } = yield* stocked({ servers: [], files: { "/file.mcpb": file } })
      assert.strictEqual((yield* registry.download(`${url}/file.mcpb`, digest)).toString(), "the file")
      const { message } = yield* Effect.flip(registry.download(`${url}/file.mcpb`, "ab".repeat(32)))
      assert.include(message, `sends another file than the registry describes: its digest is ${digest}`)
    }).pipe(Effect.scoped)
  )

  it.live("is not taken from an address that is not public, unless it is that of the registry", () =>
    Effect.gen(function* () {
      const { registry } = yield* stocked({ servers: [] })
      const other = yield* serving(() => ({ servers: [], files: { "/file.mcpb": file } }))
      const { message } = yield* Effect.flip(registry.download(`${other.url}/file.mcpb`, digest))
      assert.include(message, "leads to this machine, and is not contacted")
      assert.deepStrictEqual(other.asked, [])
      const sending = yield* listening(
        (_, response) => void response.writeHead(302, { location: `${other.url}/file.mcpb` }).end()
      )
      const redirecting = yield* registryAt(sending.url)
      const redirected = yield* Effect.flip(redirecting.download(`${sending.url}/x.mcpb`, digest))
      assert.include(redirected.message, "leads to this machine")
      assert.deepStrictEqual(other.asked, [])
    }).pipe(Effect.scoped)
  )
})
