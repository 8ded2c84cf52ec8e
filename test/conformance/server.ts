/**
 * The server under test: our listener with the suite's fixtures, and a door before it that brings the token, which the suite
 * has none of. Everything else passes as it is, but for the number of the port. Says its address, and runs until stdin ends.
 *
 *   node server.ts             a token of the configuration
 *   node server.ts --login     the access token of an authorization server (`oidc-provider`)
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import { createServer, request } from "node:http"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import * as McpListenerLayer from "../../src/layers/listener/McpListener.ts"
import * as TokenVerifierLayer from "../../src/layers/login/TokenVerifier.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import { McpListener, type OfferChange } from "../../src/services/listener/McpListener.ts"
import { TokenVerifier } from "../../src/services/login/TokenVerifier.ts"
import { freePort } from "../support/freePort.ts"
import { oidcProvider, ROBOT } from "../support/oidcProvider.ts"
import { sanitizer } from "../support/sanitizer.ts"
import { makeConformanceOffer } from "./serverOffer.ts"

const TOKEN = "the-token-of-the-suite"
/** Seconds for which an access token is good: longer than the suite runs. */
const DAY_S = 86_400

const portOf = (server: ReturnType<typeof createServer>): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const openDoor = (url: string, token: string): Promise<string> => {
  const inner = new URL(url).port
  const door = createServer((from, to) => {
    const outer = `:${portOf(door)}`
    const moved = (value: string | undefined) => value?.replace(outer, `:${inner}`)
    const headers = Object.entries({
      ...from.headers,
      host: moved(from.headers.host),
      origin: moved(from.headers.origin),
      authorization: `Bearer ${token}`
    }).filter(([, value]) => value !== undefined)
    const on = request(
      { host: "127.0.0.1", port: inner, path: from.url, method: from.method, headers: Object.fromEntries(headers) },
      (answer) => {
        to.writeHead(answer.statusCode ?? 500, answer.headers)
        to.flushHeaders()
        answer.pipe(to)
      }
    )
    on.on("error", () => to.destroy())
    to.on("close", () => on.destroy())
    from.pipe(on)
  })
  return new Promise((resolve) => door.listen(0, "127.0.0.1", () => resolve(`http://localhost:${portOf(door)}/mcp`)))
}

const verifierOf = (issuer: string, resource: string) => {
  const redacted = SecretResolverLayer.layer({ env: {} }).pipe(Layer.provide(RedactorLayer.layer))
  const config = { issuers: [{ issuer, scopes: ["mcp"], allowPrivate: false }] }
  return Effect.map(
    Layer.build(
      TokenVerifierLayer.layer({ config, resource }).pipe(
        Layer.provide(Layer.mergeAll(NetworkGuardLayer.layer(), redacted))
      )
    ),
    (context) => Context.get(context, TokenVerifier)
  )
}

/** Of a program that acts for itself. */
const accessToken = (issuer: string, resource: string) =>
  Effect.promise(async () => {
    const credentials = btoa(`${ROBOT.clientId}:${encodeURIComponent(ROBOT.clientSecret)}`)
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: "mcp", resource })
    })
    return ((await response.json()) as { readonly access_token: string }).access_token
  })

/** How the suite gets in: with a token of the configuration, or with that of an issuer. */
const entrance = Effect.gen(function* () {
  const tokens = [{ token: Redacted.make(TOKEN), principal: "suite" }]
  if (!process.argv.includes("--login")) return { options: { port: 0, tokens }, token: TOKEN }
  const port = yield* freePort
  const resource = `http://127.0.0.1:${port}/mcp`
  const { issuer } = yield* oidcProvider({ person: () => "nobody", tokenS: DAY_S })
  const verifier = yield* verifierOf(issuer, resource)
  return {
    options: { port, tokens: [], logins: { resource, verifier } },
    token: yield* accessToken(issuer, resource)
  }
})

const program = Effect.scoped(
  Effect.gen(function* () {
    const { http } = yield* McpListener
    const changes = yield* PubSub.unbounded<OfferChange>()
    const { options, token } = yield* entrance
    const url = yield* http(() => Effect.succeed(makeConformanceOffer(changes)), options)
    const address = yield* Effect.promise(() => openDoor(url, token))
    process.stdout.write(`${address}\n`)
    yield* Effect.promise(() => new Promise((resolve) => process.stdin.resume().once("end", resolve)))
    process.exit(0)
  })
).pipe(Effect.provide(McpListenerLayer.layer.pipe(Layer.provide(sanitizer))))

NodeRuntime.runMain(program)
