/** Whether the rules, as they are now, let a caller read on what a tool returned before. */
import type { Caller } from "../../../schemas/call/Caller.ts"
import type { Origin } from "../../../schemas/call/Origin.ts"
import type { View } from "./catalog.ts"
import type { Standings } from "./standing.ts"

export type IsReadable = (caller: Caller | undefined, origin: Origin) => boolean

export const makeIsReadable =
  (standings: Standings, view: () => View): IsReadable =>
  (caller, { server, tool }) => {
    if (!standings.isOpen(caller, server)) return false
    const standing = standings.of(caller)
    for (const route of view().routes.values()) {
      const { agentTool } = route
      if (agentTool.server !== server || agentTool.tool !== tool) continue
      if (!standings.decide(standing, route).allowed) return false
    }
    return true
  }
