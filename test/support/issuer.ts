/** An authorization server of the test on the loopback, as far as a resource server meets it: metadata, keys, introspection. It can also lie. */
import * as Effect from "effect/Effect"
import * as Data from "effect/Data"
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface TestKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

export const keyOf = async (kid: string, alg = "ES256"): Promise<TestKey> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } }
}

export class TestIssuerFailed extends Data.TaggedError("TestIssuerFailed")<{ readonly cause: unknown }> {}

export const AUDIENCE = "https://gateway.example.com/mcp"

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of incoming) text += String(chunk)
  return text
}

const say = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))

export interface TestIssuer {
  readonly issuer: string
  readonly key: TestKey
  /** The keys that it shows; changed by tests. */
  keys: ReadonlyArray<unknown>
  /** More of its metadata, or other values in it. */
  metadata: Record<string, unknown>
  /** What it says of tokens that are no JWT. */
  readonly opaque: Map<string, Record<string, unknown>>
  /** Answers instead of what it would say. */
  instead: ((incoming: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Paths that were asked for. */
  readonly asked: Array<string>
  /** How many connections were made to it. */
  connections: number
  readonly token: (claims?: JWTPayload, header?: Record<string, unknown>, key?: TestKey) => Promise<string>
  /** Closes its port, as if the machine were gone; `open` has it back at the same port. */
  readonly shut: () => Promise<void>
  readonly open: () => Promise<void>
}

export const testIssuer = Effect.acquireRelease(
  Effect.promise(async () => {
    const key = await keyOf("first")
    let port = 0
    const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
    const open = () =>
      new Promise<void>((resolve) => {
        server.listen(port, "127.0.0.1", () => {
          port = (server.address() as AddressInfo).port
          resolve()
        })
      })
    await open()
    const issuer = `http://127.0.0.1:${port}`
    const made: TestIssuer = {
      issuer,
      key,
      keys: [key.jwk],
      metadata: {},
      opaque: new Map(),
      instead: undefined,
      asked: [],
      connections: 0,
      token: (claims = {}, header = {}, { kid, privateKey } = key) => {
        const now = Math.floor(Date.now() / 1000)
        const usual = { iss: issuer, aud: AUDIENCE, sub: "ada", client_id: "editor", iat: now, exp: now + 600 }
        const all = Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined)
        return new SignJWT(Object.fromEntries(all))
          .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header })
          .sign(privateKey)
      },
      shut: () =>
        new Promise((resolve) => {
          server.closeAllConnections()
          server.close(() => resolve())
        }),
      open
    }
    server.on("connection", () => made.connections++)
    const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
      const path = incoming.url ?? ""
      made.asked.push(path)
      if (made.instead?.(incoming, response) === true) return undefined
      if (path === "/.well-known/oauth-authorization-server") {
        return say(response, {
          issuer,
          jwks_uri: `${issuer}/jwks`,
          introspection_endpoint: `${issuer}/introspect`,
          ...made.metadata
        })
      }
      if (path === "/jwks") return say(response, { keys: made.keys })
      if (path === "/introspect") {
        const token = new URLSearchParams(await bodyOf(incoming)).get("token") ?? ""
        const known = made.opaque.get(token)
        return say(response, known === undefined ? { active: false } : { active: true, ...known })
      }
      return response.writeHead(404).end()
    }
    return made
  }),
  (made) => Effect.promise(() => made.shut())
)
