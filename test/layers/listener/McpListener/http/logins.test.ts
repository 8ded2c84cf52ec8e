import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { makeLogins } from "../../../../../src/layers/listener/McpListener/http/logins.ts"
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
