/** The page for people when a login is revoked, the rules change, somebody floods it, or accounts are connected from it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import type { WebSocket } from "ws"
import { PEOPLE_MESSAGE_MAX_BYTES, PEOPLE_SOCKETS_EACH_MAX } from "../../../src/schemas/defaults/Page.ts"
import { accountServer } from "../../support/accountServer.ts"
import { ask } from "../../support/ask.ts"
import { makeBrowser } from "../../support/browser.ts"
import { listed } from "../../support/mcpClients.ts"
import { oidcProvider } from "../../support/oidcProvider.ts"
import { clientOf, dial, dialed, type Entered } from "../../support/page.ts"
import { pauses } from "../../support/pause.ts"
import { GATEWAY_CLIENT, peopleGateway } from "../../support/peoplePage.ts"

const closing = (socket: WebSocket) => Effect.promise(() => once(socket, "close"))

const placeFor = (entered: Entered) =>
  Effect.promise(async () => {
    const socket = await dial(entered)
    if (typeof socket === "number") return false
    socket.terminate()
    return true
  })

const statusOf = ({ cookie, url }: Entered) =>
  Effect.map(
    Effect.promise(() => ask(url, { cookie })),
    ({ status }) => status
  )

describe("a page of somebody that is open", () => {
  it.live("is closed when the issuer says that its token is revoked", () =>
    Effect.gen(function* () {
      const introspection = { clientId: GATEWAY_CLIENT.clientId, clientSecret: GATEWAY_CLIENT.clientSecret }
      const gateway = yield* peopleGateway({ format: "opaque", issuer: { introspection } })
      const [ada, bob] = [yield* gateway.signIn("ada"), yield* gateway.signIn("bob")]
      const [open, other] = [yield* dialed(ada), yield* dialed(bob)]
      const closed = once(open, "close")
      yield* Effect.promise(() => gateway.revoke("ada"))
      yield* Effect.promise(() => closed)
      assert.strictEqual(yield* statusOf(ada), 401)
      assert.strictEqual(other.readyState, other.OPEN)
      assert.strictEqual(yield* statusOf(bob), 200)
    }).pipe(Effect.scoped)
  )

  it.live("stays as long as its issuer says that its token is active, if the token has no expiry", () =>
    Effect.gen(function* () {
      const introspection = { clientId: GATEWAY_CLIENT.clientId, clientSecret: GATEWAY_CLIENT.clientSecret }
      const gateway = yield* peopleGateway({ format: "opaque", tellsExpiry: false, issuer: { introspection } })
      const ada = yield* gateway.signIn("ada")
      const open = yield* dialed(ada)
      const ended = once(open, "close")
      const closed = Effect.promise(() => ended)
      // Each answer counts for half a minute.
      const often = Effect.sync(gateway.asked).pipe(Effect.repeat({ schedule: pauses, until: (count) => count >= 3 }))
      yield* Effect.raceFirst(often, closed)
      assert.isAtLeast(gateway.asked(), 3)
      assert.strictEqual(open.readyState, open.OPEN)
      assert.strictEqual(yield* statusOf(ada), 200)
      yield* Effect.promise(() => gateway.revoke("ada"))
      yield* closed
      assert.strictEqual(yield* statusOf(ada), 401)
    }).pipe(Effect.scoped)
  )

  it.live("is closed when no rule lets its person in any more", () =>
    Effect.gen(function* () {
      const gateway = yield* peopleGateway({ rules: [{ who: ["ada@example.com", "bob@example.com"] }] })
      const [ada, bob] = [yield* gateway.signIn("ada"), yield* gateway.signIn("bob")]
      const [open, other] = [yield* dialed(ada), yield* dialed(bob)]
      const text = readFileSync(gateway.file, "utf8")
      assert.include(text, '"ada@example.com",')
      writeFileSync(gateway.file, text.replace('"ada@example.com",', ""))
      yield* closing(open)
      assert.strictEqual(yield* statusOf(ada), 401)
      assert.strictEqual(other.readyState, other.OPEN)
    }).pipe(Effect.scoped)
  )

  it.live("is one of a few of its person, and sends messages of bounded size", () =>
    Effect.gen(function* () {
      const gateway = yield* peopleGateway()
      const ada = yield* gateway.signIn("ada")
      const pages = yield* Effect.forEach(Array.from({ length: PEOPLE_SOCKETS_EACH_MAX }), () => dialed(ada))
      assert.strictEqual(yield* Effect.promise(() => dial(ada)), 503)
      const bob = yield* dialed(yield* gateway.signIn("bob"))
      pages[0]!.send("x".repeat(PEOPLE_MESSAGE_MAX_BYTES + 1))
      const [code] = yield* closing(pages[0]!)
      assert.strictEqual(code, 1009)
      assert.strictEqual(bob.readyState, bob.OPEN)
      // Its place is free when the gateway has seen the end of the connection.
      yield* Effect.repeat(placeFor(ada), { schedule: pauses, until: (isFree) => isFree })
    }).pipe(Effect.scoped)
  )
})

describe("accounts at servers, on the page", () => {
  it.live("are connected and disconnected by their person, and are nobody else's", () =>
    Effect.gen(function* () {
      const { issuer: other } = yield* oidcProvider({ person: () => "ada-at-tickets" })
      const server = yield* accountServer(other)
      const tickets = { url: server.url, auth: { type: "oauth", per: "person" } }
      const hidden = { ...tickets, auth: { ...tickets.auth } }
      const gateway = yield* peopleGateway({
        servers: { tickets, hidden },
        rules: [{ who: ["*"], servers: ["all", "tickets"] }]
      })
      const ada = yield* clientOf(yield* gateway.signIn("ada"))
      const bob = yield* clientOf(yield* gateway.signIn("bob"))
      const accountsOf = (of: typeof ada) => Effect.map(of.Mine(), ({ accounts }) => accounts)
      assert.deepStrictEqual(yield* accountsOf(ada), [{ server: "tickets", isConnected: false }])
      // A server that the rules do not show, one without accounts, and none at all.
      const refusals = yield* Effect.forEach(["hidden", "all", "nothing"], (name) =>
        Effect.map(Effect.flip(ada.ConnectAccount({ server: name })), ({ message }) => message.replaceAll(name, "X"))
      )
      assert.deepStrictEqual(new Set(refusals), new Set(["you have no account at a server 'X'"]))

      const adas = yield* gateway.clientOf("ada")
      yield* listed(adas, "tools/list", "mcp_tickets_connect_account")
      const { url } = yield* ada.ConnectAccount({ server: "tickets" })
      const browser = makeBrowser()
      const end = yield* Effect.promise(async () => browser.click(await browser.open(url)))
      assert.strictEqual(end.status, 200, end.text)
      // The server that has waited for it is tried again by then: the next call works.
      const said = yield* Effect.promise(() => adas.call("mcp_tickets_whoami"))
      assert.include(said, "you are ada-at-tickets")
      assert.deepStrictEqual(yield* accountsOf(ada), [{ server: "tickets", isConnected: true }])
      assert.deepStrictEqual(yield* accountsOf(bob), [{ server: "tickets", isConnected: false }])
      assert.isFalse(yield* bob.DisconnectAccount({ server: "tickets" }))
      assert.deepStrictEqual(yield* accountsOf(ada), [{ server: "tickets", isConnected: true }])
      assert.isTrue(yield* ada.DisconnectAccount({ server: "tickets" }))
      assert.deepStrictEqual(yield* accountsOf(ada), [{ server: "tickets", isConnected: false }])
    }).pipe(Effect.scoped)
  )

  it.live("are used at once, also where the server would not have been tried again for minutes", () =>
    Effect.gen(function* () {
      const { issuer: other } = yield* oidcProvider({ person: () => "ada-at-tickets" })
      const server = yield* accountServer(other)
      server.busy(true)
      const gateway = yield* peopleGateway({
        servers: { tickets: { url: server.url, auth: { type: "oauth", per: "person" } } }
      })
      const ada = yield* clientOf(yield* gateway.signIn("ada"))
      const adas = yield* gateway.clientOf("ada")
      yield* Effect.promise(() => adas.request("tools/list")).pipe(
        Effect.repeat({ schedule: pauses, until: () => server.refusals() > 0 })
      )
      const { url } = yield* ada.ConnectAccount({ server: "tickets" })
      const browser = makeBrowser()
      const page = yield* Effect.promise(() => browser.open(url))
      // It waits for its time by now.
      yield* gateway.logged(/tickets.*restart 1 in \d{6}/)
      server.busy(false)
      const end = yield* Effect.promise(() => browser.click(page))
      assert.strictEqual(end.status, 200, end.text)
      yield* listed(adas, "tools/list", "mcp_tickets_whoami")
      assert.include(yield* Effect.promise(() => adas.call("mcp_tickets_whoami")), "you are ada-at-tickets")
    }).pipe(Effect.scoped)
  )
})
