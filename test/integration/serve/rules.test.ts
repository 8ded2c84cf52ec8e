/** Rules of clients, as persons meet them who log in at a real authorization server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "../../../src/programs/cli/running/client.ts"
import { findGateways } from "../../../src/system/gatewayFiles.ts"
import { runHere } from "../../e2e/here.ts"
import { run } from "../../e2e/program.ts"
import { freePort } from "../../support/freePort.ts"
import { ERAS, listed, type TestClient } from "../../support/mcpClients.ts"
import { pauses } from "../../support/pause.ts"
import { AUDIENCE, testIssuer } from "../../support/issuer.ts"
import { logIn, SDK_V1 } from "../../support/loginClient.ts"
import { oidcProvider } from "../../support/oidcProvider.ts"
import { listeningTo, overHttp, placeFor, real, type Loose } from "./program.ts"
import { isFull, rowsInFull } from "../../support/full.ts"
import { shared } from "../../support/shared.ts"

const LAPTOP = "the token of the laptop"

/** The tokens of persons say these groups. */
const GROUPS: Readonly<Record<string, ReadonlyArray<string>>> = { ada: ["staff"], eve: ["writers"], bob: [] }

const running = Effect.fnUntraced(function* (rules: ReadonlyArray<object>, more: { readonly serve?: object } = {}) {
  let person = "ada"
  const groups = { ...GROUPS }
  const { issuer } = yield* oidcProvider({
    person: () => person,
    claims: (name) => ({ groups: groups[name], level: 3 })
  })
  const port = yield* freePort
  const resource = `http://127.0.0.1:${port}/mcp`
  const configOf = (all: ReadonlyArray<object>) => ({
    agents: { list: [{ id: "main" }, { id: "other", mcp: { servers: { all: { enabled: false } } } }] },
    mcp: {
      servers: { mem: real("memory"), all: real("everything", ["stdio"]) },
      serve: { clients: [{ name: "laptop", token: LAPTOP.replaceAll(" ", "-") }], ...more.serve },
      clients: { resource, issuers: [{ issuer, scopes: ["mcp"], claims: { person: "email" } }], rules: all }
    }
  })
  const place = yield* placeFor(configOf(rules))
  const gateway = yield* listeningTo(place.home, ["--config", place.file, "--http", "--port", String(port)])
  return {
    ...gateway,
    home: place.home,
    file: place.file,
    rewrite: (all: ReadonlyArray<object>) =>
      Effect.sync(() => writeFileSync(place.file, JSON.stringify(configOf(all)))),
    /** The access token of a person, who logs in for that. */
    tokenOf: (name: string) =>
      Effect.promise(() => {
        person = name
        return logIn(gateway.url, SDK_V1).then(({ kept }) => kept.tokens.access_token as string)
      })
  }
})

/** The records of the audit log, as far as they are written: of the last one, only a part may be there. */
const readLines = (folder: string): ReadonlyArray<Loose> =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1))
    .map((line) => JSON.parse(line))

const listOf = (client: TestClient, what: "tools" | "resources" | "prompts") =>
  Effect.map(
    Effect.promise(() => client.request(`${what}/list`)),
    (result) => (result as Loose)[what].map((one: Loose) => one.name as string) as ReadonlyArray<string>
  )

const serversIn = (names: ReadonlyArray<string>) => [
  ...new Set(names.flatMap((name) => /^mcp_(all|mem)_/.exec(name)?.[1] ?? []))
]

const refused = (request: Promise<unknown>): Effect.Effect<string> =>
  Effect.promise(() =>
    request.then(
      (answer) => assert.fail(`it was answered: ${JSON.stringify(answer)}`),
      (error: unknown) => String(error)
    )
  )

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
}

const asked = (url: string, token: string, message: object = INITIALIZE, session?: string) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        ...(session === undefined ? {} : { "mcp-session-id": session })
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message })
    }).then(async (response) => ({ status: response.status, headers: response.headers, text: await response.text() }))
  )

const RULES = [
  { who: ["ada@example.com"], servers: ["all"] },
  { who: ["group:writers"], if: "claims.level >= 3", servers: ["mem"] },
  { who: ["*"], tools: { deny: ["all/get-env"] } }
]

