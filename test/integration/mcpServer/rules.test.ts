/** Rules of clients for agent requests over HTTP: who is let in, which agent answers, and what it may do meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "../../../src/programs/cli/running/client.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { findGateways } from "../../../src/system/gatewayFiles.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { runHere } from "../../e2e/here.ts"
import { AUDIENCE, testIssuer } from "../../support/issuer.ts"
import { connected, type TestClient } from "../../support/mcpClients.ts"
import { provider, type Reply } from "../../support/modelProvider.ts"
import { pauses } from "../../support/pause.ts"
import { shared } from "../../support/shared.ts"
import { folder, listeningWith, model, ORDER, type Result } from "./program.ts"

const fixture = (file: string, ...more: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [inFixtures(file), ...more]
})

/** An order costs the program more than a few milliseconds, and a client may place 120 of them in a minute. */
const looks = Schedule.spaced("250 millis")

const listening = Effect.fnUntraced(function* (
  rules: ReadonlyArray<object>,
  args: ReadonlyArray<string> = [],
  clients: object = {}
) {
  const behind = yield* provider({ text: ["Yes."] })
  const configOf = (all: ReadonlyArray<object>) => ({
    agents: {
      ...model(behind.baseUrl).agents,
      list: [{ id: "main" }, { id: "other", mcp: { servers: { media: { enabled: false } } } }]
    },
    mcp: {
      servers: { media: fixture("media.ts"), modern: fixture("modern.ts", "stdio") },
      clients: { ...clients, rules: all }
    }
  })
  const { program, url } = yield* listeningWith({ args: ["--http", "0", ...args], config: configOf(rules) })
  return {
    ...program,
    behind,
    url,
    rewrite: (all: ReadonlyArray<object>) =>
      Effect.sync(() => writeFileSync(program.args.at(-1)!, JSON.stringify(configOf(all)))),
    statusFor: (token: string) =>
      Effect.promise(() =>
        fetch(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            authorization: `Bearer ${token}`
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
          })
        }).then(async (response) => {
          await response.text()
          return response.status
        })
      )
  }
})

/** With persons who log in; the name of a person is the subject. */
const withLogins = Effect.fnUntraced(function* (rules: ReadonlyArray<object>) {
  const { issuer, token } = yield* testIssuer
  const program = yield* listening(rules, ["--resource", AUDIENCE], { issuers: [{ issuer }] })
  return {
    ...program,
    issuer,
    tokenOf: (sub: string, groups: ReadonlyArray<string> = []) => Effect.promise(() => token({ sub, groups }))
  }
})

const withFile = Effect.fnUntraced(function* (rules: ReadonlyArray<object>, ...names: ReadonlyArray<string>) {
  const file = join(yield* folder, "clients")
  const tokenOf = (name: string) => `the-long-token-of-${name}-1234567890`
  writeFileSync(file, names.map((name) => `${name} ${tokenOf(name)}\n`).join(""), { mode: 0o600 })
  return { ...(yield* listening(rules, ["--clients", file])), tokenOf }
})

const place = (client: TestClient, message: string) =>
  Effect.promise(
    () => client.request("tools/call", { name: ORDER, arguments: { message } }) as unknown as Promise<Result>
  )

const said = (result: Result) => JSON.stringify(result.content)

/** A server that is there may come after the first order. */
const untilSaid = (client: TestClient, message: string, text: string) =>
  place(client, message).pipe(Effect.map(said), Effect.repeat({ schedule: looks, until: (all) => all.includes(text) }))

const calls = (name: string): Reply => ({ calls: [{ id: "c1", name, args: "{}" }] })

type Behind = Effect.Success<ReturnType<typeof provider>>

/** What the model gets to read when it has called this tool in an order. */
const calledBy = Effect.fnUntraced(function* (behind: Behind, client: TestClient, tool: string) {
  behind.reply(calls(tool), { text: ["Done."] })
  const before = behind.requests.length
  yield* place(client, "go on")
  const [first, second] = behind.requests.slice(before)
  return { listed: first!.tools.map((one) => one.function.name), read: JSON.stringify(second!.messages.at(-1)) }
})

