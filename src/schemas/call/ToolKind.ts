/**
 * Classifies a tool for an icon next to its call. The kind is derived from hints and a name that a server chose, so it must
 * not influence any decision about a call.
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
