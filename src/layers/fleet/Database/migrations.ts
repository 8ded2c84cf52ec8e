/**
 * The steps to the tables of this version, in order. A step that was released is never changed. Each of them leaves alone what the version
 * before uses, so that nodes of both run beside each other: it adds tables, columns with a default and indexes, and takes away nothing
 * that a node uses whose contract is at least `oldestContract`.
 */
import { first } from "./migrations/first.ts"
import { nodes } from "./migrations/nodes.ts"
import { sessions } from "./migrations/sessions.ts"
import { stores } from "./migrations/stores.ts"
import { placements } from "./migrations/placements.ts"

export interface Migration {
  /** Stored: a step runs once. */
  readonly name: string
  /** One statement each, run in one transaction for all steps. */
  readonly statements: ReadonlyArray<string>
  /** After this step, nodes with a lower contract cannot use the database. */
  readonly oldestContract?: number
}

export const MIGRATIONS: ReadonlyArray<Migration> = [first, nodes, placements, sessions, stores]