const forgetting = (
  { args, env }: { readonly args: ReadonlyArray<string>; readonly env?: Readonly<Record<string, string>> },
  person: string
) => runHere(["forget", person, "--config", args.at(-1)!], { env: { ...env } })

describe("what is kept of a person who sends agent requests", () => {
  it.live("goes with the person: their conversations; those of others stay", () =>
    Effect.gen(function* () {
      const program = yield* withLogins([])
      const { behind, home, issuer, tokenOf, url } = program
      const kept = () => readdirSync(join(home, "orders", "conversations")).filter((name) => name.endsWith(".jsonl"))
      const [ada, bob] = yield* Effect.forEach(["ada", "bob"], (name) =>
        Effect.flatMap(tokenOf(name), (token) => connected("2025-11-25", { url, token }))
      )
      yield* untilSaid(ada!, "/tools", "mcp_media_media")
      yield* calledBy(behind, ada!, "mcp_media_media")
      const adas = kept().length
      yield* place(bob!, "hello")
      assert.lengthOf(kept(), adas + 1)
      // The command finds the name in the audit log, which is written in the background.
      const forgotten = yield* Effect.repeat(forgetting(program, "ada"), {
        schedule: pauses,
        until: ({ stdout }) => stdout !== ""
      })
      assert.include(forgotten.stdout, `conversations: ${adas} removed\n`)
      assert.lengthOf(kept(), 1)
      // There is no record of somebody without a call: the id is enough.
      const { stdout } = yield* forgetting(program, personIdOf({ issuer, subject: "bob" }))
      assert.include(stdout, "conversations: 1 removed\n")
      assert.isEmpty(kept())
    }).pipe(Effect.scoped)
  )
})

describe("mcp-server --http: the rules of clients", () => {
  const several = shared(
    withLogins([
      { who: ["ada"], servers: ["media"] },
      { who: ["group:all"], tools: { deny: ["modern/get-env"] } },
      { who: ["eve"] },
      { who: ["group:writers"], agent: "other" }
    ])
  )

  it.live("the agent has for a person what the rules give that person, and its calls are under them", () =>
    Effect.gen(function* () {
      const { behind, tokenOf, url } = yield* several
      const ada = yield* connected("2025-11-25", { url, token: yield* tokenOf("ada") })
      const eve = yield* connected("2025-11-25", { url, token: yield* tokenOf("eve") })
      assert.include(yield* untilSaid(eve, "/tools", "mcp_modern_"), "mcp_media_media")
      assert.notInclude(yield* untilSaid(ada, "/tools", "mcp_media_media"), "mcp_modern_")
      assert.notInclude(said(yield* place(ada, "/status")), "modern")
      assert.include(said(yield* place(eve, "/status")), "modern")
      const refused = yield* calledBy(behind, ada, "mcp_modern_get-tiny-image")
      assert.include(refused.listed, "mcp_media_media")
      assert.notMatch(refused.listed.join(" "), /mcp_modern_/)
      assert.match(refused.read, /unavailable tool|no rule allows it/)
      // A command of the agent is a call as well.
      assert.include(said(yield* place(ada, "/call mcp_modern_get-tiny-image")), "no rule allows it")
      assert.notInclude((yield* calledBy(behind, eve, "mcp_modern_get-tiny-image")).read, "no rule")
    }).pipe(Effect.scoped)
  )

  it.live("whom no rule lets in gets 403 and one line in the log; a change of the rules counts for who is there", () =>
    Effect.gen(function* () {
      const { log, logged, rewrite, statusFor, tokenOf, url } = yield* withLogins([{ who: ["ada"] }])
      const bob = yield* tokenOf("bob")
      assert.strictEqual(yield* statusFor(bob), 403)
      assert.strictEqual(yield* statusFor(bob), 403)
      yield* logged(/bob \(client editor\) was not let in: no rule of clients\.rules matches/)
      const token = yield* tokenOf("ada")
      const ada = yield* connected("2025-11-25", { url, token })
      yield* untilSaid(ada, "/tools", "mcp_modern_")
      // A second line would be there by now.
      assert.lengthOf(log().match(/bob \(client editor\)/g)!, 1)
      assert.notInclude(log(), bob)
      yield* rewrite([{ who: ["ada"], servers: ["media"] }])
      yield* place(ada, "/tools").pipe(
        Effect.map(said),
        Effect.repeat({
          schedule: looks,
          until: (all) => all.includes("mcp_media_media") && !all.includes("mcp_modern_")
        })
      )
      yield* rewrite([{ who: ["bob"] }])
      yield* Effect.repeat(statusFor(token), { schedule: pauses, until: (status) => status === 403 })
      assert.strictEqual(yield* statusFor(bob), 200)
    }).pipe(Effect.scoped)
  )

  it.live("the agent of a rule answers", () =>
    Effect.gen(function* () {
      const { tokenOf, url } = yield* several
      const mia = yield* connected("2025-11-25", { url, token: yield* tokenOf("mia", ["writers"]) })
      assert.notInclude(yield* untilSaid(mia, "/tools", "mcp_modern_"), "mcp_media_")
    }).pipe(Effect.scoped)
  )

  it.live("a client of the file of clients is client:NAME, also if it is the only one", () =>
    Effect.gen(function* () {
      const rules = [{ who: ["client:laptop"], servers: ["media"] }]
      const two = yield* withFile(rules, "laptop", "phone")
      assert.strictEqual(yield* two.statusFor(two.tokenOf("phone")), 403)
      yield* two.logged(/client phone was not let in: no rule of clients\.rules matches/)
      const one = yield* withFile(rules, "laptop")
      for (const { behind, tokenOf, url } of [two, one]) {
        const laptop = yield* connected("2025-11-25", { url, token: tokenOf("laptop") })
        assert.notInclude(yield* untilSaid(laptop, "/tools", "mcp_media_media"), "mcp_modern_")
        assert.notMatch((yield* calledBy(behind, laptop, "mcp_media_media")).listed.join(" "), /mcp_modern_/)
        assert.include(said(yield* place(laptop, "/call mcp_modern_get-tiny-image")), "no rule allows it")
      }
    }).pipe(Effect.scoped)
  )
})

