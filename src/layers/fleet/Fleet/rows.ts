/** The rows of the nodes. Times are the database's: the clocks of the machines do not matter. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DEAD_NODE_KEPT_MS, NODE_EXPIRES_MS } from "../../../schemas/defaults/FleetNodes.ts"
import { FLEET_CONTRACT } from "../../../schemas/defaults/Fleet.ts"
import { FleetNode, type NodeId } from "../../../schemas/fleet/Node.ts"
import type { Database } from "../../../services/fleet/Database.ts"
import type { Load } from "../../../services/fleet/Fleet.ts"

export const NO_LOAD: Load = { sessions: 0, servers: 0, callsInFlight: 0 }

/** Rows of other versions may say less of the load, and more. */
const Row = Schema.Struct({
  ...FleetNode.fields,
  load: Schema.Record(Schema.String, Schema.Unknown),
  expired: Schema.Boolean
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

export interface Known {
  readonly node: FleetNode
  /** It has not been seen for so long that it may be dead. */
  readonly expired: boolean
}

const countOf = (value: unknown): number => (typeof value === "number" && Number.isInteger(value) ? value : 0)

const known = ({ expired, load, ...node }: typeof Row.Type): Known => ({
  expired,
  node: {
    ...node,
    load: {
      sessions: countOf(load["sessions"]),
      servers: countOf(load["servers"]),
      callsInFlight: countOf(load["callsInFlight"])
    }
  }
})

export interface Seat {
  readonly address: string
  readonly version: string
}

export const makeRows = ({ run, say, transaction }: Database["Service"]) => {
  const read = (rows: unknown) => Effect.orDie(Effect.map(decodeRows(rows), (all) => all.map(known)))

  const columns = `name, incarnation, address, version, state, load,
    (extract(epoch from started_at) * 1000)::float8 as "startedAt", (extract(epoch from seen_at) * 1000)::float8 as "seenAt",
    seen_at < clock_timestamp() - make_interval(secs => ${NODE_EXPIRES_MS / 1000}) as expired`

  return {
    /** The living incarnation of a name. */
    living: (name: string) =>
      run("this node cannot join the fleet", (sql) =>
        sql.unsafe(`select ${columns} from mcp_live.nodes where name = $1 and state <> 'dead'`, [name])
      ).pipe(
        Effect.flatMap(read),
        Effect.map(([found]) => found)
      ),
    /** The other nodes that were seen lately. */
    present: (name: string) =>
      run("this node cannot join the fleet", (sql) =>
        sql.unsafe(`select ${columns} from mcp_live.nodes where name <> $1 and state <> 'dead'`, [name])
      ).pipe(
        Effect.flatMap(read),
        Effect.map((all) => all.filter(({ expired }) => !expired).map(({ node }) => node))
      ),
    /** Takes the name, if it is free. */
    enter: ({ incarnation, name }: NodeId, { address, version }: Seat) =>
      transaction("this node cannot join the fleet", (sql) =>
        Effect.gen(function* () {
          yield* sql`delete from mcp_live.nodes where state = 'dead'
            and ended_at < clock_timestamp() - make_interval(secs => ${DEAD_NODE_KEPT_MS / 1000}::float8)`
          const rows = yield* sql`insert into mcp_live.nodes (incarnation, name, address, version, contract)
            values (${incarnation}, ${name}, ${address}, ${version}, ${FLEET_CONTRACT}::int)
            on conflict (name) where state <> 'dead' do nothing returning incarnation`
          if (rows.length > 0) yield* say(sql, "nodes", name)
          return rows.length > 0
        })
      ),
    /** Says that this node lives, and reads who else does. `isOurs`: whether its row is still its own. */
    beat: ({ incarnation }: NodeId, load: Load) =>
      run("the fleet cannot be read", (sql) =>
        sql.unsafe(
          `with mine as (
             update mcp_live.nodes set seen_at = clock_timestamp(), load = $2::jsonb
             where incarnation = $1 and state <> 'dead' returning incarnation)
           select ${columns}, exists (select from mine) as "isOurs" from mcp_live.nodes
           where state <> 'dead' or ended_at > clock_timestamp() - interval '10 minutes'`,
          [incarnation, JSON.stringify(load)]
        )
      ).pipe(
        Effect.flatMap((rows) =>
          Effect.map(read(rows), (all) => ({
            all,
            isOurs: rows.some((row) => (row as { readonly isOurs?: unknown }).isOurs === true)
          }))
        )
      ),
    /** `expired`: only if it has not been seen again. Whether it is dead now. The first one who writes it tells the others. */
    bury: ({ incarnation, name }: NodeId, why: "gone" | "expired") =>
      transaction("the death of a node cannot be written", (sql) =>
        Effect.gen(function* () {
          const written = yield* sql`update mcp_live.nodes set state = 'dead', ended_at = clock_timestamp()
            where incarnation = ${incarnation} and state <> 'dead' and (${why} = 'gone'
              or seen_at < clock_timestamp() - make_interval(secs => ${NODE_EXPIRES_MS / 1000}::float8))
            returning incarnation`
          if (written.length > 0) yield* say(sql, "nodes", name)
          const living = yield* sql`select from mcp_live.nodes where incarnation = ${incarnation} and state <> 'dead'`
          return living.length === 0
        })
      ),
    drain: (name: string) =>
      transaction(`node '${name}' cannot be drained`, (sql) =>
        Effect.gen(function* () {
          const rows = yield* sql`update mcp_live.nodes set state = 'draining'
            where name = ${name} and state <> 'dead' returning incarnation`
          if (rows.length > 0) yield* say(sql, "nodes", name)
          return rows.length > 0
        })
      )
  }
}

export type Rows = ReturnType<typeof makeRows>
