/**
 * Composes what a node of a fleet has: `joined` is built before everything that shares state, and each other export takes the place of a layer
 * that keeps its state in this process. Only `McpLive/fleet.ts` imports this file, and only when the configuration has a fleet.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { join } from "node:path"
import { dataDirectory } from "../schemas/config/DataDirectory.ts"
import { VERSION } from "../schemas/data/Version.ts"
import { PEERS_SECRET_MIN_CHARS } from "../schemas/defaults/Fleet.ts"
import type { FleetConfig } from "../schemas/fleet/FleetConfig.ts"
import { FleetRefused } from "../schemas/fleet/FleetError.ts"
import { NODE_NAME, type NodeId } from "../schemas/fleet/Node.ts"
import { CallJournal } from "../services/call/CallJournal.ts"
import { type FleetServices, Joined, type Node } from "../services/fleet/Joined.ts"
import { FLEET_OWNER, SecretResolver } from "../services/secret/SecretResolver.ts"
import * as AuditLinesLayer from "./fleet/AuditLines.ts"
import * as AuditTrailLayer from "./fleet/AuditTrail.ts"
import * as CallJournalLayer from "./fleet/CallJournal.ts"
import * as DatabaseLayer from "./fleet/Database.ts"
import * as DayTablesLayer from "./fleet/DayTables.ts"

/** `node-1.example.com` is `node-1`. */
const nameOf = Effect.fnUntraced(function* ({ name }: FleetConfig) {
  const own = name ?? hostname().split(".")[0] ?? ""
  if (NODE_NAME.test(own)) return own
  return yield* new FleetRefused({
    detail: `the name of this machine, '${own}', cannot be the name of a node: set \`fleet.name\``
  })
})

const secretsOf = Effect.fnUntraced(function* ({ database, fault, peersSecret }: FleetConfig) {
  if (fault !== undefined) return yield* new FleetRefused({ detail: `\`${fault.path}\` ${fault.message}` })
  const secrets = yield* SecretResolver
  const value = (text: string) =>
    Effect.mapError(secrets.resolve(FLEET_OWNER, text), ({ message }) => new FleetRefused({ detail: message }))
  const [url, secret] = [yield* value(database), yield* value(peersSecret)]
  // Neither may be in a log or a result, also where it stands in the configuration as it is.
  for (const known of [url, secret]) yield* secrets.know(FLEET_OWNER, Redacted.value(known))
  if (Redacted.value(secret).length < PEERS_SECRET_MIN_CHARS) {
    return yield* new FleetRefused({
      detail: `\`fleet.peers.secret\` is shorter than ${PEERS_SECRET_MIN_CHARS} characters: make one with \`openssl rand -hex 32\``
    })
  }
  return { url, secret }
})

/** What this node keeps on its own disk. */
const fleetDirectory = (directory: string = dataDirectory()) => join(directory, "fleet")

const joining = Effect.fnUntraced(function* (config: FleetConfig, directory: string | undefined) {
  const self: NodeId = { name: yield* nameOf(config), incarnation: randomUUID() }
  const { secret, url } = yield* secretsOf(config)
  const database = DatabaseLayer.layer({
    url,
    secret,
    node: self.name,
    version: VERSION,
    connections: config.connections
  })
  const journal = CallJournalLayer.layer({ self, directory: fleetDirectory(directory) })
  const built = yield* Layer.build(
    journal.pipe(Layer.provideMerge(DayTablesLayer.layer(config.keepDays)), Layer.provideMerge(database))
  )
  const services: Context.Context<FleetServices> = built
  return Context.make(Joined, { self, config, services }).pipe(
    Context.add(CallJournal, Context.get(built, CallJournal))
  )
})

/** Joins the fleet, or says in one sentence why that is not possible. */
export const joined = (
  config: FleetConfig,
  directory?: string | undefined
): Layer.Layer<never, FleetRefused, SecretResolver> => Layer.effectContext(joining(config, directory))

// ---- in the place of layers that keep their state in this process -----------------------------------------------------

/** Where the audit log is written. */
export const auditLines = ({ self }: Node, directory?: string | undefined) =>
  AuditLinesLayer.layer({ self, directory: fleetDirectory(directory) })

/** The audit log of all nodes. */
export const auditTrail = AuditTrailLayer.layer