describe("mcp-server --http: calls that named people approve", () => {
  it.live("are asked about at the desk, with whose they are, and not through the client", () =>
    Effect.gen(function* () {
      const { behind, home, tokenOf, url } = yield* withLogins([
        { tools: { allow: ["*"] } },
        { tools: { ask: ["modern/get-tiny-image"], approvers: ["bob"] } }
      ])
      let asked = 0
      const elicit = async () => {
        asked++
        return { action: "accept", content: { decision: "once" } }
      }
      const ada = yield* connected("2025-11-25", { url, token: yield* tokenOf("ada") }, { elicit })
      yield* untilSaid(ada, "/tools", "mcp_modern_get-tiny-image")
      const unattended = yield* calledBy(behind, ada, "mcp_modern_get-tiny-image")
      assert.include(unattended.read, "it needs the approval of bob, and nobody is at the desk of this gateway")

      const [found] = yield* Effect.promise(() => findGateways(home))
      const { operator } = yield* connect(found!, undefined, {})
      const open = yield* Stream.toQueue(operator.questions, { capacity: 16 })
      yield* Queue.take(open)
      const waiting = yield* Effect.forkChild(calledBy(behind, ada, "mcp_modern_get-tiny-image"))
      const [question] = yield* Queue.take(open).pipe(Effect.repeat({ until: (now) => now.length === 1 }))
      const { approvers, caller } = (question as unknown as { question: Record<string, unknown> }).question
      assert.deepStrictEqual(approvers, ["bob"])
      assert.match(String(caller), /^ada \(http:/)
      assert.isTrue(yield* operator.answer(question!.id, { _tag: "Approval", answer: "once" }))
      assert.notInclude((yield* Fiber.join(waiting)).read, "approval of bob")
      assert.strictEqual(asked, 0)
    }).pipe(Effect.scoped)
  )
})
