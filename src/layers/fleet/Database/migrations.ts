/**
 * The steps to the tables of this version, in order. A step that was released is never changed. Each of them leaves alone what the version
 * before uses, so that nodes of both run beside each other: it adds tables, columns with a default and indexes, and takes away nothing
 * that a node uses whose contract is at least `oldestContract`.
 */
import type { Migration } from "./migrations/Migration.ts"
import { first } from "./migrations/first.ts"
import { nodes } from "./migrations/nodes.ts"
import { placements } from "./migrations/placements.ts"
import { sessions } from "./migrations/sessions.ts"
import { stores } from "./migrations/stores.ts"
import { people } from "./migrations/people.ts"
import { calls } from "./migrations/calls.ts"
import { closing } from "./migrations/closing.ts"
import { repeats } from "./migrations/repeats.ts"
import { sessionApprovals } from "./migrations/sessionApprovals.ts"
import { pageLogouts } from "./migrations/pageLogouts.ts"

export const MIGRATIONS: ReadonlyArray<Migration> = [
  first,
  nodes,
  placements,
  sessions,
  stores,
  calls,
  closing,
  people,
  repeats,
  sessionApprovals,
  pageLogouts
]
