/**
 * Which tools OpenClaw's own policy denies by their names, as far as the single tool of the plugin must know: whoever calls a
 * tool through it goes past the names that OpenClaw looks at. Every list called `deny` counts that stands below `tools`, of
 * the whole configuration, of the defaults or of the agent, also one for some senders or sandboxes only. Pure.
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

/** `through` is the tool by which others are called: a pattern that means it as well has been applied to it by OpenClaw. */
export const deniesName = (config: unknown, agent: string, through: string): ((name: string) => boolean) => {
  const patterns = [at(config, ["tools"]), at(config, ["agents", "defaults", "tools"])]
    .concat(agentsCalled(config, agent).map((entry) => at(entry, ["tools"])))
    .flatMap(denyLists)
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => !matchesGlob(pattern, through))
  return (name) => patterns.some((pattern) => matchesGlob(pattern, name.toLowerCase()))
}
