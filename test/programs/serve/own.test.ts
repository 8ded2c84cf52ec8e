import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { SERVE_OWN_GONE_MS, SERVE_OWN_IDLE_MS, SERVE_OWN_SESSION_IDLE_MS } from "../../../src/schemas/defaults/Serve.ts"
import type { TestServer } from "../../../src/testing.ts"
import {
  call,
  exchanging,
  offered,
  request,
  says,
  service,
  textOf,
  type Loose,
  type Setup,
  type TestClient
} from "./live.ts"

const HTTP = { oneClient: false } satisfies Setup

/** One that is used by a client alone when its entry, or the section for all, says so. */
const server = (config: object = {}, more: TestServer = {}): TestServer => ({ ...more, config: { ...config } })

const isolated = (isolate: string, more: object = {}): Setup => ({
  ...HTTP,
  config: { mcp: { serve: { isolate, ...more } } }
})

/** A client in a Scope of its own, and how it leaves. */
const coming = (made: Parameters<typeof offered>[0], client?: TestClient) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const offer = yield* Scope.provide(offered(made, client), scope)
    return { offer, leave: Scope.close(scope, Exit.void) }
  })

const names = ({ tools }: Loose) => tools.map(({ name }: Loose) => name).filter((name: string) => /_fs_/.test(name))

/** Until what has been set off by something else is done. */
const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

