/**
 * Decides in the database at which node a server process lives: at the node that has the fewest, of those that live and do not drain, and
 * has room. Whoever comes second reads what the first one has decided. Each move raises the epoch.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { SERVERS_OF_NODE_MAX } from "../../schemas/defaults/FleetNodes.ts"
import { isSameNode } from "../../schemas/fleet/Node.ts"
import type { Place } from "../../schemas/fleet/ServerRpcs.ts"
import { Database } from "../../services/fleet/Database.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { Placements } from "../../services/fleet/Placements.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"

const Row = Schema.Struct({ node: Schema.String, incarnation: Schema.String, epoch: Schema.FiniteFromString })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

export interface Options {
  /** How many servers may live at one node. Several that are placed at the same moment may be more. */
  readonly serversMax?: number | undefined
}

const make = Effect.fnUntraced(function* ({ serversMax = SERVERS_OF_NODE_MAX }: Options) {
  const { away, transaction } = yield* Database
  const fleet = yield* Fleet
  const known = new Map<string, Place>()
  const { inTurn } = yield* makeKeyedMutex

  /** A node that drains keeps what it has until it hands it over. */
  const isGood = ({ node }: Place): boolean => {
    const living = fleet.node(node.name)
    return living !== undefined && isSameNode(living, node)
  }

  const decide = (key: string) =>
    transaction("the place of a server cannot be found", (sql) =>
      Effect.gen(function* () {
        yield* sql`insert into mcp_live.placements (key, node, incarnation, epoch) values (${key}, '', '', 0)
          on conflict (key) do nothing`
        // In a statement of its own: one that reads more than it locks has read the rest before it waited.
        yield* sql`select from mcp_live.placements where key = ${key} for update`
        const found =
          yield* sql`select p.node, p.incarnation, p.epoch::text as epoch, n.incarnation is not null as lives
          from mcp_live.placements p
          left join mcp_live.nodes n on n.incarnation = p.incarnation and n.state <> 'dead'
          where p.key = ${key}`
        if (found.some((row) => (row as { readonly lives?: unknown }).lives === true)) return found
        // Of equals the one who asks: it has no way to go.
        return yield* sql`with chosen as (
            select n.name, n.incarnation from mcp_live.nodes n,
              lateral (select count(*) as servers from mcp_live.placements p where p.incarnation = n.incarnation) as has
            where has.servers < ${serversMax}::bigint
              and (n.state = 'alive' or (n.state = 'draining' and not exists (select from mcp_live.nodes where state = 'alive')))
            order by n.state, has.servers, (n.incarnation = ${fleet.self.incarnation}) desc, n.name
            limit 1)
          update mcp_live.placements p set node = chosen.name, incarnation = chosen.incarnation, epoch = p.epoch + 1,
            placed_at = clock_timestamp(), used_at = clock_timestamp()
          from chosen where p.key = ${key} returning p.node, p.incarnation, p.epoch::text as epoch`
      })
    ).pipe(
      Effect.flatMap((rows) => Effect.orDie(decodeRows(rows))),
      Effect.flatMap(([row]) =>
        row === undefined
          ? // Or this node itself counts as dead: it will know soon.
            Effect.fail(away("no node has room for this server"))
          : Effect.succeed<Place>({ key, epoch: row.epoch, node: { name: row.node, incarnation: row.incarnation } })
      ),
      Effect.tap((place) => Effect.sync(() => known.set(key, place)))
    )

  const knownOf = (key: string): Place | undefined => {
    const place = known.get(key)
    return place !== undefined && isGood(place) ? place : undefined
  }

  return Placements.of({
    placeOf: (key) =>
      Effect.suspend(() => {
        const place = knownOf(key)
        if (place !== undefined) return Effect.succeed(place)
        return inTurn(
          key,
          Effect.suspend(() => {
            const since = knownOf(key)
            return since === undefined ? decide(key) : Effect.succeed(since)
          })
        )
      }),
    forget: (place) => {
      if (known.get(place.key)?.epoch === place.epoch) known.delete(place.key)
    },
    free: ({ epoch, key, node }) =>
      transaction("the place of a server cannot be given up", (sql) =>
        Effect.asVoid(sql`update mcp_live.placements set node = '', incarnation = ''
          where key = ${key} and incarnation = ${node.incarnation} and epoch = ${epoch}::bigint`)
      ).pipe(Effect.ignore)
  })
})

export const layer = (options: Options = {}): Layer.Layer<Placements, never, Database | Fleet> =>
  Layer.effect(Placements, make(options))
