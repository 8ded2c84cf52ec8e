/** What is different for a client of a fleet: names say which node gave them, and other nodes learn what they need after its death. */
import type { Directory } from "../../../../services/listener/SessionDirectory.ts"

export interface InFleet {
  readonly directory: Directory
  /** Whose tasks these are: a session, or the holder of a token at an address. */
  readonly owner: string
  /** The session that the requests belong to, where the revision has them. */
  readonly session?: string | undefined
  /** How often this request ran before, at nodes that died. */
  readonly runsBefore?: ((id: string | number) => number) | undefined
}
