/** What `forget` and `logout --as` remove of people who use a running gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runHere } from "../../e2e/here.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { MAIN } from "../../support/built.ts"
import { listed } from "../../support/mcpClients.ts"
import { pause } from "../../support/pause.ts"
import { running, willing } from "../serve/accountsGateway.ts"
import type { Loose } from "../serve/program.ts"

const commandAt =
  ({ file, home }: { readonly file: string; readonly home: string }) =>
  (...args: ReadonlyArray<string>) =>
    Effect.promise(
      () =>
        new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
          execFile(
            process.execPath,
            [MAIN, ...args, "--config", file],
            { env: { ...process.env, MCP_LIVE_HOME: home } },
            (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr })
          )
        })
    )

/** The same in the test's own process, for what comes after. */
const hereAt =
  ({ file, home }: { readonly file: string; readonly home: string }) =>
  (...args: ReadonlyArray<string>) =>
    runHere([...args, "--config", file], { env: { MCP_LIVE_HOME: home } })

const credentialsIn = (home: string): ReadonlyArray<Loose> =>
  readdirSync(join(home, "credentials"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(home, "credentials", name), "utf8")))

/** What the authorization server says to a refresh token. */
const renewal = ({ credentials: { authorization } }: Loose) =>
  Effect.promise(async () => {
    const response = await fetch(`${authorization.issuer}/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: authorization.tokens.refreshToken,
        client_id: authorization.clientId
      }).toString()
    })
    return ((await response.json()) as Loose).error as string | undefined
  })

const handleIn = (text: string): string => {
  const found = /r-[0-9a-f]{16}/.exec(text)?.[0]
  assert.isDefined(found, text.slice(-400))
  return found!
}

/** Of a file that its gateway has renamed or removed since it was listed, nothing. */
const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return ""
  }
}

/** All files of a data directory together. */
const textOf = (home: string): string =>
  (existsSync(home) ? readdirSync(home, { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => readIfThere(join(parentPath, name)))
    .join("\n")

const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await pause()
  })

describe("a person who is forgotten", () => {
  it.live("is named by no file of a gateway that runs, also not by the log about servers and the pins", () =>
    Effect.gen(function* () {
      const notes = { command: process.execPath, args: [inFixtures("parrot.ts"), "{person}"], share: "person" }
      const { clientOf, ...place } = yield* running({ servers: () => ({ notes }) })
      for (const name of ["ada", "grace"]) {
        const client = yield* clientOf(name, "2025-11-25")
        yield* listed(client, "tools/list", "mcp_notes_pid", "mcp_bird_pid", "mcp_tickets_connect_account")
        yield* Effect.promise(() => client.call("mcp_notes_pid"))
      }
      // All that is said of the start of her servers is written by now.
      const told = [
        /"notes","whose":"ada@.*"ready/,
        /"bird","whose":"ada@.*"ready/,
        /"tickets","whose":"ada@.*has not connected/
      ]
      yield* until(() => told.every((words) => words.test(textOf(join(place.home, "logs")))))
      yield* until(() => /"command"/.test(textOf(join(place.home, "pins"))))
      // The command finds her in the audit log.
      yield* until(() => textOf(join(place.home, "audit")).includes("ada@example.com"))
      assert.notInclude(textOf(join(place.home, "pins")), "ada@example.com")
      assert.strictEqual((yield* commandAt(place)("forget", "ada@example.com")).code, 0)
      const left = textOf(place.home)
      assert.notInclude(left, "ada@example.com")
      assert.include(left, "grace@example.com")
    }).pipe(Effect.scoped)
  )

  it.live("loses their logins at servers, which are revoked, and what is kept of results; others lose nothing", () =>
    Effect.gen(function* () {
      const { clientOf, next, ...place } = yield* running()
      const [command, here] = [commandAt(place), hereAt(place)]
      const [ada, grace] = [willing(next, "ada"), willing(next, "grace")]
      const first = yield* clientOf("ada", "2025-11-25", ada.answers)
      const second = yield* clientOf("grace", "2025-11-25", grace.answers)
      const handles: Array<string> = []
      for (const client of [first, second]) {
        yield* Effect.promise(() => client.call("mcp_tickets_connect_account"))
        yield* listed(client, "tools/list", "mcp_tickets_whoami")
        handles.push(handleIn(yield* Effect.promise(() => client.call("mcp_tickets_long"))))
      }
      const readMore = (client: typeof first, handle: string) =>
        Effect.promise(() => client.call("mcp_read_more", { handle }))
      assert.include(yield* readMore(first, handles[0]!), "ada-at-tickets")
      const before = credentialsIn(place.home)
      assert.lengthOf(before, 2)

      const { code, stderr, stdout } = yield* command("forget", "ada@example.com")
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "logins at servers: 1 removed\n")
      assert.include(stdout, "kept results: 1 removed\n")
      assert.include(stdout, "conversations: 0 removed\n")
      const [graces, ...more] = credentialsIn(place.home)
      assert.isEmpty(more)
      const adas = before.find(({ account }) => account !== graces.account)
      assert.strictEqual(yield* renewal(adas), "invalid_grant")
      assert.notInclude(yield* readMore(first, handles[0]!), "ada-at-tickets")
      assert.include(yield* readMore(second, handles[1]!), "grace-at-tickets")

      // One login of one person.
      assert.strictEqual((yield* here("logout", "bird", "--as", "grace@example.com")).code, 2)
      const gone = yield* here("logout", "tickets", "--as", "grace@example.com")
      assert.include(gone.stdout, "Logged out of 'tickets'")
      assert.strictEqual(yield* renewal(graces), "invalid_grant")
      assert.isEmpty(credentialsIn(place.home))
      const nobody = yield* here("logout", "tickets", "--as", "nobody@example.com")
      assert.strictEqual(nobody.code, 1)
      assert.include(nobody.stderr, 'there is no record of "nobody@example.com"')
    }).pipe(Effect.scoped)
  )
})
