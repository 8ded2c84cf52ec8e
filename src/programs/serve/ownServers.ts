/** Limits the servers that run for single clients: per client and overall. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { NoRoom } from "../../schemas/connection/ConnectError.ts"
import type { ServeConfig } from "../../schemas/listener/ServeConfig.ts"
import type { Places } from "../../services/connection/ServerPool.ts"

type Limits = Pick<ServeConfig, "maxOwnServers" | "maxOwnServersPerClient">

/** The places of a client, at most as many as are free overall. */
export const makePlaces = ({ maxOwnServers, maxOwnServersPerClient }: Limits): ((principal: string) => Places) => {
  const taken = new Map<string, number>()
  let all = 0
  let given = Deferred.makeUnsafe<void>()

  const own = (principal: string): number => taken.get(principal) ?? 0

  const refusal = (principal: string): string | undefined => {
    if (own(principal) >= maxOwnServersPerClient) {
      return `this client has the maximum number of servers of its own running (${maxOwnServersPerClient}): one of them must end first`
    }
    return all >= maxOwnServers
      ? `the maximum number of servers for single clients is running (${maxOwnServers}): try again later`
      : undefined
  }

  const giveBack = (principal: string): void => {
    all--
    const left = own(principal) - 1
    if (left === 0) taken.delete(principal)
    else taken.set(principal, left)
    const waiting = given
    given = Deferred.makeUnsafe()
    Deferred.doneUnsafe(waiting, Effect.void)
  }

  return (principal) => {
    const free: Effect.Effect<void> = Effect.suspend(() =>
      refusal(principal) === undefined ? Effect.void : Effect.flatMap(Deferred.await(given), () => free)
    )
    return {
      take: ({ name: server }) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.suspend(() => {
              const detail = refusal(principal)
              if (detail !== undefined) return Effect.fail(new NoRoom({ server, detail }))
              all++
              taken.set(principal, own(principal) + 1)
              return Effect.void
            }),
            () => Effect.sync(() => giveBack(principal))
          )
        ),
      free
    }
  }
}