describe("serve --http: the rules of clients", () => {
  /** For tests that do not change its rules. */
  const usual = shared(running(RULES))

  for (const era of rowsInFull(ERAS, ["2025-11-25"])) {
    it.live(`two persons see, call, read and prompt what is theirs (${era})`, () =>
      Effect.gen(function* () {
        const { tokenOf, url } = yield* usual
        const ada = yield* overHttp(era, url, yield* tokenOf("ada"))
        const eve = yield* overHttp(era, url, yield* tokenOf("eve"))
        const adas = yield* Effect.repeat(listOf(ada, "tools"), { schedule: pauses, until: (all) => all.length > 3 })
        const eves = yield* Effect.repeat(listOf(eve, "tools"), { schedule: pauses, until: (all) => all.length > 3 })
        assert.deepStrictEqual(serversIn(adas), ["all"])
        assert.deepStrictEqual(serversIn(eves), ["mem"])
        assert.notInclude(adas, "mcp_all_get-env")
        assert.include(yield* Effect.promise(() => ada.call("mcp_all_echo", { message: "hi" })), "Echo: hi")
        assert.include(yield* Effect.promise(() => eve.call("mcp_mem_read_graph")), "entities")
        // Their names are known, and that is all.
        assert.match(yield* Effect.promise(() => ada.call("mcp_mem_read_graph")), /no rule allows it/)
        assert.match(yield* Effect.promise(() => eve.call("mcp_all_echo", { message: "hi" })), /no rule allows it/)
        assert.match(
          yield* Effect.promise(() => ada.call("mcp_all_get-env")),
          /clients\.rules\[2\]: deny: all\/get-env/
        )
        const prompts = yield* listOf(ada, "prompts")
        assert.isNotEmpty(prompts)
        assert.isEmpty(yield* listOf(eve, "prompts"))
        assert.match(yield* refused(eve.request("prompts/get", { name: prompts[0]! })), /no rule allows it|not allowed/)
        const { resources } = (yield* Effect.promise(() => ada.request("resources/list"))) as Loose
        const uri: string = resources[0].uri
        assert.isEmpty((yield* listOf(eve, "resources")).filter((name) => name === resources[0].name))
        yield* Effect.promise(() => ada.request("resources/read", { uri }))
        yield* refused(eve.request("resources/read", { uri }))
        const completing = {
          ref: { type: "ref/prompt", name: "mcp_all_completable-prompt" },
          argument: { name: "department", value: "E" }
        }
        yield* refused(eve.request("completion/complete", completing))
      }).pipe(Effect.scoped)
    )
  }

  it.live("whom no rule lets in is told 403 and no more; the log says whom, without the token", () =>
    Effect.gen(function* () {
      const { logged, stderr, tokenOf, url } = yield* usual
      const token = yield* tokenOf("bob")
      const { headers, status, text } = yield* asked(url, token)
      assert.strictEqual(status, 403)
      assert.isNull(headers.get("www-authenticate"))
      assert.notMatch(text, /rule|bob/)
      yield* logged(/bob@example\.com \(client \S+\) was not let in: no rule of clients\.rules matches/)
      assert.notInclude(stderr(), token)
      assert.notInclude(stderr(), token.split(".")[1]!)
    }).pipe(Effect.scoped)
  )

  it.live("a client with a token of the configuration is client:NAME", () =>
    Effect.gen(function* () {
      const { url } = yield* running([
        { who: ["client:laptop"], servers: ["mem"], tools: { allow: ["mem/read_graph"] } }
      ])
      const laptop = yield* overHttp("2025-11-25", url, LAPTOP.replaceAll(" ", "-"))
      const names = yield* Effect.repeat(listOf(laptop, "tools"), { schedule: pauses, until: (all) => all.length > 1 })
      assert.deepStrictEqual(names, ["mcp_mem_read_graph", "mcp_read_more"])
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("the instructions name the servers of the client alone", () =>
    Effect.gen(function* () {
      const { tokenOf, url } = yield* usual
      const { text } = yield* asked(url, yield* tokenOf("ada"))
      assert.include(text, "MCP servers behind this one: all.")
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("the search tools find, describe and call what the rules allow", () =>
    Effect.gen(function* () {
      const { tokenOf, url } = yield* running(RULES, { serve: { toolIndex: true } })
      const eve = yield* overHttp("2025-11-25", url, yield* tokenOf("eve"))
      yield* Effect.repeat(listOf(eve, "tools"), { schedule: pauses, until: (all) => all.length > 3 })
      const found = yield* Effect.promise(() => eve.call("mcp_search_tools", {}))
      assert.include(found, "mcp_mem_read_graph")
      assert.notInclude(found, "mcp_all_")
      const described = yield* Effect.promise(() => eve.call("mcp_describe_tool", { name: "mcp_all_echo" }))
      assert.notInclude(described, "Parameters")
      const call = { name: "mcp_all_echo", arguments: { message: "hi" } }
      assert.notInclude(yield* Effect.promise(() => eve.call("mcp_call_tool", call)), "Echo: hi")
    }).pipe(Effect.scoped)
  )

  it.live("a rule gives a client its agent", () =>
    Effect.gen(function* () {
      const { tokenOf, url } = yield* running([
        { who: ["ada@example.com"] },
        { who: ["group:writers"], agent: "other" }
      ])
      const ada = yield* overHttp("2025-11-25", url, yield* tokenOf("ada"))
      const eve = yield* overHttp("2025-11-25", url, yield* tokenOf("eve"))
      const adas = yield* Effect.repeat(listOf(ada, "tools"), {
        schedule: pauses,
        until: (all) => serversIn(all).length === 2
      })
      assert.include(adas, "mcp_all_echo")
      const eves = yield* Effect.repeat(listOf(eve, "tools"), { schedule: pauses, until: (all) => all.length > 3 })
      assert.deepStrictEqual(serversIn(eves), ["mem"])
    }).pipe(Effect.scoped)
  )

  it.live("a change of the rules reaches a running session: it is told, and its next call follows", () =>
    Effect.gen(function* () {
      const { rewrite, tokenOf, url } = yield* running(RULES)
      const token = yield* tokenOf("ada")
      const ada = yield* overHttp("2025-11-25", url, token)
      yield* Effect.repeat(listOf(ada, "tools"), { schedule: pauses, until: (all) => all.length > 3 })
      // A server may announce tools of its own meanwhile.
      const listed = async (): Promise<ReadonlyArray<string>> => {
        try {
          return ((await ada.request("tools/list")) as Loose).tools.map(({ name }: Loose) => name)
        } catch {
          // It is not let in any more.
          return ["mcp_all_echo"]
        }
      }
      const follows = new Promise<void>((resolve) =>
        ada.on("tools", () => {
          void listed().then((names) => (names.includes("mcp_all_echo") ? undefined : resolve()))
        })
      )
      yield* rewrite([{ who: ["ada@example.com"], servers: ["all"], tools: { deny: ["all/echo"] } }])
      yield* Effect.promise(() => follows)
      assert.notInclude(yield* listOf(ada, "tools"), "mcp_all_echo")
      assert.match(
        yield* Effect.promise(() => ada.call("mcp_all_echo", { message: "hi" })),
        /clients\.rules\[0\]: deny: all\/echo/
      )
      yield* rewrite([{ who: ["eve@example.com"] }])
      yield* Effect.repeat(asked(url, token), { schedule: pauses, until: ({ status }) => status === 403 })
      assert.match(yield* refused(ada.call("mcp_all_get-sum", { a: 1, b: 2 })), /403|may not use/)
    }).pipe(Effect.scoped)
  )

  it.live("the latest token of a session counts: who has left a group loses what that had", () =>
    Effect.gen(function* () {
      const { issuer, token } = yield* testIssuer
      const place = yield* placeFor({
        mcp: {
          servers: { all: real("everything", ["stdio"]) },
          clients: {
            resource: AUDIENCE,
            issuers: [{ issuer }],
            rules: [{ who: ["group:staff"] }, { servers: ["none"] }]
          }
        }
      })
      const { url } = yield* listeningTo(place.home, ["--config", place.file, "--http", "0"])
      const [before, after] = yield* Effect.promise(() => Promise.all([token({ groups: ["staff"] }), token()]))
      const { headers } = yield* asked(url, before)
      const session = headers.get("mcp-session-id")!
      yield* asked(url, before, { method: "notifications/initialized" }, session)
      const call = { id: 2, method: "tools/call", params: { name: "mcp_all_echo", arguments: { message: "hi" } } }
      assert.include((yield* asked(url, before, call, session)).text, "Echo: hi")
      assert.include((yield* asked(url, after, call, session)).text, "no rule allows it")
    }).pipe(Effect.scoped)
  )

  it.live("plan --as shows what somebody gets from the running gateway, and which rule keeps the rest away", () =>
    Effect.gen(function* () {
      const { file, home } = yield* usual
      const planBy = (via: typeof run, ...args: ReadonlyArray<string>) =>
        Effect.map(
          via(["plan", "--config", file, "--json", ...args], { env: { MCP_LIVE_HOME: home } }),
          ({ stdout }) => JSON.parse(stdout).plan as Loose
        )
      const ruleOf = ({ servers }: Loose, tool: string) =>
        servers.flatMap(({ tools }: Loose) => tools).find((one: Loose) => one.tool === tool)
      const ada = yield* planBy(run, "--as", "ada@example.com", "--wait")
      assert.deepStrictEqual(ada.client, {
        name: "ada@example.com",
        isLetIn: true,
        rules: ["clients.rules[0]", "clients.rules[2]"],
        unreached: ["mem"]
      })
      assert.deepInclude(ruleOf(ada, "get-env"), { state: "denied", rule: "clients.rules[2]: deny: all/get-env" })
      assert.deepInclude(ruleOf(ada, "read_graph"), { state: "denied", rule: "clients.rules: no rule allows it" })
      const eve = yield* planBy(runHere, "--as", "eve", "--group", "writers", "--claims", '{"level":3}')
      assert.deepInclude(ruleOf(eve, "read_graph"), { state: "listed" })
      assert.isFalse((yield* planBy(runHere, "--client", "laptop")).client.isLetIn)
    }).pipe(Effect.scoped)
  )

  it.live("no claim of a token is in the log or in the audit log", () =>
    Effect.gen(function* () {
      const { logged, stderr, tokenOf, url } = yield* running([
        { if: "claims.level.missing" },
        { who: ["ada@example.com"] }
      ])
      const ada = yield* overHttp("2025-11-25", url, yield* tokenOf("ada"))
      yield* Effect.repeat(listOf(ada, "tools"), { schedule: pauses, until: (all) => all.length > 3 })
      yield* logged(/the condition of clients\.rules\[0\] failed \(no_such_key: claims\.level\.missing\)/)
      assert.notInclude(stderr(), "staff")
    }).pipe(Effect.scoped)
  )
})

describe("serve --http: calls that named people approve", () => {
  const RULES = [{ tools: { allow: ["all/*"] } }, { tools: { ask: ["all/echo"], approvers: ["bob@example.com"] } }]

  for (const era of rowsInFull(ERAS, ["2026-07-28"])) {
    it.live(`ask no client of ${era}, and wait for the operator, with whose call it is`, () =>
      Effect.gen(function* () {
        const { home, tokenOf, url } = yield* running(RULES)
        let asked = 0
        const willing = {
          elicit: async () => {
            asked++
            return { action: "accept", content: { decision: "once" } }
          }
        }
        const client = yield* overHttp(era, url, yield* tokenOf("ada"), willing)
        // Whoever may approve is there as a client as well, and is not asked.
        yield* overHttp(era, url, yield* tokenOf("bob"), willing)
        yield* listed(client, "tools/list", "mcp_all_echo")
        const call = () => client.call("mcp_all_echo", { message: "hi" })
        const unattended = yield* Effect.promise(call)
        assert.include(
          unattended,
          "it needs the approval of bob@example.com, and nobody is at the desk of this gateway"
        )

        const [found] = yield* Effect.promise(() => findGateways(home))
        const { operator } = yield* connect(found!, undefined, {})
        const open = yield* Stream.toQueue(operator.questions, { capacity: 16 })
        yield* Queue.take(open)
        const waiting = yield* Effect.forkChild(Effect.promise(call))
        const [question] = yield* Queue.take(open).pipe(Effect.repeat({ until: (now) => now.length === 1 }))
        assert.strictEqual(question!._tag, "Approval")
        const { approvers, caller } = (question as Loose).question
        assert.deepStrictEqual(approvers, ["bob@example.com"])
        assert.match(caller, /^ada@example\.com \(http:/)
        assert.isTrue(yield* operator.answer(question!.id, { _tag: "Approval", answer: "once" }))
        assert.include(yield* Fiber.join(waiting), "hi")
        assert.strictEqual(asked, 0)

        const records = yield* Effect.sync(() => readLines(join(home, "audit"))).pipe(
          Effect.repeat({ schedule: pauses, until: (all) => all.some(({ answer }) => answer === "given") })
        )
        const answers = records.filter(({ kind }) => kind === "approval")
        assert.deepStrictEqual(
          answers.map(({ answer, answeredBy, person }) => [person, answer, answeredBy]),
          [
            ["ada@example.com", "denied", undefined],
            ["ada@example.com", "asked", undefined],
            ["ada@example.com", "given", "operator"]
          ]
        )
      }).pipe(Effect.scoped)
    )
  }
})
