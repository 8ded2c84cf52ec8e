/** The layers of one node of a fleet, at a database of the test. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CallJournalLayer from "../../src/layers/fleet/CallJournal.ts"
import * as DatabaseLayer from "../../src/layers/fleet/Database.ts"
import * as FleetLayer from "../../src/layers/fleet/Fleet.ts"
import * as PeerDoorLayer from "../../src/layers/fleet/PeerDoor.ts"
import * as PeersLayer from "../../src/layers/fleet/Peers.ts"
import * as SessionDirectoryLayer from "../../src/layers/fleet/SessionDirectory.ts"
import { VERSION } from "../../src/schemas/data/Version.ts"
import { Database } from "../../src/services/fleet/Database.ts"
import { Fleet } from "../../src/services/fleet/Fleet.ts"

const SECRET = Redacted.make("the secret that the nodes of the tests share")

export interface NodeOptions {
  readonly database: string
  readonly name: string
  readonly sessionsMax?: number
}

export const nodeLayer = ({ database, name, sessionsMax }: NodeOptions) => {
  const door = Layer.unwrap(
    Effect.map(Database, ({ fleetId }) =>
      PeerDoorLayer.layer({ listen: "127.0.0.1:0", secret: SECRET, fleet: fleetId })
    )
  )
  const fleet = FleetLayer.layer({ name, address: (port) => `127.0.0.1:${port}`, version: VERSION })
  const journal = Layer.unwrap(
    Effect.map(Fleet, (fleet) =>
      CallJournalLayer.layer({ self: () => fleet.self, directory: mkdtempSync(join(tmpdir(), "mcp-live-node-")) })
    )
  )
  return SessionDirectoryLayer.layer({ sessionsMax }).pipe(
    Layer.provideMerge(journal),
    Layer.provideMerge(PeersLayer.layer),
    Layer.provideMerge(fleet),
    Layer.provideMerge(door),
    Layer.provideMerge(
      DatabaseLayer.layer({ url: Redacted.make(database), node: name, secret: SECRET, version: VERSION })
    )
  )
}
