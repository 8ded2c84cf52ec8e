/** Shows the servers that single clients have alone below the others, with whose they are. Pure. */
import { nameWith } from "../../../schemas/connection/Isolation.ts"
import type { ServerStatus } from "../../../schemas/connection/ServerState.ts"
import type { StatusMap } from "../../../schemas/content/Rendering.ts"

export const withOwn = (
  servers: StatusMap,
  own: ReadonlyArray<{ readonly server: string; readonly whose: string; readonly status: ServerStatus }>
): StatusMap => ({
  ...servers,
  ...Object.fromEntries(own.map(({ server, status, whose }) => [nameWith(server, whose), status]))
})
