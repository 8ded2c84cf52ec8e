/** `mcp-live doctor` and HTTP servers: certificates, closed ports, refusals, clocks and logins. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { createServer } from "node:net"
import { join } from "node:path"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import * as TokenStoreLayer from "../../src/layers/login/TokenStore.ts"
import { identityOf, NO_CREDENTIALS } from "../../src/schemas/login/Credentials.ts"
import { TokenStore } from "../../src/services/login/TokenStore.ts"
import { selfSigned } from "../fixtures/selfSigned.ts"
import { testIssuer } from "../support/issuer.ts"
import { listening, setUp } from "./diagnosed.ts"

describe("mcp-live doctor", () => {
  it.live("says why an address does not answer: nobody listens, no trust, expired, no TLS", () =>
    Effect.gen(function* () {
      const answer: RequestListener = (_, response) => response.writeHead(405).end()
      const free = yield* Effect.scoped(listening(createServer()))
      const untrusted = yield* listening(createHttpsServer(selfSigned(), answer))
      const old = selfSigned({ expired: true })
      const expired = yield* listening(createHttpsServer(old, answer))
      const plain = yield* listening(createHttpServer(answer))
      const at = (port: number, scheme = "https") => ({
        url: `${scheme}://127.0.0.1:${port}/mcp?key=abc`,
        allowPrivate: true
      })
      const { diagnosed, doctor, home } = yield* setUp({
        closed: at(free, "http"),
        untrusted: at(untrusted),
        expired: at(expired),
        plain: at(plain)
      })
      const authority = join(home, "authority.pem")
      writeFileSync(authority, old.cert)
      const { code, document, stdout } = yield* diagnosed([], { NODE_EXTRA_CA_CERTS: authority })
      assert.strictEqual(code, 1)
      const errors = document.findings.filter(({ severity }) => severity === "error")
      assert.sameDeepMembers(
        errors.map(({ id, server }) => [server, id]),
        [
          ["closed", "address-refused"],
          ["untrusted", "certificate-untrusted"],
          ["expired", "certificate-expired"],
          ["plain", "address-no-tls"]
        ],
        stdout
      )
      assert.include((yield* doctor()).stderr, `contacting 127.0.0.1:${free}`)
      assert.notInclude(stdout, "key=abc")
    }).pipe(Effect.scoped)
  )

  it.live(
    "looks at the issuers at which clients log in: their metadata, their keys, and what they say of a token",
    () =>
      Effect.gen(function* () {
        const [good, renamed, keyless, asked, both] = [
          yield* testIssuer,
          yield* testIssuer,
          yield* testIssuer,
          yield* testIssuer,
          yield* testIssuer
        ]
        const free = yield* Effect.scoped(listening(createServer()))
        renamed.metadata = { issuer: `${renamed.issuer}/` }
        keyless.keys = Array.from({ length: 100 }, () => keyless.key.jwk)
        both.keys = keyless.keys
        asked.instead = ({ url }, response) => url === "/introspect" && response.writeHead(401).end() === response
        const introspection = { clientId: "gateway", clientSecret: "secret://env/SECRET" }
        const { diagnosed } = yield* setUp(
          {},
          {},
          {
            issuers: [
              { issuer: good.issuer },
              { issuer: `http://127.0.0.1:${free}` },
              { issuer: renamed.issuer },
              { issuer: keyless.issuer },
              { issuer: asked.issuer, introspection },
              { issuer: both.issuer, introspection }
            ]
          }
        )
        const { code, document } = yield* diagnosed([], { SECRET: "a secret of the test" })
        assert.strictEqual(code, 1)
        const found = document.findings.filter(({ id }) => id === "issuer-unusable").map(({ what }) => what)
        for (const [issuer, why] of [
          [`http://127.0.0.1:${free}`, "connection refused"],
          [renamed.issuer, "calls itself"],
          [keyless.issuer, "has more than 64 keys"],
          [both.issuer, "has more than 64 keys"],
          [asked.issuer, "refuses introspection (HTTP 401)"]
        ]) {
          assert.isTrue(
            found.some((what) => what.startsWith(`The issuer ${issuer} `) && what.includes(why!)),
            found.join("\n")
          )
        }
        assert.isFalse(found.some((what) => what.startsWith(`The issuer ${good.issuer} `)))
        const offline = yield* diagnosed(["--offline"])
        assert.notInclude(offline.ids, "issuer-unusable")
      }).pipe(Effect.scoped)
  )

  it.live("says that a proxy, where one is set, is not used", () =>
    Effect.gen(function* () {
      const { diagnosed } = yield* setUp({ away: { url: "https://name.invalid/mcp" } })
      const hint = "HTTPS_PROXY is set here, and mcp-live does not use proxies for HTTP servers"
      const behind = yield* diagnosed([], { HTTPS_PROXY: "http://user:canary@127.0.0.1:9" })
      assert.include(behind.one("address-unknown")?.mend, hint, behind.stdout)
      assert.notInclude(behind.stdout + behind.stderr, "canary")
      const without = yield* diagnosed()
      assert.notInclude(without.one("address-unknown")?.mend, "proxies", without.stdout)
    }).pipe(Effect.scoped)
  )

  it.live("says what a refusal over HTTP means", () =>
    Effect.gen(function* () {
      const statuses: RequestListener = (request, response) => response.writeHead(Number(request.url!.slice(1))).end()
      const port = yield* listening(createHttpServer(statuses))
      const at = (status: number) => ({
        url: `http://127.0.0.1:${port}/${status}`,
        headers: { Authorization: "Bearer x" }
      })
      const { diagnosed } = yield* setUp({ a: at(401), b: at(403), c: at(404), d: at(407) })
      const { document } = yield* diagnosed()
      const mends = Object.fromEntries(
        document.findings.filter(({ severity }) => severity === "error").map(({ mend, server }) => [server, mend])
      )
      assert.include(mends["a"], "Authorization")
      assert.include(mends["b"], "Authorization")
      assert.include(mends["c"], "Check the path")
      assert.include(mends["d"], "does not use proxies")
    }).pipe(Effect.scoped)
  )

  it.live("compares the clock with those of the servers", () =>
    Effect.gen(function* () {
      const later = new Date(Date.now() + 3_600_000).toUTCString()
      let asked = 0
      const answer: RequestListener = (_, response) => (asked++, response.writeHead(405, { date: later }).end())
      const port = yield* listening(createHttpServer(answer))
      const { diagnosed } = yield* setUp({ ahead: { url: `http://127.0.0.1:${port}/mcp` } })
      yield* diagnosed(["--offline"])
      assert.strictEqual(asked, 0)
      const { one } = yield* diagnosed()
      assert.match(one("clock-off")?.what ?? "", /^The clock of this machine is 60 min behind that of ahead/)
    }).pipe(Effect.scoped)
  )

  it.live("finds a login that has expired", () =>
    Effect.gen(function* () {
      const port = yield* listening(createHttpServer((_, response) => response.writeHead(401).end()))
      const url = `http://127.0.0.1:${port}/mcp`
      const { data, diagnosed } = yield* setUp({ tickets: { url } })
      const tokens = { accessToken: "abcdefgh12345678", tokenType: "Bearer", scopes: [], obtainedAt: 1 } as const
      const stored = { issuer: "https://i.example", resource: url, clientId: "c", tokens: { ...tokens, expiresAt: 2 } }
      yield* TokenStore.use(({ modify }) =>
        modify(identityOf("tickets", new URL(url)), () =>
          Effect.succeed({ value: undefined, keep: { ...NO_CREDENTIALS, authorization: stored } })
        )
      ).pipe(
        Effect.provide(
          Layer.provide(
            TokenStoreLayer.layer({ directory: data, keychain: async () => undefined }),
            RedactorLayer.layer
          )
        )
      )
      const { one, stdout } = yield* diagnosed(["--offline"])
      assert.include(one("login-expired")?.mend, "mcp-live login tickets", stdout)
      assert.notInclude(stdout, tokens.accessToken)
    }).pipe(Effect.scoped)
  )
})
