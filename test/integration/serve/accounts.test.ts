import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runHere } from "../../e2e/here.ts"
import { ERAS, listed } from "../../support/mcpClients.ts"
import { EXCHANGER, linkIn, running, willing } from "./accountsGateway.ts"
import { overHttp, type Loose } from "./program.ts"
import { pauses } from "../../support/pause.ts"
import { rowsInFull } from "../../support/full.ts"

describe("serve --http: accounts at servers", () => {
  for (const era of rowsInFull(ERAS, ["2025-11-25"])) {
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
        const { clientOf, home, next } = yield* running()
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
        // After a logout, status says that the server waits for the account, though its connection is still there.
        const command = (...args: ReadonlyArray<string>) =>
          Effect.map(
            runHere([...args, "--config", join(home, "..", "mcp.json")], { env: { MCP_LIVE_HOME: home } }),
            ({ stdout }) => stdout
          )
        const tickets = Effect.map(command("status", "--json"), (text) =>
          (JSON.parse(text) as Loose).own.find((one: Loose) => one.server === "tickets")
        )
        assert.deepInclude((yield* tickets).status, { state: "Ready" })
        // The command finds her in the audit log, which is written in the background.
        yield* command("logout", "tickets", "--as", "ada@example.com").pipe(
          Effect.repeat({ schedule: pauses, until: (text) => text.includes("Logged out of 'tickets'") })
        )
        const { status } = yield* tickets
        assert.deepInclude(status, { state: "Failed", waits: "login", tools: 0 })
        assert.include(status.lastError, "is not connected: its user is asked to connect an account at the next call")
      })
  )

  it.live("what runs for one person is what status, top and logs show with --person", () =>
    Effect.gen(function* () {
      const { clientOf, home } = yield* running()
      for (const name of ["ada", "grace"]) {
        const client = yield* clientOf(name, "2025-11-25")
        yield* listed(client, "tools/list", "mcp_bird_pid")
        yield* Effect.promise(() => client.call("mcp_bird_pid"))
      }
      const shown = (command: ReadonlyArray<string>, ...more: ReadonlyArray<string>) =>
        Effect.map(
          runHere([...command, ...more, "--config", join(home, "..", "mcp.json")], { env: { MCP_LIVE_HOME: home } }),
          ({ stderr, stdout }) => (stdout.trim() === "" ? stderr : stdout)
        )
      for (const command of [["status"], ["top", "-n", "1"]]) {
        const { own, servers } = JSON.parse(yield* shown(command, "--person", "ada@*", "--json")) as Loose
        assert.isEmpty(servers)
        assert.include(
          own.map(({ server }: Loose) => server),
          "bird"
        )
        const people = new Set(own.map(({ whose }: Loose) => whose.replace(/ #.*/, "")))
        assert.deepStrictEqual([...people], ["ada@example.com"], command[0])
        const table = yield* shown(command, "--person", "grace@example.com")
        assert.match(table, /^bird \(grace@example\.com #/m)
        assert.notInclude(table, "ada@")
        assert.include(yield* shown(command, "--person", "eve"), "nothing runs for 'eve' alone")
      }
      // The gateway writes its lines a moment after it answers; until then there is a sentence in their place.
      const written = yield* Effect.repeat(shown(["logs"], "--person", "ada@example.com", "--json"), {
        schedule: pauses,
        until: (text) => text.startsWith("{")
      })
      const lines = written.trim().split("\n")
      const whose = new Set(lines.map((line) => (JSON.parse(line) as Loose).whose.replace(/ #.*/, "")))
      assert.deepStrictEqual([...whose], ["ada@example.com"])
    })
  )

  it.live("an account that a person has not connected yet is theirs to connect, and not the operator's", () =>
    Effect.gen(function* () {
      const { clientOf, home } = yield* running()
      const client = yield* clientOf("ada", "2025-11-25")
      yield* listed(client, "tools/list", "mcp_tickets_connect_account")
      const { stdout } = yield* runHere(["status", "--json", "--config", join(home, "..", "mcp.json")], {
        env: { MCP_LIVE_HOME: home }
      })
      const { own, servers } = JSON.parse(stdout) as Loose
      const { status } = own.find(({ server }: Loose) => server === "tickets")
      assert.strictEqual(status.waits, "login")
      assert.include(status.lastError, "ada@example.com has not connected an account yet")
      assert.notInclude(stdout, "Run: mcp-live login")
      assert.strictEqual(servers.bird.waits, "person")
    })
  )

  it.live("whom no rule lets use a server is neither offered nor given a page for an account there", () =>
    Effect.gen(function* () {
      const { clientOf } = yield* running({
        rules: [{ who: ["ada@example.com"], servers: ["bird"] }, { who: ["grace@example.com"] }]
      })
      const ada = yield* clientOf("ada", "2025-11-25")
      const grace = yield* clientOf("grace", "2025-11-25")
      yield* listed(grace, "tools/list", "mcp_tickets_connect_account", "mcp_bird_pid")
      yield* listed(ada, "tools/list", "mcp_bird_pid")
      // By now ada's connection has found out that it needs a login.
      assert.notInclude(yield* Effect.promise(() => ada.call("mcp_tickets_whoami")), "/login/")
      const names = ((yield* Effect.promise(() => ada.request("tools/list"))) as Loose).tools
      assert.notMatch(JSON.stringify(names), /connect_account/)
      const told = yield* Effect.promise(() =>
        ada.call("mcp_tickets_connect_account").catch((error: unknown) => String(error))
      )
      assert.notInclude(told, "/login/")
      assert.match(yield* Effect.promise(() => grace.call("mcp_tickets_connect_account")), /\/login\//)
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
      assert.notStrictEqual(adas.match(/^\d+$/m)?.[0], graces.match(/^\d+$/m)?.[0])
      assert.include(yield* call(first, "mcp_bird_env", { name: "WHOSE" }), "ada@example.com")
      assert.include(yield* call(second, "mcp_bird_env", { name: "WHOSE" }), "grace@example.com")
      yield* call(first, "mcp_bird_note", { text: "ada's word" })
      assert.notInclude(yield* call(second, "mcp_bird_note", { text: "grace's word" }), "ada's word")
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
        .filter((line) => line.includes('"server":"tickets","tool":"note"'))
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

  it.live("without a click: the identity provider vouches for the person who calls", () =>
    Effect.gen(function* () {
      const { clientOf, server } = yield* running({
        servers: ({ idp, issuer, url }) => ({
          tickets: {
            url,
            auth: {
              type: "oauth",
              per: "person",
              issuer,
              ...EXCHANGER,
              enterprise: {
                idpTokenUrl: `${idp}/token`,
                idpClientId: EXCHANGER.clientId,
                idpClientSecret: EXCHANGER.clientSecret,
                subjectToken: "{caller}"
              }
            }
          }
        })
      })
      for (const person of ["ada", "grace"]) {
        const client = yield* clientOf(person, "2025-11-25")
        yield* listed(client, "tools/list", "mcp_tickets_whoami")
        assert.include(yield* Effect.promise(() => client.call("mcp_tickets_whoami")), `you are ${person}`)
      }
      assert.sameMembers([...new Set(server.met.map(({ subject }) => subject))], ["ada", "grace"])
    })
  )
})
