/** What is kept of people, for the command that forgets them: in files, and in the database of the fleet that the configuration names. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dataDirectory, ordersDirectory } from "../../schemas/config/DataDirectory.ts"
import type { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"
import type { ServerIdentity } from "../../schemas/login/Credentials.ts"
import type { AuditTrail } from "../../services/call/AuditTrail.ts"
import type { PersonStore, PersonStores } from "../../services/call/PersonStores.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { Authorizer } from "../../services/login/Authorizer.ts"
import { reached } from "./auditTrail.ts"
import { fleetOf } from "./visitor.ts"

/** As `logout` does, at each server of this name. Without a configuration that knows it, nobody knows where. */
const revokeBy =
  (config: string | undefined) =>
  ({ account, server }: ServerIdentity): Effect.Effect<boolean | undefined> =>
    Effect.gen(function* () {
      const { LoginLive } = yield* Effect.promise(() => import("../McpLive.ts"))
      return yield* Effect.gen(function* () {
        const { agents } = yield* (yield* ConfigSource).load
        const { logout } = yield* Authorizer
        const named = agents.flatMap(({ servers }) => servers).filter(({ name }) => name === server)
        for (const one of named) {
          const { known, revoked } = yield* logout({ ...one, holder: account })
          if (known) return revoked
        }
        return false
      }).pipe(Effect.provide(LoginLive({ config })))
    }).pipe(Effect.orElseSucceed(() => false))

const ownStores = Effect.promise(async () => {
  const [trail, approvals, quotas, pins, tokens] = await Promise.all([
    import("../call/AuditTrail.ts"),
    import("../call/Approvals.ts"),
    import("../call/CallQuotas.ts"),
    import("../call/DefinitionLedger.ts"),
    import("../login/TokenStore.ts")
  ])
  return Layer.mergeAll(
    trail.layer(),
    approvals.layerStore(),
    quotas.layerStore(),
    pins.layerStore(),
    tokens.layerFiles()
  )
})

/** Agent requests are never those of a node, so that their conversations are in files; so is what servers say at each node. */
const kept = (config: string | undefined, results: (files: PersonStore) => PersonStore) =>
  Effect.gen(function* () {
    const [{ personLogins }, { filesOfPeople }, { conversationsIn }, { linesOfPeople }] = yield* Effect.promise(() =>
      Promise.all([
        import("../login/PersonLogins.ts"),
        import("../call/ResultStore.ts"),
        import("../agent/AgentGateway.ts"),
        import("../connection/ServerLogTrail.ts")
      ])
    )
    const files = filesOfPeople([dataDirectory(), ordersDirectory()])
    return [
      yield* personLogins(revokeBy(config)),
      results(files),
      conversationsIn(ordersDirectory()),
      linesOfPeople(dataDirectory())
    ]
  })

/** Both as one. */
const together = (one: PersonStore, other: PersonStore): PersonStore => ({
  ...one,
  forget: (person) => Effect.zipWith(one.forget(person), other.forget(person), (first, second) => first + second)
})

/** `path`: of the configuration; the usual places without one. */
export const people = (path: string | undefined): Layer.Layer<PersonStores | AuditTrail, AuditUnreadable> =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Layer.Layer<PersonStores | AuditTrail, AuditUnreadable>> {
      const found = yield* fleetOf(path)
      const { layer } = yield* Effect.promise(() => import("../call/PersonStores.ts"))
      if (found === undefined) return Layer.provideMerge(layer(kept(path, (files) => files)), yield* ownStores)
      const { fleet, secrets } = found
      const live = yield* Effect.promise(() => import("../FleetLive.ts"))
      const more = Effect.flatMap(live.resultsOfPeople, (shared) => kept(path, (files) => together(files, shared)))
      return reached(Layer.provideMerge(layer(more), live.people(fleet)), secrets)
    })
  )
