/** Names that collide: tools then get a hash in their exposed names. */
import { prefixKey } from "../../call/Names.ts"
import type { Check, ToolFacts } from "../Facts.ts"

const SHOWN = 3

const groups = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyArray<ReadonlyArray<A>> => {
  const found = new Map<string, Array<A>>()
  for (const item of items) {
    const same = found.get(keyOf(item))
    if (same === undefined) found.set(keyOf(item), [item])
    else same.push(item)
  }
  return [...found.values()].filter(({ length }) => length > 1)
}

export const names: Check = ({ servers, tools }) => {
  const prefixes = new Map(servers.map(({ config }) => [config.name, config.toolPrefix]))
  const nameOf = ({ server, tool }: ToolFacts) =>
    `${prefixKey(prefixes.get(server) ?? server)}${tool.toLowerCase().replace(/[^a-z0-9_-]/g, "_")}`
  const shared = groups(
    servers.filter(({ config }) => config.enabled),
    ({ config }) => prefixKey(config.toolPrefix)
  )
  const colliding = groups(tools, nameOf)
  return [
    ...shared.map((same) => ({
      id: "prefix-shared",
      severity: "warning" as const,
      server: null,
      what: `${same.map(({ config }) => config.name).join(" and ")} expose their tools under the same prefix.`,
      why: "Tools of the same name get a hash, and rules for one server's names match both.",
      mend: 'Give one of them another "toolPrefix", or another name.'
    })),
    ...(colliding.length === 0
      ? []
      : [
          {
            id: "names-collide",
            severity: "warning" as const,
            server: null,
            what: `Tools have the same name: ${colliding
              .slice(0, SHOWN)
              .map((same) => same.map(({ server, tool }) => `${server}/${tool}`).join(" and "))
              .join("; ")}${colliding.length > SHOWN ? `; and ${colliding.length - SHOWN} more` : ""}.`,
            why: "Each gets a hash in its exposed name, which a model reads worse.",
            mend: 'Give one of the servers another "toolPrefix".'
          }
        ])
  ]
}