describe("serve: servers of a client's own", () => {
  it.effect("without a word clients share a process; with it each session has its own, under the same names", () =>
    Effect.gen(function* () {
      const lists: Array<unknown> = []
      for (const [setup, opened] of [
        [HTTP, 1],
        [isolated("session"), 2]
      ] as const) {
        const twice = Effect.gen(function* () {
          const made = yield* service({ fs: server() }, setup)
          const [one, two] = [yield* coming(made), yield* coming(made)]
          lists.push(names(yield* request(one.offer, "tools/list")), names(yield* request(two.offer, "tools/list")))
          assert.include(textOf(yield* call(one.offer, "mcp_fs_echo", { text: "x" })), "x")
          assert.include(textOf(yield* call(two.offer, "mcp_fs_echo", { text: "x" })), "x")
          return made.servers.counts("fs").opened
        })
        assert.strictEqual(yield* Effect.scoped(twice), opened)
      }
      for (const list of lists) assert.deepStrictEqual(list, ["mcp_fs_echo"])
    })
  )

  it.effect("is started when the client first needs it, and never for nobody", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: server({ share: "session" }), all: server() }, HTTP)
      yield* made.begin
      yield* made.live
      const { offer } = yield* coming(made)
      yield* settled
      assert.strictEqual(made.servers.counts("all").opened, 1)
      assert.strictEqual(made.servers.counts("fs").attempts, 0)
      assert.include(textOf(yield* call(offer, "mcp_fs_echo", { text: "hello" })), "hello")
      assert.strictEqual(made.servers.counts("fs").opened, 1)
      assert.strictEqual(made.servers.counts("all").opened, 1)
    })
  )

  it.effect("of a session is stopped with it, and nobody else's", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: server() }, isolated("session"))
      const [one, two] = [yield* coming(made), yield* coming(made)]
      yield* request(one.offer, "tools/list")
      yield* request(two.offer, "tools/list")
      yield* one.leave
      yield* settled
      assert.strictEqual(made.servers.counts("fs").closed, 1)
      assert.include(textOf(yield* call(two.offer, "mcp_fs_echo", { text: "still" })), "still")
      yield* two.leave
      yield* settled
      assert.strictEqual(made.servers.counts("fs").closed, 2)
    })
  )

  it.effect("of a client is that of all its sessions, waits for it a while, and is no other client's", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: server({ share: "client" }) }, HTTP)
      const list = (client: { readonly offer: Parameters<typeof request>[0] }) => request(client.offer, "tools/list")
      const [one, again] = [yield* coming(made, { principal: "one" }), yield* coming(made, { principal: "one" })]
      const other = yield* coming(made, { principal: "other" })
      yield* Effect.forEach([one, again, other], list)
      assert.strictEqual(made.servers.counts("fs").opened, 2)
      yield* one.leave
      yield* again.leave
      yield* TestClock.adjust(SERVE_OWN_GONE_MS - 1)
      yield* list(other)
      const back = yield* coming(made, { principal: "one" })
      yield* call(back.offer, "mcp_fs_echo")
      assert.strictEqual(made.servers.counts("fs").opened, 2)
      yield* back.leave
      yield* call(other.offer, "mcp_fs_echo")
      yield* TestClock.adjust(SERVE_OWN_GONE_MS - 1)
      yield* settled
      assert.strictEqual(made.servers.counts("fs").closed, 0)
      yield* TestClock.adjust(1)
      yield* settled
      assert.isAbove(made.servers.counts("fs").closed, 0)
    })
  )

  it.effect("ends minutes after its client was last heard of; clients without one are waited for as long as ever", () =>
    Effect.gen(function* () {
      const own = yield* coming(yield* service({ fs: server({ share: "session" }) }, HTTP))
      const shared = yield* coming(yield* service({ fs: server() }, HTTP))
      assert.strictEqual(own.offer.idleMs, SERVE_OWN_SESSION_IDLE_MS)
      assert.isUndefined(shared.offer.idleMs)
    })
  )

  it.effect("is stopped when the client does not use it, and started again when it does", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: server({ share: "session" }) }, HTTP)
      const { offer } = yield* coming(made)
      yield* call(offer, "mcp_fs_echo")
      yield* TestClock.adjust(SERVE_OWN_IDLE_MS)
      yield* settled
      assert.deepInclude(made.servers.counts("fs"), { opened: 1, closed: 1 })
      assert.include(textOf(yield* call(offer, "mcp_fs_echo", { text: "awake" })), "awake")
      assert.strictEqual(made.servers.counts("fs").opened, 2)
    })
  )

  it.effect("an entry that says whether it is shared is not asked what holds for all", () =>
    Effect.gen(function* () {
      const made = yield* service(
        { all: server({ share: true }), agents: server({ share: false }), fs: server() },
        isolated("session")
      )
      const [one, two] = [yield* coming(made), yield* coming(made)]
      yield* request(one.offer, "tools/list")
      yield* request(two.offer, "tools/list")
      assert.deepStrictEqual(
        ["all", "agents", "fs"].map((name) => made.servers.counts(name).opened),
        [1, 1, 2]
      )
    })
  )

  it.effect("the one client at stdin has what everybody has", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: server({ share: "session" }) }, { oneClient: true })
      const { leave, offer } = yield* coming(made)
      yield* request(offer, "tools/list")
      yield* leave
      yield* settled
      assert.deepInclude(made.servers.counts("fs"), { opened: 1, closed: 0 })
    })
  )

  it.effect(
    "no more than so many run for a client, and for all; who has none is told so, and gets one when one ends",
    () =>
      Effect.gen(function* () {
        for (const [limits, principal, words] of [
          [
            { maxOwnServersPerClient: 1 },
            "one",
            "this client has the maximum number of servers of its own running (1)"
          ],
          [{ maxOwnServers: 1 }, "other", "the maximum number of servers for single clients is running (1)"]
        ] as const) {
          const limited = Effect.gen(function* () {
            const made = yield* service({ fs: server() }, isolated("session", limits))
            const first = yield* coming(made, { principal: "one" })
            const second = yield* coming(made, { principal })
            yield* request(first.offer, "tools/list")
            assert.deepStrictEqual(names(yield* request(second.offer, "tools/list")), [])
            const refused = yield* call(second.offer, "mcp_fs_echo")
            assert.isTrue(refused.isError)
            assert.include(textOf(refused), words)
            assert.strictEqual(made.servers.counts("fs").attempts, 1)
            yield* first.leave
            yield* settled
            assert.include(textOf(yield* call(second.offer, "mcp_fs_echo", { text: "mine" })), "mine")
          })
          yield* Effect.scoped(limited)
        }
      })
  )

  it.effect("one client's limit is not another's", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: server() }, isolated("session", { maxOwnServersPerClient: 1 }))
      for (const principal of ["one", "other"]) {
        const { offer } = yield* coming(made, { principal })
        assert.deepStrictEqual(names(yield* request(offer, "tools/list")), ["mcp_fs_echo"])
      }
    })
  )

  it.effect("rules over names hold for it as for a shared one", () =>
    Effect.gen(function* () {
      const setup = isolated("session")
      const made = yield* service(
        { fs: server() },
        { ...setup, config: { ...setup.config, gateway: { tools: { deny: ["fs/echo"] } } } }
      )
      const { offer } = yield* coming(made)
      assert.deepStrictEqual(names(yield* request(offer, "tools/list")), [])
      assert.isTrue((yield* call(offer, "mcp_fs_echo")).isError)
    })
  )

  const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
  const ELICIT = { method: "elicitation/create", params: { message: "Who?", requestedSchema: FORM } }

  const asker = (begun: Deferred.Deferred<void>): TestServer =>
    server(
      {},
      {
        tools: [
          {
            name: "ask",
            handle: ({ method, params }: Loose, { ask }: Loose) =>
              Effect.map(ask(method, params), (answer) => ({
                content: [{ type: "text", text: JSON.stringify(answer) }]
              }))
          },
          { name: "wait", handle: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) }
        ]
      }
    )

  it.effect("what it asks goes to its client, whatever else that one or others have under way", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const made = yield* service({ fs: asker(begun) }, isolated("session"))
      const [one, two] = [yield* coming(made), yield* coming(made)]
      const waiting = yield* Effect.forkChild(call(two.offer, "mcp_fs_wait"))
      yield* Deferred.await(begun)
      const also = yield* Effect.forkChild(call(one.offer, "mcp_fs_wait"))
      yield* settled
      const { asked, exchange } = exchanging(says({ action: "accept", content: { name: "Ada" } }))
      assert.include(textOf(yield* call(one.offer, "mcp_fs_ask", ELICIT as Loose, exchange)), '"name":"Ada"')
      assert.lengthOf(asked, 1)
      yield* Fiber.interruptAll([waiting, also])
    })
  )
})

