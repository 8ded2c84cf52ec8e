/** What a `resourceFilter` names without a wildcard and no resource matches: most often a slip, and then nothing is listed. */
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

/** Once for each server, when it is first known what it offers. */
export const warnOfIdleFilters = (servers: ReadonlyArray<AgentServer>): Effect.Effect<void> =>
  Effect.forEach(
    servers.filter(({ config }) => config.enabled && config.resources && config.resourceFilter.length > 0),
    (server) =>
      Effect.andThen(
        server.supervised.settled,
        Effect.suspend(() =>
          Effect.forEach(idleOf(server), (entry) =>
            Effect.logWarning(
              `[${server.config.name}] resourceFilter: ${JSON.stringify(entry)} is the URI of no resource of this server; * stands for anything`
            )
          )
        )
      ),
    { concurrency: "unbounded", discard: true }
  )
