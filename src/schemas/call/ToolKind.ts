/**
 * What sort of thing a tool does, for an icon beside its call. It comes from hints and a name that a stranger chose, so it
 * widens no right: where a person or a program decides about a call, it must not be used.
 */
import type { AgentTool } from "./Tool.ts"

export const TOOL_KINDS = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"] as const
export type ToolKind = (typeof TOOL_KINDS)[number]

const SEARCHES = /(?:^|[_\-/. ])(?:search|find|grep|query|lookup)(?:$|[_\-/. ])/i
const DELETES = /(?:^|[_\-/. ])(?:delete|remove|drop|purge)(?:$|[_\-/. ])/i
const MOVES = /(?:^|[_\-/. ])(?:move|rename)(?:$|[_\-/. ])/i

export const toolKind = ({ annotations, tool }: Pick<AgentTool, "annotations" | "tool">): ToolKind => {
  if (annotations?.readOnlyHint === true) {
    if (SEARCHES.test(tool)) return "search"
    return annotations.openWorldHint === true ? "fetch" : "read"
  }
  if (DELETES.test(tool)) return "delete"
  return MOVES.test(tool) ? "move" : "other"
}