describe("serve: servers of a person's own", () => {
  const of = (client: string, subject: string, name = subject, issuer = "https://login.example.com"): TestClient => ({
    principal: `${name} by ${client} at ${issuer}`,
    identity: { client, person: { issuer, subject, name }, groups: [], roles: [], scopes: [] }
  })
  const program = (client: string): TestClient => ({
    principal: `client ${client}`,
    identity: { client, person: undefined, groups: [], roles: [], scopes: [] }
  })
  const personal = (more: object = {}) => ({ fs: server({ share: "person", ...more }) })

  it.effect("is one for all clients of a person, and nobody else's", () =>
    Effect.gen(function* () {
      const made = yield* service(personal(), HTTP)
      const clients = yield* Effect.forEach(
        [of("desktop", "ada"), of("editor", "ada"), of("desktop", "grace")],
        (client) => coming(made, client)
      )
      for (const { offer } of clients) yield* request(offer, "tools/list")
      assert.strictEqual(made.servers.counts("fs").opened, 2)
    })
  )

  it.effect(
    "a person is issuer and subject: the same name at two issuers, or with another subject, is two persons",
    () =>
      Effect.gen(function* () {
        const made = yield* service(personal(), HTTP)
        for (const client of [
          of("desktop", "1", "ada"),
          of("desktop", "2", "ada"),
          of("desktop", "1", "ada", "https://other.example.com"),
          // The name of a person may change.
          of("editor", "1", "ada the first")
        ]) {
          yield* request((yield* coming(made, client)).offer, "tools/list")
        }
        assert.strictEqual(made.servers.counts("fs").opened, 3)
      })
  )

  it.effect("is started for nobody whom no rule lets use it", () =>
    Effect.gen(function* () {
      const clients = { rules: [{ who: ["ada"], servers: ["all"] }, { who: ["grace"] }] }
      const made = yield* service({ ...personal(), all: server() }, { ...HTTP, config: { mcp: { clients } } })
      const lists = Effect.fnUntraced(function* (name: string) {
        const { offer } = yield* coming(made, of("desktop", name))
        for (const what of ["tools/list", "resources/list", "prompts/list"]) {
          yield* Effect.ignore(request(offer, what as "tools/list"))
        }
        return names(yield* request(offer, "tools/list"))
      })
      assert.deepStrictEqual(yield* lists("ada"), [])
      assert.strictEqual(made.servers.counts("fs").attempts, 0)
      assert.deepStrictEqual(yield* lists("grace"), ["mcp_fs_echo"])
      assert.strictEqual(made.servers.counts("fs").opened, 1)
    })
  )

  it.effect("is not started by what somebody asks whom no rule lets use it, who is answered as if it were shared", () =>
    Effect.gen(function* () {
      const complete = () => ["you"]
      const clients = { rules: [{ who: ["ada"], servers: ["all"] }, { who: ["grace"] }] }
      const answersWith = Effect.fnUntraced(function* (share: true | "person") {
        const fs: TestServer = {
          config: { share },
          prompts: [{ name: "greet", arguments: [{ name: "who" }], complete }],
          resourceTemplates: [{ uriTemplate: "note:///{id}", name: "note", complete }]
        }
        const made = yield* service({ fs, all: server() }, { ...HTTP, config: { mcp: { clients } } })
        const asking = Effect.fnUntraced(function* (who: string) {
          const { offer } = yield* coming(made, of("desktop", who))
          const ask = (method: Parameters<typeof request>[1], params: Loose) =>
            Effect.match(request(offer, method, params), {
              onFailure: ({ code, message }): Loose => ({ code, message }),
              onSuccess: (answer) => answer
            })
          const argument = { name: "who", value: "y" }
          return yield* Effect.all([
            ask("tools/list", {}),
            ask("tools/call", { name: "mcp_search_tools", arguments: {} }),
            ask("tools/call", { name: "mcp_fs_echo", arguments: { text: "x" } }),
            ask("prompts/get", { name: "mcp_fs_greet" }),
            ask("completion/complete", { ref: { type: "ref/prompt", name: "mcp_fs_greet" }, argument }),
            ask("completion/complete", {
              ref: { type: "ref/resource", uri: "note:///{id}" },
              argument: { name: "id", value: "y" }
            })
          ])
        })
        const ada = yield* asking("ada")
        const { attempts } = made.servers.counts("fs")
        assert.include(textOf((yield* asking("grace"))[2]), "x")
        assert.strictEqual(made.servers.counts("fs").opened, 1)
        return { ada, attempts }
      }, Effect.scoped)
      const [shared, own] = [yield* answersWith(true), yield* answersWith("person")]
      assert.deepStrictEqual([shared.attempts, own.attempts], [1, 0])
      // Boundaries are random.
      const text = (answers: Loose) => JSON.stringify(answers, null, 1).replace(/[0-9a-f]{16}/g, "")
      assert.strictEqual(text(own.ada), text(shared.ada))
      for (const answer of own.ada.slice(2, 5)) assert.include(text(answer), "is not allowed here (clients.rules")
    })
  )

  it.effect("is started for the resources and prompts alone that a rule gives", () =>
    Effect.gen(function* () {
      const clients = { rules: [{ who: ["ada"], servers: ["fs"], tools: { allow: ["all/*"] } }] }
      const fs: TestServer = { config: { share: "person" }, prompts: [{ name: "greet" }] }
      const made = yield* service({ fs }, { ...HTTP, config: { mcp: { clients } } })
      const { offer } = yield* coming(made, of("desktop", "ada"))
      yield* request(offer, "prompts/get", { name: "mcp_fs_greet" })
      assert.strictEqual(made.servers.counts("fs").opened, 1)
    })
  )

  it.effect("whoever is no person is one by its client", () =>
    Effect.gen(function* () {
      const made = yield* service(personal(), HTTP)
      const clients = [program("robot"), program("robot"), program("other"), { principal: "client static" }]
      for (const client of clients) yield* request((yield* coming(made, client)).offer, "tools/list")
      assert.strictEqual(made.servers.counts("fs").opened, 3)
    })
  )

  it.effect("waits a while for the person, and is found again by another of their clients", () =>
    Effect.gen(function* () {
      const made = yield* service(personal(), HTTP)
      const first = yield* coming(made, of("desktop", "ada"))
      yield* request(first.offer, "tools/list")
      yield* first.leave
      yield* TestClock.adjust(SERVE_OWN_GONE_MS - 1)
      const second = yield* coming(made, of("editor", "ada"))
      yield* call(second.offer, "mcp_fs_echo")
      assert.deepInclude(made.servers.counts("fs"), { opened: 1, closed: 0 })
      yield* second.leave
      yield* TestClock.adjust(SERVE_OWN_GONE_MS)
      yield* settled
      assert.strictEqual(made.servers.counts("fs").closed, 1)
    })
  )

  it.effect("each has an environment of their own; who has no name that fits gets a sentence and no process", () =>
    Effect.gen(function* () {
      const made = yield* service(personal({ env: { WHO: "{person}" }, args: ["--id={person.id}"] }), HTTP)
      const calling = (client: TestClient) =>
        Effect.gen(function* () {
          const { offer } = yield* coming(made, client)
          return textOf(yield* call(offer, "mcp_fs_echo", { text: "x" }))
        })
      assert.include(yield* calling(of("desktop", "1", "ada")), "x")
      const { attempts } = made.servers.counts("fs")
      for (const [client, words] of [
        [of("desktop", "2", "../root"), "it contains a slash"],
        [of("desktop", "3", "x".repeat(200)), "more than 128 characters"],
        [program("robot"), "is not known as a person"]
      ] as const) {
        assert.include(yield* calling(client), words)
      }
      assert.strictEqual(made.servers.counts("fs").attempts, attempts)
    })
  )

  it.effect("what it asks is never passed to another client of the person that has something under way, too", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const question = { message: "Who?", requestedSchema: { type: "object", properties: {} } }
      const asking: TestServer = {
        config: { share: "person" },
        tools: [
          {
            name: "ask",
            handle: (_: Loose, { ask }: Loose) =>
              Effect.map(ask("elicitation/create", question), (answer) => ({
                content: [{ type: "text", text: JSON.stringify(answer) }]
              }))
          },
          { name: "wait", handle: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) }
        ]
      }
      const made = yield* service({ fs: asking }, HTTP)
      const [desktop, editor] = [yield* coming(made, of("desktop", "ada")), yield* coming(made, of("editor", "ada"))]
      const waiting = yield* Effect.forkChild(call(editor.offer, "mcp_fs_wait"))
      yield* Deferred.await(begun)
      const { asked, exchange } = exchanging(says({ action: "accept", content: {} }))
      assert.include(textOf(yield* call(desktop.offer, "mcp_fs_ask", {}, exchange)), "decline")
      assert.lengthOf(asked, 0)
      yield* Fiber.interrupt(waiting)
    })
  )
})
