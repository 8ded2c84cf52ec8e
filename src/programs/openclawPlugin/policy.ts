/**
 * Which tools OpenClaw's own policy denies by name. The single tool of the plugin must know this, because OpenClaw does not
 * see the names of tools that are called through it. Every list called `deny` below `tools` counts, in the global
 * configuration, the defaults or the agent, including those for certain senders or sandboxes only. Pure.
 */
import { matchesGlob } from "../../schemas/data/Glob.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { at, membersAt } from "../../schemas/agent/openclaw/doctor/read.ts"

const denyLists = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(denyLists)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "deny" && Array.isArray(inner)
      ? inner.filter((name): name is string => typeof name === "string")
      : denyLists(inner)
  )
}

const agentsCalled = (config: unknown, agent: string): ReadonlyArray<unknown> => {
  const list = at(config, ["agents", "list"])
  return [
    ...membersAt(config, ["agents", "entries"]).flatMap(([id, entry]) => (id === agent ? [entry] : [])),
    ...(Array.isArray(list) ? list : []).filter((entry: unknown) => at(entry, ["id"]) === agent)
  ]
}

/** `through` is the tool that calls others: OpenClaw has already applied patterns that match it. */
export const deniesName = (config: unknown, agent: string, through: string): ((name: string) => boolean) => {
  const patterns = [at(config, ["tools"]), at(config, ["agents", "defaults", "tools"])]
    .concat(agentsCalled(config, agent).map((entry) => at(entry, ["tools"])))
    .flatMap(denyLists)
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => !matchesGlob(pattern, through))
  return (name) => patterns.some((pattern) => matchesGlob(pattern, name.toLowerCase()))
}
