import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inFixtures } from "../../fixtures/servers.ts"
import { accountServer } from "../../support/accountServer.ts"
import { makeBrowser, type Browser, type Seen } from "../../support/browser.ts"
import { freePort } from "../../support/freePort.ts"
import { ERAS, listed, type Answers, type Era } from "../../support/mcpClients.ts"
import { oidcProvider } from "../../support/oidcProvider.ts"
import { listeningTo, overHttp, placeFor, type Loose } from "./program.ts"

const REDIRECT = "http://127.0.0.1:1/callback"
const PAGES_CLIENT = "the-pages"
const EXCHANGER = { clientId: "exchanger", clientSecret: "the secret of the exchanger" }

interface Setup {
  /** The page finds out who looks at it. */
  readonly proves?: boolean
  /** Logins at the server are renewed without their person. */
  readonly renewed?: boolean
  readonly servers?: (at: { readonly issuer: string; readonly url: string }) => object
}

/** The gateway with its issuer, and a server with an authorization server of its own. */
const running = Effect.fnUntraced(function* ({ proves = false, renewed = true, servers = () => ({}) }: Setup = {}) {
  /** Who logs in next, at the issuer and at the server. */
  const next = { issuer: "ada", server: "ada-at-tickets" }
  const port = yield* freePort
  const resource = `http://127.0.0.1:${port}/mcp`
  const { issuer } = yield* oidcProvider({
    person: () => next.issuer,
    clients: [
      {
        client_id: PAGES_CLIENT,
        application_type: "native",
        redirect_uris: [`http://127.0.0.1:${port}/login/callback`],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none"
      }
    ]
  })
  const { issuer: other } = yield* oidcProvider({
    person: () => next.server,
    ...(renewed ? {} : { refresh: false }),
    exchanges: { issuer, audience: resource },
    clients: [
      {
        client_id: EXCHANGER.clientId,
        client_secret: EXCHANGER.clientSecret,
        grant_types: ["urn:ietf:params:oauth:grant-type:token-exchange"],
        redirect_uris: [],
        response_types: [],
        scope: "mcp"
      }
    ]
  })
  const server = yield* accountServer(other)
  const place = yield* placeFor({
    mcp: {
      servers: {
        tickets: { url: server.url, auth: { type: "oauth", per: "person" } },
        bird: {
          command: process.execPath,
          args: [inFixtures("parrot.ts")],
          share: "person",
          env: { WHOSE: "{person}" }
        },
        ...servers({ issuer: other, url: server.url })
      },
      clients: {
        resource,
        issuers: [
          {
            issuer,
            scopes: ["mcp"],
            claims: { person: "email" },
            ...(proves ? { login: { clientId: PAGES_CLIENT } } : {})
          }
        ]
      }
    }
  })
  const gateway = yield* listeningTo(place.home, ["--config", place.file, "--http", "--port", String(port)])

  /** A token of the issuer for a client of this person. */
  const tokenOf = (person: string) =>
    Effect.promise(async () => {
      next.issuer = person
      const post = async (url: string, body: string, type: string): Promise<Loose> =>
        (await fetch(url, { method: "POST", headers: { "content-type": type }, body })).json()
      const client = await post(
        `${issuer}/reg`,
        JSON.stringify({
          redirect_uris: [REDIRECT],
          application_type: "native",
          token_endpoint_auth_method: "none",
          response_types: ["code"],
          grant_types: ["authorization_code"]
        }),
        "application/json"
      )
      const verifier = randomBytes(32).toString("base64url")
      const page = new URL(`${issuer}/auth`)
      const asked = {
        client_id: client.client_id,
        response_type: "code",
        redirect_uri: REDIRECT,
        scope: "mcp",
        resource,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256"
      }
      for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value)
      const back = await makeBrowser().open(page.href, (at) => at.href.startsWith(REDIRECT))
      const form = new URLSearchParams({
        grant_type: "authorization_code",
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        code: new URL(back.url).searchParams.get("code")!,
        code_verifier: verifier,
        resource
      })
      const { access_token: token } = await post(
        `${issuer}/token`,
        form.toString(),
        "application/x-www-form-urlencoded"
      )
      return token as string
    })

  const clientOf = Effect.fnUntraced(function* (person: string, era: Era, answers?: Answers) {
    const token = yield* tokenOf(person)
    return yield* overHttp(era, gateway.url, token, answers)
  })
  return { ...gateway, clientOf, home: place.home, next, server, tokenOf, resource, port }
})

