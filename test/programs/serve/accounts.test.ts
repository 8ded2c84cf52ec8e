import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeAccounts } from "../../../src/programs/serve/accounts.ts"
import { callerOf } from "../../../src/schemas/call/Caller.ts"
import type { CallRecord } from "../../../src/services/call/AuditLog.ts"
import { complete } from "../../../src/programs/serve/prompts.ts"
import { heldByClient } from "../../../src/schemas/connection/Isolation.ts"
import { AuthRequired } from "../../../src/schemas/connection/HttpError.ts"
import { serverConfig, type ServerConfig } from "../../../src/schemas/connection/ServerConfig.ts"
import { ServerUnavailable } from "../../../src/schemas/call/CallError.ts"
import { LoginFailed } from "../../../src/schemas/login/Login.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import type { McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"
import type { RequestContext } from "../../../src/services/listener/McpListener.ts"
import { call, CAN_NOTHING, exchanging, offered, refusing, request, says, service, type Loose } from "./live.ts"

const URL_OF_PAGE = "https://mcp.example.com/login/abc"
const CONNECT = "mcp_tickets_connect_account"
const CAN_URL = { ...CAN_NOTHING, elicitation: { form: false, url: true } }
const ADA = { issuer: "https://login.example.com", subject: "1", name: "ada" }

const CALLER = { ...callerOf("ada by desktop"), person: ADA }

const written = serverConfig(
  "tickets",
  {
    kind: "http",
    url: "https://tickets.example/mcp",
    headers: {},
    auth: { grant: "authorization_code", per: "person" }
  },
  { share: false, isolate: "person" }
)
const adas = heldByClient(written, "person", { principal: "ada by desktop", session: "1", person: ADA })

const lacking = (server = "tickets"): ToolResult => ({
  content: [],
  isError: true,
  details: { error: { tag: "ServerUnavailable", server, tool: "whoami", maybeExecuted: false, needsLogin: true } }
})

/** The accounts of one server whose login ends as the test says. */
const accounts = ({
  servers = [adas],
  state = "Failed"
}: { readonly servers?: ReadonlyArray<ServerConfig>; readonly state?: string } = {}) => {
  const done = Deferred.makeUnsafe<void, LoginFailed>()
  const records: Array<CallRecord> = []
  const runtime = {
    inspect: () =>
      Effect.succeed({ snapshot: { state: { _tag: state, cause: { _tag: "AuthRequired", remedy: "login" } } } })
  } as unknown as McpRuntimeShape
  const made = makeAccounts({
    servers: () => servers,
    agent: () => "main",
    audit: Effect.succeed({ record: (one) => Effect.sync(() => void records.push(one)) }),
    logins: {
      origin: "https://mcp.example.com",
      page: () => Effect.succeed({ url: URL_OF_PAGE, id: "question-1", connected: Deferred.await(done) }),
      nameIn: () => undefined,
      cookie: "",
      answers: () => false
    }
  })
  const outcomeOf = (exchange: RequestContext, result = lacking()): Effect.Effect<Loose, Loose> =>
    made.lacking(result, exchange) ?? Effect.succeed("nothing")
  return {
    ...made,
    runtime,
    records,
    outcomeOf,
    connect: Deferred.succeed(done, undefined),
    fail: (error: LoginFailed) => Deferred.fail(done, error)
  }
}

const textOf = (outcome: Loose): string => outcome.content[0].text

