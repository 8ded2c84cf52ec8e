/**
 * Composes what a node of a fleet has: `joined` is built before everything that shares state, and each other export takes the place of a layer
 * that keeps its state in this process. Only `McpLive/fleet.ts` imports this file, and only when the configuration has a fleet.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { join } from "node:path"
import type { ConfigIssue } from "../schemas/config/ConfigIssue.ts"
import { dataDirectory } from "../schemas/config/DataDirectory.ts"
import { VERSION } from "../schemas/data/Version.ts"
import { PEERS_SECRET_MIN_CHARS } from "../schemas/defaults/Fleet.ts"
import { pageKey } from "../schemas/fleet/CredentialKey.ts"
import type { FleetConfig } from "../schemas/fleet/FleetConfig.ts"
import { FleetRefused } from "../schemas/fleet/FleetError.ts"
import { NODE_NAME } from "../schemas/fleet/Node.ts"
import { matchesGlob } from "../schemas/data/Glob.ts"
import { ServerPool } from "../services/connection/ServerPool.ts"
import type { HostFeatures } from "../services/content/HostFeatures.ts"
import { NearPool } from "../services/fleet/HomeServers.ts"
import { CallJournal } from "../services/call/CallJournal.ts"
import { CallsOfDead } from "../services/fleet/CallsOfDead.ts"
import { Database } from "../services/fleet/Database.ts"
import { Fleet } from "../services/fleet/Fleet.ts"
import { type FleetServices, Joined, type Node } from "../services/fleet/Joined.ts"
import { SessionDirectory } from "../services/listener/SessionDirectory.ts"
import { FLEET_OWNER, SecretResolver } from "../services/secret/SecretResolver.ts"
import { untilDone } from "../system/rounds.ts"
import * as QuotaStoreLayer from "./fleet/QuotaStore.ts"
import * as AuditLinesLayer from "./fleet/AuditLines.ts"
import * as AuditTrailLayer from "./fleet/AuditTrail.ts"
import * as CallJournalLayer from "./fleet/CallJournal.ts"
import * as DatabaseLayer from "./fleet/Database.ts"
import * as DayTablesLayer from "./fleet/DayTables.ts"
import * as FarHostLayer from "./fleet/FarHost.ts"
import * as HomeCallersLayer from "./fleet/HomeCallers.ts"
import * as FleetLayer from "./fleet/Fleet.ts"
import * as FleetAnswersLayer from "./fleet/FleetAnswers.ts"
import * as FleetHandlersLayer from "./fleet/FleetHandlers.ts"
import * as HomeServersLayer from "./fleet/HomeServers.ts"
import * as NodeControlLayer from "./fleet/NodeControl.ts"
import * as PeerDoorLayer from "./fleet/PeerDoor.ts"
import * as PeersLayer from "./fleet/Peers.ts"
import * as PlacementsLayer from "./fleet/Placements.ts"
import * as ServerPoolLayer from "./fleet/ServerPool.ts"
import * as ResultTextsLayer from "./fleet/ResultTexts.ts"
import * as SessionDirectoryLayer from "./fleet/SessionDirectory.ts"
import { kept, stores } from "./FleetLive/stores.ts"

const refused = ({ message, path }: ConfigIssue) => new FleetRefused({ detail: `\`${path}\` ${message}` })

/** `node-1.example.com` is `node-1`. */
const nameOf = Effect.fnUntraced(function* ({ name, nodeFault }: FleetConfig) {
  if (nodeFault !== undefined) return yield* refused(nodeFault)
  const own = name ?? hostname().split(".")[0] ?? ""
  if (NODE_NAME.test(own)) return own
  return yield* new FleetRefused({
    detail: `the name of this machine, '${own}', cannot be the name of a node: set \`fleet.name\``
  })
})

const secretsOf = Effect.fnUntraced(function* ({ database, fault, peersSecret }: FleetConfig) {
  if (fault !== undefined) return yield* refused(fault)
  const secrets = yield* SecretResolver
  const value = (text: string) =>
    Effect.mapError(
      secrets.resolve(FLEET_OWNER, text),
      ({ detail, reference }) => new FleetRefused({ detail: `the secret ${reference} is not available: ${detail}` })
    )
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

/** For whoever looks at the connections of the database. */
const [READER, COMMAND] = ["audit", "command"]

/** What this node keeps on its own disk. */
const fleetDirectory = (directory: string = dataDirectory()) => join(directory, "fleet")

/** How many nodes share a limit while the database is away. */
const livingIn = ({ nodes }: Fleet["Service"]): number => nodes().filter(({ state }) => state !== "dead").length

/** This node among the others: its port for them, its place in the database, and its connections. */
const membership = (config: FleetConfig, name: string, secret: Redacted.Redacted) =>
  Layer.merge(PeersLayer.layer, NodeControlLayer.layer).pipe(
    Layer.provideMerge(FleetLayer.layer({ name, address: () => config.advertise, version: VERSION })),
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(Database, ({ fleetId }) => PeerDoorLayer.layer({ listen: config.listen, secret, fleet: fleetId }))
      )
    )
  )

