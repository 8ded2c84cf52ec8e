/** The agents of a configuration, and the servers below them: `agents.*.mcp` is ours; OpenClaw does not start with it. */
import type { NativeServer } from "./report.ts"
import { at, keyPath, membersAt, textAt } from "./read.ts"
import { readServers } from "./servers.ts"

export interface ConfiguredAgent {
  /** `undefined` for the defaults, and when it is missing. */
  readonly id: string | undefined
  readonly isDefaults: boolean
  readonly isDefault: boolean
  /** The path of its `mcp`, if any. */
  readonly path: string | undefined
  readonly servers: ReadonlyArray<NativeServer>
}

const agentAt = (value: unknown, id: string | undefined, path: string, isDefaults = false): ConfiguredAgent => ({
  id,
  isDefaults,
  isDefault: at(value, ["default"]) === true,
  path: at(value, ["mcp"]) === undefined ? undefined : `${path}.mcp`,
  servers: readServers(membersAt(value, ["mcp", "servers"]))
})

/** The defaults come first. */
export const agentsOf = (root: unknown): ReadonlyArray<ConfiguredAgent> => {
  const list = at(root, ["agents", "list"])
  return [
    agentAt(at(root, ["agents", "defaults"]), undefined, keyPath("agents", "defaults"), true),
    ...membersAt(root, ["agents", "entries"]).map(([id, agent]) =>
      agentAt(agent, id, keyPath("agents", "entries", id))
    ),
    ...(Array.isArray(list) ? list : []).map((agent: unknown, i) =>
      agentAt(agent, textAt(agent, ["id"]), `agents.list[${i}]`)
    )
  ]
}
