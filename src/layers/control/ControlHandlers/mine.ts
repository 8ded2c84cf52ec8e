/** What a gateway knows of one person, for that person: their clients, quotas, calls of this month, and accounts at servers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Caller } from "../../../schemas/call/Caller.ts"
import { accountOf } from "../../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { AccountFailed, type MineValue } from "../../../schemas/control/Personal.ts"
import type { Quotas } from "../../../services/call/CallQuotas.ts"
import type { AuditTrail } from "../../../services/call/AuditTrail.ts"
import type { PersonVisit } from "../../../services/control/Visitor.ts"
import type { Authorizer } from "../../../services/login/Authorizer.ts"

export interface MineParts {
  readonly audit: Pick<AuditTrail["Service"], "usage">
  readonly authorizer: Pick<Authorizer["Service"], "isLoggedIn" | "logout">
  readonly quotas: Pick<Quotas, "states">
}

const failed = ({ message }: { readonly message: string }) => new AccountFailed({ detail: message })

/** As for a server that does not exist: whoever may not see it is not told that there is one. */
const unknown = (server: string) => new AccountFailed({ detail: `you have no account at a server '${server}'` })

const monthOf = (now: number): number => {
  const at = new Date(now)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)
}

const hasAccount = (server: ServerConfig): boolean => server.enabled && accountOf(server) !== undefined

export const makeMine = ({ audit, authorizer, quotas }: MineParts) => {
  // The log may be long: it is read for one person at a time.
  const reading = Semaphore.makeUnsafe(1)

  const usageOf = Effect.fnUntraced(function* (id: string) {
    const since = monthOf(yield* Clock.currentTimeMillis)
    const { rows } = yield* reading.withPermit(audit.usage({ by: ["person", "tool"], since, only: { person: id } }))
    // Somebody may have this id for a name.
    return rows.flatMap(({ calls, durationMs, errors, of, personId }) =>
      personId === id ? [{ tool: of.tool ?? "", calls, errors, durationMs }] : []
    )
  })

  const accountAt = ({ servers }: PersonVisit, name: string): Effect.Effect<ServerConfig, AccountFailed> => {
    const found = servers().find((server) => server.name === name && hasAccount(server))
    return found === undefined ? Effect.fail(unknown(name)) : Effect.succeed(found)
  }

  return {
    of: Effect.fnUntraced(function* (id: string, caller: Caller, visit: PersonVisit): Effect.fn.Return<MineValue> {
      const servers = visit.servers()
      return {
        sessions: visit.sessions(),
        quotas: yield* quotas.states(caller, servers),
        usage: yield* Effect.orElseSucceed(usageOf(id), () => []),
        accounts: yield* Effect.forEach(servers.filter(hasAccount), (server) =>
          Effect.map(authorizer.isLoggedIn(server), (isConnected) => ({ server: server.name, isConnected }))
        )
      }
    }),
    connect: (visit: PersonVisit, name: string) =>
      Effect.flatMap(accountAt(visit, name), (server) =>
        visit.connect(server).pipe(
          Effect.map((url) => ({ url })),
          Effect.mapError(failed)
        )
      ),
    disconnect: (visit: PersonVisit, name: string) =>
      Effect.flatMap(accountAt(visit, name), (server) =>
        authorizer.logout(server).pipe(
          Effect.map(({ known }) => known),
          Effect.mapError(failed)
        )
      )
  }
}