const BURIED_AGAIN_MS = 1_000

/** The calls of a node that died are `unknown`, as soon as the database can be told. */
const burying = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deaths } = yield* Fleet
    const { bury } = yield* CallsOfDead
    yield* deaths.pipe(
      Stream.runForEach((node) => {
        const buried = Effect.retry(bury(node), Schedule.spaced(BURIED_AGAIN_MS))
        return Effect.forkScoped(untilDone(`fleet: the calls of node '${node.name}'`, BURIED_AGAIN_MS, buried))
      }),
      Effect.forkScoped
    )
  })
)

const joining = Effect.fnUntraced(function* (config: FleetConfig, directory: string | undefined) {
  const name = yield* nameOf(config)
  const { secret, url } = yield* secretsOf(config)
  const database = DatabaseLayer.layer({ url, secret, node: name, version: VERSION, connections: config.connections })
  const own = Layer.unwrap(
    Effect.map(Fleet, (fleet) => {
      const nodes = () => livingIn(fleet)
      const journal = CallJournalLayer.layer({
        self: () => fleet.self,
        directory: fleetDirectory(directory),
        repeats: {
          mayRepeat: ({ server, tool, ownName = tool, toolPrefix = server }) =>
            mayRunAgain(config, server, toolPrefix, ownName),
          secret
        }
      })
      return SessionDirectoryLayer.layer({ sessionsMax: config.sessions }).pipe(
        Layer.merge(burying),
        Layer.provideMerge(
          Layer.mergeAll(
            journal,
            DayTablesLayer.layer(config.keepDays),
            stores({ node: name, secret, nodes }),
            PlacementsLayer.layer(),
            HomeCallersLayer.layer
          )
        )
      )
    })
  )
  const built = yield* Layer.build(
    own.pipe(Layer.provideMerge(membership(config, name, secret)), Layer.provideMerge(database))
  )
  const services: Context.Context<FleetServices> = built
  const { self } = Context.get(built, Fleet)
  const { fleetId } = Context.get(built, Database)
  return Context.make(Joined, { self, config, pageKey: pageKey(secret, fleetId), services }).pipe(
    Context.add(CallJournal, Context.get(built, CallJournal)),
    Context.add(SessionDirectory, Context.get(built, SessionDirectory))
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

/** The audit log of all nodes, for a command that is no node. */
export const reading = (config: FleetConfig) =>
  Layer.unwrap(
    Effect.map(secretsOf(config), ({ secret, url }) =>
      Layer.provide(
        AuditTrailLayer.layer,
        DatabaseLayer.layer({ url, secret, node: READER, version: VERSION, connections: 2 })
      )
    )
  )

/** What people decide and the logins, for a command that is no node: another one with each run, so that none has the lease of another. */
export const decisions = (config: FleetConfig) =>
  Layer.unwrap(
    Effect.map(secretsOf(config), ({ secret, url }) =>
      kept({ node: `command-${randomUUID()}`, secret }).pipe(
        Layer.provide(DatabaseLayer.layer({ url, secret, node: COMMAND, version: VERSION, connections: 3 }))
      )
    )
  )

/** What the nodes store of people together, for a command that is no node. */
export const people = (config: FleetConfig) =>
  Layer.unwrap(
    Effect.map(secretsOf(config), ({ secret, url }) =>
      Layer.mergeAll(
        AuditTrailLayer.layer,
        QuotaStoreLayer.layer,
        kept({ node: `command-${randomUUID()}`, secret })
      ).pipe(Layer.provideMerge(DatabaseLayer.layer({ url, secret, node: READER, version: VERSION, connections: 3 })))
    )
  )

/** The kept results of people that the nodes store together. */
export const resultsOfPeople = ResultTextsLayer.ofPeople

/** The audit log of all nodes. */
export const auditTrail = AuditTrailLayer.layer

/** Whether the operator lets a call of this tool run again: by the names and patterns that rules have. */
const mayRunAgain = ({ idempotent }: FleetConfig, server: string, toolPrefix: string, tool: string): boolean => {
  const names = [`${server}/${tool}`, `mcp_${toolPrefix}_${tool}`].map((each) => each.toLowerCase())
  return idempotent.some((pattern) => names.some((each) => matchesGlob(pattern.toLowerCase(), each)))
}

/**
 * Servers whose process lives at one node and is used from all. `near` is the pool of this process: what its servers ask goes to the node
 * where the caller is.
 */
export const servers = <R>(
  near: Layer.Layer<ServerPool, never, R>
): Layer.Layer<ServerPool, never, R | HostFeatures | FleetServices> => {
  const nearPool = Layer.effect(
    NearPool,
    Effect.map(ServerPool, (pool) => pool)
  ).pipe(Layer.provide(near))
  const homes = Layer.provideMerge(HomeServersLayer.layer, nearPool)
  const answers = Layer.provide(FleetAnswersLayer.layer, FleetHandlersLayer.layer)
  return ServerPoolLayer.layer.pipe(Layer.merge(answers), Layer.provide(homes))
}

/** For the servers that run here. */
export const host = FarHostLayer.layer
