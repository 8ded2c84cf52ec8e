import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TokenStoreLayer from "../../../src/layers/login/TokenStore.ts"
import { personLogins } from "../../../src/layers/login/PersonLogins.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import { accountOfPerson } from "../../../src/schemas/connection/Isolation.ts"
import { NO_CREDENTIALS, type Credentials } from "../../../src/schemas/login/Credentials.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { CredentialStore } from "../../../src/services/login/CredentialStore.ts"
import { TokenStore } from "../../../src/services/login/TokenStore.ts"
import { quiet, storesOf, until } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const IDENTITY = { server: "tickets", resource: "https://tickets.example/mcp" }

const credentials = (accessToken: string): Credentials => ({
  ...NO_CREDENTIALS,
  authorization: {
    issuer: "https://issuer.example",
    resource: IDENTITY.resource,
    clientId: "client",
    tokens: { accessToken, tokenType: "Bearer", scopes: [], obtainedAt: 1 }
  }
})

const nodeAt = (url: string, node: string) =>
  Effect.map(
    Layer.build(
      TokenStoreLayer.layerStored().pipe(
        Layer.provideMerge(storesOf(url, node)),
        Layer.provide(RedactorLayer.layer),
        Layer.provide(quiet)
      )
    ),
    (context) => ({
      tokens: Context.get(context, TokenStore),
      store: Context.get(context, CredentialStore),
      database: Context.get(context, Database)
    })
  )

type Tokens = TokenStore["Service"]

const tokenIn = (tokens: Tokens) =>
  Effect.map(tokens.read(IDENTITY), (kept) => kept?.authorization?.tokens?.accessToken)

const put = (tokens: Tokens, accessToken: string) =>
  tokens.modify(IDENTITY, () => Effect.succeed({ value: undefined, keep: credentials(accessToken) }))

describePostgres("the credentials of a fleet", () => {
  it.live("of a person are found by who they are, and go with them", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const [{ tokens }, { store }] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      for (const account of [accountOfPerson("a1"), accountOfPerson("a12"), undefined]) {
        const identity = { ...IDENTITY, ...(account === undefined ? {} : { account }) }
        yield* tokens.modify(identity, () => Effect.succeed({ value: undefined, keep: credentials("a-token") }))
      }
      const asked: Array<unknown> = []
      const { forget } = yield* personLogins((identity) =>
        Effect.sync(() => {
          asked.push(identity)
          return undefined
        })
      ).pipe(Effect.provideService(CredentialStore, store))
      assert.strictEqual(yield* forget({ ids: ["a1"], names: [], clients: [] }), 1)
      assert.deepStrictEqual(asked, [{ ...IDENTITY, account: accountOfPerson("a1") }])
      assert.lengthOf(yield* query("select key from mcp_live.credentials"), 2)
      assert.deepStrictEqual(yield* store.ofAccount(accountOfPerson("a1")), [])
    })
  )

  it.live("are the same at all nodes, and are not readable in the database", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      assert.isUndefined(yield* tokenIn(one.tokens))
      yield* put(one.tokens, "first-token")
      yield* until(Effect.map(tokenIn(other.tokens), (token) => token === "first-token"))
      yield* put(other.tokens, "second-token")
      yield* until(Effect.map(tokenIn(one.tokens), (token) => token === "second-token"))
      const [row] = yield* query("select content from mcp_live.credentials")
      assert.notInclude(String(row?.["content"]), "token")
      assert.isTrue(yield* one.tokens.encrypts)
      yield* one.tokens.remove(IDENTITY)
      yield* until(Effect.map(tokenIn(other.tokens), (token) => token === undefined))
    })
  )

  it.live("are renewed once for all nodes that need them at the same time", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const nodes = yield* Effect.forEach(["one", "other", "third"], (name) => nodeAt(url, name))
      yield* put(nodes[0]!.tokens, "old")
      let renewals = 0
      const renew = ({ tokens }: (typeof nodes)[number]) =>
        tokens.modify(IDENTITY, (current) =>
          Effect.gen(function* () {
            const token = current?.authorization?.tokens?.accessToken
            if (token !== "old") return { value: token }
            renewals++
            // Others ask for them meanwhile.
            yield* Effect.sleep(20)
            return { value: "fresh", keep: credentials("fresh") }
          })
        )
      const given = yield* Effect.forEach([...nodes, ...nodes], renew, { concurrency: "unbounded" })
      assert.deepEqual(given, ["fresh", "fresh", "fresh", "fresh", "fresh", "fresh"])
      assert.strictEqual(renewals, 1)
    })
  )

  it.live("tell who waits for a login at another node", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      const changed = yield* other.tokens.watch(IDENTITY)
      const waiting = yield* Effect.forkChild(changed)
      yield* put(one.tokens, "logged-in")
      yield* Fiber.join(waiting)
      assert.strictEqual(yield* tokenIn(other.tokens), "logged-in")
    })
  )

  it.live("are free again after the node that renewed them is gone", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const scope = yield* Scope.make()
      const dead = yield* Scope.provide(nodeAt(url, "dead"), scope)
      const other = yield* nodeAt(url, "other")
      const begun = yield* Deferred.make<void>()
      yield* dead.tokens
        .modify(IDENTITY, () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        .pipe(Effect.forkChild)
      yield* Deferred.await(begun)
      yield* put(other.tokens, "waits").pipe(Effect.forkChild)
      // As if the node stopped to renew its lease: it could not even give it back.
      yield* query("update mcp_live.leases set until = clock_timestamp(), holder = 'dead gone'")
      yield* until(Effect.map(tokenIn(other.tokens), (token) => token === "waits"))
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.live("that were renewed while the database went away are stored when it is back", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      yield* Effect.scoped(Effect.flatMap(nodeAt(url, "before"), ({ tokens }) => put(tokens, "old")))
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      yield* other.database.heard("credentials").pipe(Stream.take(1), Stream.runDrain)
      assert.strictEqual(yield* tokenIn(other.tokens), "old")
      yield* one.tokens.modify(IDENTITY, () =>
        Effect.as(server.tell("stop"), { value: undefined, keep: credentials("renewed") })
      )
      assert.strictEqual(yield* tokenIn(one.tokens), "renewed")
      // What was read before goes on.
      assert.strictEqual(yield* tokenIn(other.tokens), "old")
      const words = (yield* Effect.flip(put(other.tokens, "no"))).message
      assert.match(words, /credentials cannot be changed: the database of the fleet is not available; try again in /)
      yield* server.tell("start")
      yield* until(
        other.tokens.read(IDENTITY).pipe(
          Effect.map((kept) => kept?.authorization?.tokens?.accessToken === "renewed"),
          Effect.orElseSucceed(() => false)
        )
      )
    })
  )
})