/** A person who does what the page says, and logs in at the server under this name. */
const willing = (next: { issuer: string; server: string }, person: string, account = `${person}-at-tickets`) => {
  const seen: Array<Seen> = []
  const browser = makeBrowser()
  const connects = async (url: string): Promise<Seen> => {
    next.issuer = person
    next.server = account
    const page = await browser.open(url)
    seen.push(page)
    const end = await browser.click(page)
    seen.push(end)
    return end
  }
  return {
    seen,
    browser,
    connects,
    answers: {
      browse: async ({ url }: { readonly url: string }) => {
        await connects(url)
        return { action: "accept" }
      }
    }
  }
}

const linkIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/login\/[A-Za-z0-9_-]{43}/.exec(text)![0]

const pageFor = (client: { readonly call: (name: string) => Promise<string> }) =>
  Effect.map(
    Effect.promise(() => client.call("mcp_tickets_connect_account")),
    linkIn
  )

describe("serve --http: accounts at servers", () => {
  for (const era of ERAS) {
    it.live(`a client of ${era} is asked to open the page, and the call goes on when the account is connected`, () =>
      Effect.gen(function* () {
        const { clientOf, next, server } = yield* running({ renewed: false })
        const ada = willing(next, "ada")
        const client = yield* clientOf("ada", era, ada.answers)
        yield* listed(client, "tools/list", "mcp_tickets_connect_account")
        assert.include(yield* Effect.promise(() => client.call("mcp_tickets_connect_account")), "is connected")
        assert.include(ada.seen[0]!.text, "Connect your account at tickets?")
        assert.include(ada.seen[0]!.text, "ada@example.com")
        assert.include(ada.seen[1]!.text, "Your account is connected")
        yield* listed(client, "tools/list", "mcp_tickets_whoami")
        assert.include(yield* Effect.promise(() => client.call("mcp_tickets_whoami")), "you are ada-at-tickets")
        // A call that finds its login gone asks again, and goes on.
        server.revoke()
        assert.include(yield* Effect.promise(() => client.call("mcp_tickets_whoami")), "you are ada-at-tickets")
        assert.lengthOf(ada.seen, 4)
      })
    )
  }

  it.live(
    "a client that cannot be asked gets the address in one sentence; another client of the person is connected, too",
    () =>
      Effect.gen(function* () {
        const { clientOf, next } = yield* running()
        const ada = willing(next, "ada")
        const one = yield* clientOf("ada", "2025-11-25")
        const two = yield* clientOf("ada", "2026-07-28")
        const end = yield* Effect.promise(async () =>
          ada.connects(linkIn(await one.call("mcp_tickets_connect_account")))
        )
        assert.include(end.text, "Your account is connected")
        for (const client of [one, two]) {
          yield* listed(client, "tools/list", "mcp_tickets_whoami")
          assert.include(yield* Effect.promise(() => client.call("mcp_tickets_whoami")), "you are ada-at-tickets")
        }
      })
  )

  it.live("two persons never meet: connection, memory, kept result, process, environment and records", () =>
    Effect.gen(function* () {
      const { clientOf, home, next, server, stop } = yield* running()
      const [ada, grace] = [willing(next, "ada"), willing(next, "grace")]
      const first = yield* clientOf("ada", "2025-11-25", ada.answers)
      const second = yield* clientOf("grace", "2026-07-28", grace.answers)
      for (const client of [first, second]) {
        yield* Effect.promise(() => client.call("mcp_tickets_connect_account"))
        yield* listed(client, "tools/list", "mcp_tickets_whoami", "mcp_bird_pid")
      }
      const call = (client: typeof first, name: string, args: Record<string, unknown> = {}) =>
        Effect.promise(() => client.call(name, args))
      // At the same time, so that their requests mix.
      const said = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? first : second)),
        (client) => Effect.map(call(client, "mcp_tickets_whoami"), (text) => [client, text] as const),
        { concurrency: "unbounded" }
      )
      for (const [client, text] of said) {
        assert.include(text, client === first ? "you are ada-at-tickets" : "you are grace-at-tickets")
      }
      yield* call(first, "mcp_tickets_note", { note: "of ada" })
      const notes = yield* call(second, "mcp_tickets_note", { note: "of grace" })
      assert.notInclude(notes, "of ada")
      const bySession = Map.groupBy(server.met, ({ session }) => session)
      for (const requests of bySession.values()) {
        assert.lengthOf([...new Set(requests.map(({ subject }) => subject))], 1)
      }
      // Processes of their own.
      const [adas, graces] = [yield* call(first, "mcp_bird_pid"), yield* call(second, "mcp_bird_pid")]
      assert.notStrictEqual(/\d{2,}/.exec(adas)?.[0], /\d{2,}/.exec(graces)?.[0])
      // What is kept of a result is read by its own person only.
      const long = yield* call(first, "mcp_tickets_long")
      const handle =
        /"?handle"?[:= ]+"?([A-Za-z0-9_-]+)/.exec(long)?.[1] ?? /mcp_read_more[^"]*"([^"]+)"/.exec(long)?.[1]
      assert.isDefined(handle, long.slice(-400))
      assert.include(yield* call(first, "mcp_read_more", { handle }), "ada-at-tickets")
      assert.notInclude(yield* call(second, "mcp_read_more", { handle }), "ada-at-tickets")
      yield* Effect.promise(() => stop())
      const lines = readdirSync(join(home, "audit"))
        .flatMap((name) => readFileSync(join(home, "audit", name), "utf8").split("\n"))
        .filter((line) => line.includes('"tool":"note"'))
        .map((line) => JSON.parse(line) as Loose)
      assert.deepStrictEqual(
        lines.map(({ person }) => person),
        ["ada@example.com", "grace@example.com"]
      )
    })
  )

  it.live(
    "without a click: the token of the person who calls is exchanged for one of theirs, and seen by nobody else",
    () =>
      Effect.gen(function* () {
        const { clientOf, home, server, stderr, stop, tokenOf, url } = yield* running({
          servers: (at) => ({
            tickets: {
              url: at.url,
              auth: { type: "oauth", grant: "token-exchange", per: "person", issuer: at.issuer, ...EXCHANGER }
            }
          })
        })
        const tokens = [yield* tokenOf("ada"), yield* tokenOf("grace")]
        for (const [i, person] of ["ada", "grace"].entries()) {
          const client = yield* overHttp(ERAS[i]!, url, tokens[i]!)
          yield* listed(client, "tools/list", "mcp_tickets_whoami")
          assert.include(yield* Effect.promise(() => client.call("mcp_tickets_whoami")), `you are ${person}`)
          // It does not go to a server in an argument, either: it is a secret.
          assert.include(
            yield* Effect.promise(() => client.call("mcp_bird_note", { text: `keep ${tokens[0]}` })),
            "a secret that does not belong to this server"
          )
        }
        // Somebody else's client of the same person has the same connection.
        const again = yield* clientOf("ada", "2026-07-28")
        yield* listed(again, "tools/list", "mcp_tickets_whoami")
        assert.include(yield* Effect.promise(() => again.call("mcp_tickets_whoami")), "you are ada")
        assert.sameMembers([...new Set(server.met.map(({ subject }) => subject))], ["ada", "grace"])
        yield* Effect.promise(() => stop())
        const written = readdirSync(home, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
        for (const token of tokens) {
          for (const text of [stderr(), ...written]) assert.notInclude(text, token)
        }
      })
  )

  // ---- attacks -----------------------------------------------------------------------------------------------------

  it.live("an address is used once, cannot be guessed, and is answered in a browser that clicked only", () =>
    Effect.gen(function* () {
      const { clientOf, next, port } = yield* running()
      const client = yield* clientOf("ada", "2025-11-25")
      const ada = willing(next, "ada")
      const url = yield* pageFor(client)
      const guessed = yield* Effect.promise(() =>
        makeBrowser().open(`http://127.0.0.1:${port}/login/${randomBytes(32).toString("base64url")}`)
      )
      assert.strictEqual(guessed.status, 404)
      const page = yield* Effect.promise(() => ada.browser.open(url))
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-security-policy"), "frame-ancestors 'none'")
      assert.notInclude(page.text, "<script")
      const post = (browser: Browser, headers: Record<string, string>, seen = page) =>
        Effect.promise(() => browser.click(seen, headers))
      // From another page, and from a browser that never saw the form.
      assert.strictEqual((yield* post(ada.browser, { origin: "https://evil.example" })).status, 403)
      assert.strictEqual((yield* post(makeBrowser(), {})).status, 403)
      const fake = { ...page, text: page.text.replace(/value="[^"]*"/, 'value="guessed"') }
      assert.strictEqual((yield* post(ada.browser, {}, fake)).status, 403)
      // The browser of the click goes as far as the answer of the authorization server.
      const isBack = (at: URL) => at.pathname === "/login/callback"
      const back = yield* Effect.promise(() => ada.browser.click(page, {}, isBack))
      const open = (browser: Browser, at: string) => Effect.promise(() => browser.open(at))
      const changed = (name: string, value: string) => {
        const at = new URL(back.url)
        at.searchParams.set(name, value)
        return at.href
      }
      assert.strictEqual((yield* open(makeBrowser(), back.url)).status, 404)
      assert.strictEqual((yield* open(ada.browser, changed("state", "guessed"))).status, 404)
      assert.strictEqual((yield* open(ada.browser, `${back.url}&state=twice`)).status, 404)
      const mixed = yield* open(ada.browser, changed("iss", "https://evil.example"))
      assert.include(mixed.text, "Your account is not connected")
      assert.notInclude(mixed.text, "evil")
      // It is used up, and so is the address.
      assert.strictEqual((yield* open(ada.browser, back.url)).status, 404)
      assert.strictEqual((yield* open(ada.browser, url)).status, 404)
      const again = yield* pageFor(client)
      assert.notStrictEqual(again, url)
      assert.include((yield* Effect.promise(() => ada.connects(again))).text, "Your account is connected")
      assert.strictEqual((yield* open(ada.browser, again)).status, 404)
    })
  )

  it.live("where the issuer is asked, nobody connects their account for another person", () =>
    Effect.gen(function* () {
      const { clientOf, logged, next } = yield* running({ proves: true })
      const mallory = yield* clientOf("mallory", "2025-11-25")
      const url = yield* pageFor(mallory)
      // Mallory sends the address to Ada, who clicks.
      const ada = willing(next, "ada")
      const end = yield* Effect.promise(() => ada.connects(url))
      assert.strictEqual(end.status, 403)
      assert.include(end.text, "logged in as somebody else")
      yield* logged(/somebody else opened the page for mallory@example\.com/)
      assert.include(yield* Effect.promise(() => mallory.call("mcp_tickets_connect_account")), "/login/")
      // The person themselves is let through.
      const own = willing(next, "mallory")
      const mine = yield* pageFor(mallory)
      assert.include((yield* Effect.promise(() => own.connects(mine))).text, "Your account is connected")
      yield* listed(mallory, "tools/list", "mcp_tickets_whoami")
      assert.include(yield* Effect.promise(() => mallory.call("mcp_tickets_whoami")), "you are mallory-at-tickets")
    })
  )
})
