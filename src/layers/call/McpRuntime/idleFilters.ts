/**
 * Warns of entries of `resourceFilter` without a wildcard that match no resource: usually a mistake, after which nothing is listed.
 */
import * as Effect from "effect/Effect"
import { makeUriFilter, mayComeFrom } from "../../../schemas/content/ResourceUri.ts"
import type { AgentServer } from "./AgentServer.ts"

const WILDCARD = /[*?]/

const idleOf = ({ config: { resourceFilter }, supervised }: AgentServer): ReadonlyArray<string> => {
  const catalogue = supervised.snapshot().catalogue
  if (catalogue === undefined) return []
  const isIdle = (entry: string) => {
    const { admits } = makeUriFilter([entry])
    return (
      !catalogue.resources.some(({ uri }) => admits(uri)) &&
      !catalogue.resourceTemplates.some(({ uri }) => mayComeFrom(uri, entry))
    )
  }
  return resourceFilter.filter((entry) => !WILDCARD.test(entry) && isIdle(entry))
}

/** Once for each server, when its lists are first known. */
export const warnOfIdleFilters = (servers: ReadonlyArray<AgentServer>): Effect.Effect<void> =>
  Effect.forEach(
    servers.filter(({ config }) => config.enabled && config.resources && config.resourceFilter.length > 0),
    (server) =>
      Effect.andThen(
        server.supervised.settled,
        Effect.suspend(() =>
          Effect.forEach(idleOf(server), (entry) =>
            Effect.logWarning(
              `[${server.config.name}] resourceFilter: ${JSON.stringify(entry)} is not the URI of a resource of this server; * matches anything`
            )
          )
        )
      ),
    { concurrency: "unbounded", discard: true }
  )
