import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { discover } from "../../../../src/layers/login/Authorizer/discovery.ts"
import { makeSupplied } from "../../../../src/layers/login/Authorizer/suppliedAddresses.ts"
import type { NetworkGuard } from "../../../../src/services/connection/NetworkGuard.ts"

const ISSUER = "https://10.0.0.5"
const SERVER = new URL("https://server.example/mcp")

const documentAt = ({ pathname }: URL): unknown => {
  if (pathname.includes("protected-resource")) return { resource: SERVER.href, authorization_servers: [ISSUER] }
  return pathname.startsWith("/.well-known/") ? { issuer: ISSUER, token_endpoint: `${ISSUER}/token` } : undefined
}

describe("discovery with a configured issuer at a private address", () => {
  it.effect("reads only the issuer's own metadata at that address", () =>
    Effect.gen(function* () {
      const fetched: Array<string> = []
      const door = {
        fetch: async (target: string | URL) => {
          const url = new URL(target)
          fetched.push(url.href)
          const document = documentAt(url)
          return document === undefined ? new Response(null, { status: 404 }) : Response.json(document)
        },
        close: async () => {}
      }
      const guard = { openSupplied: () => door } as unknown as NetworkGuard["Service"]
      const supplied = makeSupplied({
        server: "a",
        url: SERVER,
        allowPrivate: false,
        written: [ISSUER],
        connectTimeoutMs: 1,
        guard
      })
      const { authorizationServer } = yield* discover(
        { url: SERVER, oauth: { grant: "authorization_code", issuer: ISSUER }, supplied, knownIssuer: undefined },
        { scheme: "bearer", error: undefined, scopes: [], resourceMetadata: `${ISSUER}/admin?delete=all` }
      )
      assert.strictEqual(authorizationServer.tokenEndpoint.href, `${ISSUER}/token`)
      assert.deepStrictEqual(fetched, [
        "https://server.example/.well-known/oauth-protected-resource/mcp",
        `${ISSUER}/.well-known/oauth-authorization-server`
      ])
    })
  )
})

describe("discovery of an issuer whose path looks like another host", () => {
  it.effect("requests metadata from the issuer's own host only", () =>
    Effect.gen(function* () {
      const issuer = "https://issuer.example//elsewhere.example/"
      const fetched: Array<string> = []
      const door = {
        fetch: async (target: string | URL) => {
          const { hostname, pathname } = new URL(target)
          fetched.push(hostname)
          return pathname.includes("protected-resource")
            ? Response.json({ resource: SERVER.href, authorization_servers: [issuer] })
            : new Response(null, { status: 404 })
        },
        close: async () => {}
      }
      const supplied = makeSupplied({
        server: "a",
        url: SERVER,
        allowPrivate: false,
        written: [],
        connectTimeoutMs: 1,
        guard: { openSupplied: () => door } as unknown as NetworkGuard["Service"]
      })
      const options = { url: SERVER, oauth: { grant: "authorization_code" as const }, supplied, knownIssuer: undefined }
      const problem = yield* Effect.flip(discover(options, undefined))
      assert.include(problem.detail, "its authorization server has no metadata")
      assert.deepStrictEqual(fetched, ["server.example", "issuer.example", "issuer.example", "issuer.example"])
    })
  )
})