describe("serve: accounts", () => {
  it.effect("a client with URL mode is asked, and the call goes on when the account is connected, not before", () =>
    Effect.gen(function* () {
      const { connect, outcomeOf } = accounts()
      const { asked, exchange } = exchanging(says({ action: "accept" }), CAN_URL)
      const completed: Array<string> = []
      const waiting = yield* Effect.forkChild(outcomeOf({ ...exchange, elicited: (id) => void completed.push(id) }))
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      assert.deepStrictEqual(completed, [])
      const { method, params } = asked[0]!
      assert.strictEqual(method, "elicitation/create")
      assert.deepInclude(params, { mode: "url", url: URL_OF_PAGE, elicitationId: "question-1" })
      yield* connect
      assert.strictEqual(yield* Fiber.join(waiting), "connected")
      assert.deepStrictEqual(completed, ["question-1"])
    })
  )

  it.effect("who says no is not asked again by the model; who cannot be asked gets the address in a sentence", () =>
    Effect.gen(function* () {
      const { outcomeOf } = accounts()
      const no = yield* outcomeOf(exchanging(says({ action: "decline" }), CAN_URL).exchange)
      assert.include(textOf(no), "did not want to connect")
      assert.isTrue(no.isError)
      const old = yield* outcomeOf(exchanging().exchange)
      assert.include(textOf(old), `ask the user to open ${URL_OF_PAGE}`)
    })
  )

  it.effect("a client that knows URL mode and cannot be asked during its call gets -32042 with the question", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(accounts().outcomeOf(exchanging(refusing("unable"), CAN_URL).exchange))
      assert.strictEqual(refused.code, -32_042)
      assert.deepInclude(refused.data.elicitations[0], { mode: "url", url: URL_OF_PAGE, elicitationId: "question-1" })
    })
  )

  it.effect("a login that fails is said in words, and the call is not repeated", () =>
    Effect.gen(function* () {
      const { fail, outcomeOf } = accounts()
      yield* fail(new LoginFailed({ server: "tickets", passing: true, detail: "nobody connected the account in time" }))
      const outcome = yield* outcomeOf(exchanging(says({ action: "accept" }), CAN_URL).exchange)
      assert.include(textOf(outcome), "nobody connected the account in time")
    })
  )

  it.effect("only servers with accounts are concerned, and only results that lack a login", () =>
    Effect.gen(function* () {
      const shared = { ...written, isolate: false as const }
      for (const servers of [[shared], []]) {
        assert.strictEqual(yield* accounts({ servers }).outcomeOf(exchanging().exchange), "nothing")
      }
      const other: ToolResult = { content: [], isError: false, details: lacking().details }
      assert.strictEqual(
        yield* accounts().outcomeOf(exchanging().exchange, {
          ...other,
          details: { error: { tag: "CallTimeout", server: "tickets", tool: "x", maybeExecuted: true } }
        }),
        "nothing"
      )
    })
  )

  it.effect(
    "a server that waits for its person has one tool, which connects the account; one that is there has none",
    () =>
      Effect.gen(function* () {
        const waiting = accounts()
        const list = yield* waiting.tools(waiting.runtime, [])
        assert.deepStrictEqual(
          list.map(({ key }) => key),
          ["mcp_tickets_connect_account"]
        )
        assert.isUndefined(waiting.called("mcp_tickets_whoami", CALLER, exchanging().exchange))
        const told = yield* waiting.called(CONNECT, CALLER, exchanging().exchange)!
        assert.include(textOf(told), URL_OF_PAGE)
        const there = accounts({ state: "Ready" })
        assert.deepStrictEqual(yield* there.tools(there.runtime, []), [])
      })
  )

  it.effect("each call of that tool has a record, however it ends", () =>
    Effect.gen(function* () {
      const { called, connect, records } = accounts()
      const by = (exchange: RequestContext) => called(CONNECT, CALLER, exchange)!
      yield* by(exchanging().exchange)
      yield* Effect.flip(by(exchanging(refusing("unable"), CAN_URL).exchange))
      yield* connect
      yield* by(exchanging(says({ action: "accept" }), CAN_URL).exchange)
      const whose = { agent: "main", client: CALLER.client, person: ADA, server: "tickets", tool: "connect_account" }
      for (const record of records) assert.deepInclude(record, whose)
      assert.deepStrictEqual(
        records.map(({ outcome }) => outcome),
        ["isError", "AuthRequired", "ok"]
      )
      assert.isAbove(records[0]!.resultChars, 0)
    })
  )

  it.effect("a resource or a prompt that lacks a login is asked for again when the account is connected", () =>
    Effect.gen(function* () {
      const { connect, connecting } = accounts()
      yield* connect
      let tries = 0
      const asked = Effect.suspend(() =>
        ++tries === 1
          ? Effect.fail(
              new ServerUnavailable({
                server: "tickets",
                state: "Failed",
                detail: "x",
                retryInMs: null,
                needsLogin: true
              })
            )
          : Effect.succeed("the text")
      )
      const { exchange } = exchanging(says({ action: "accept" }), CAN_URL)
      assert.strictEqual(yield* connecting(asked, exchange), "the text")
      tries = 0
      const refused = yield* Effect.flip(connecting(asked, exchanging().exchange))
      assert.include(refused.message, URL_OF_PAGE)
      assert.strictEqual(tries, 1)
    })
  )

  it.effect("so is a completion", () =>
    Effect.gen(function* () {
      const made = accounts()
      yield* made.connect
      let tries = 0
      const completing = Effect.suspend(() =>
        ++tries === 1
          ? Effect.fail(new AuthRequired({ server: "tickets", status: 401, remedy: "login" }))
          : Effect.succeed({ values: ["open"], hasMore: false })
      )
      const runtime = { ...made.runtime, prompts: Effect.succeed([]), complete: () => completing }
      const parts = {
        runtime: Effect.succeed(runtime),
        accounts: made,
        refuse: Effect.fail,
        during: (_: unknown, __: unknown, asked: unknown) => asked
      }
      const { exchange } = exchanging(says({ action: "accept" }), CAN_URL)
      const wanted = { ref: { type: "ref/prompt", name: "find" }, argument: { name: "state", value: "o" } }
      const found = yield* complete(parts as never)(wanted, exchange)
      assert.deepStrictEqual(found, { completion: { values: ["open"], hasMore: false } })
    })
  )

  it.effect("a tool of the server that has the name of ours is called in its place", () =>
    Effect.gen(function* () {
      const handle = () => ({ content: [{ type: "text" as const, text: "done by the server" }] })
      const tickets = { url: "https://tickets.example/mcp", command: undefined, auth: { type: "oauth", per: "person" } }
      const made = yield* service(
        { tickets: { config: tickets as never, tools: [{ name: "connect_account", handle }] } },
        { oneClient: false }
      )
      made.connectAt({
        origin: "https://mcp.example.com",
        page: () => Effect.succeed({ url: URL_OF_PAGE, id: "1", connected: Effect.never }),
        nameIn: () => undefined,
        cookie: "",
        answers: () => false
      })
      const identity = { client: "editor", person: ADA, groups: [], roles: [], scopes: [] }
      const offer = yield* offered(made, { principal: "ada", identity })
      const { tools } = yield* request(offer, "tools/list")
      assert.include(
        tools.map(({ name }: Loose) => name),
        CONNECT
      )
      const told = textOf(yield* call(offer, CONNECT))
      assert.include(told, "done by the server")
      assert.notInclude(told, URL_OF_PAGE)
    }).pipe(Effect.scoped)
  )

  it.effect("a client that no rule lets use a server is offered no login there, and nothing at its address", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const tickets = { url: "https://tickets.example/mcp", command: undefined, auth: { type: "oauth", per: "person" } }
      const made = yield* service(
        { tickets: { config: tickets as never, tools: [] }, open: { tools: [] } },
        {
          oneClient: false,
          config: {
            mcp: {
              clients: {
                rules: [
                  { who: ["ada"], servers: ["open"] },
                  { who: ["eve"], servers: ["tickets"] }
                ]
              }
            }
          }
        }
      )
      made.connectAt({
        origin: "https://mcp.example.com",
        page: ({ name }) => {
          asked.push(name)
          return Effect.succeed({ url: URL_OF_PAGE, id: "1", connected: Effect.never })
        },
        nameIn: () => undefined,
        cookie: "",
        answers: () => false
      })
      const clientOf = (name: string, only?: string) =>
        offered(made, {
          ...(only === undefined ? {} : { only }),
          principal: name,
          identity: { client: "editor", person: { ...ADA, subject: name, name }, groups: [], roles: [], scopes: [] }
        })
      const refused = yield* call(yield* clientOf("ada"), "mcp_tickets_connect_account")
      assert.notInclude(textOf(refused), URL_OF_PAGE)
      assert.deepStrictEqual(asked, [])
      const nowhere = [clientOf("ada", "tickets"), clientOf("ada", "no-such-server")]
      const [denied, unknown] = yield* Effect.forEach(nowhere, Effect.flip)
      assert.deepStrictEqual(denied, unknown)
      yield* clientOf("ada", "open")
      assert.include(textOf(yield* call(yield* clientOf("eve"), "mcp_tickets_connect_account")), URL_OF_PAGE)
    }).pipe(Effect.scoped)
  )
})
