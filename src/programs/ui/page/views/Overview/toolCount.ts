/** How many tools of a server the agent has. Pure. */
import type { Statuses } from "../../store/Store.ts"

type Counted = Pick<Statuses[string], "tools" | "withheld" | "denied">

/** Tools that the server lists, and that the agent does not get. */
export const toolsLeft = ({ denied = 0, withheld = 0 }: Counted): number => withheld + denied

/** `9`, or `6 of 9` if the agent does not get all. */
export const toolsThere = (status: Counted): string =>
  toolsLeft(status) === 0 ? String(status.tools) : `${status.tools - toolsLeft(status)} of ${status.tools}`
