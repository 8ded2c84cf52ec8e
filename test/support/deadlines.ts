/** Deadlines that never pass: for tests of a peer that have nothing to do with time. */
import type { Deadlines } from "../../src/layers/connection/ServerConnector/rpc/deadlines.ts"

export const noDeadlines: Deadlines = { now: () => 0, watch: () => {} }
