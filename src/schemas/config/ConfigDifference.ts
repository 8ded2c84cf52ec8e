/** Finds what another configuration changes against the one that runs. Pure. */
import { heldByAgent, poolKeyOf } from "../connection/Isolation.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import { canonical } from "../data/Json.ts"
import type { ConfigChange } from "./ConfigChange.ts"
import type { AgentConfig, GatewayConfig } from "./GatewayConfig.ts"

/** Equal for two entries exactly when a lease of one serves the other. */
export const leaseKeyOf = (config: ServerConfig): string => poolKeyOf(config) + (config.share ? "" : ":own")

export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || canonical(one ?? null) === canonical(other ?? null)

type Kind = "restarted" | "started" | "stopped" | "inPlace"

const kindOf = (before: ServerConfig | undefined, after: ServerConfig | undefined): Kind | undefined => {
  const [was, is] = [before?.enabled === true, after?.enabled === true]
  if (!was || !is) return was ? "stopped" : is ? "started" : undefined
  if (leaseKeyOf(before!) !== leaseKeyOf(after!)) return "restarted"
  return isSameValue(before, after) ? undefined : "inPlace"
}

const keysOf = (before: object, after: object): ReadonlyArray<string> => [
  ...new Set([...Object.keys(before), ...Object.keys(after)])
]

/** The keys whose values differ, of those that are `asked`. To compare the agents as a whole takes long: they hold all servers. */
const differing = (
  before: object,
  after: object,
  asked: (key: string) => boolean = () => true
): ReadonlyArray<string> =>
  keysOf(before, after).filter((key) => asked(key) && !isSameValue(Reflect.get(before, key), Reflect.get(after, key)))

/** These say where the configuration comes from, and what is wrong with it. */
const ABOUT_THE_FILE = new Set(["file", "readFiles", "absent", "warnings", "faults"])
/** These take effect at once, beside the agents. */
const IN_PLACE = new Set(["secrets", "reload", "logs"])

/** The rest of `clients` takes effect only at the next start. */
const withoutThose = (config: GatewayConfig): GatewayConfig => {
  if (config.clients === undefined) return config
  const { limits: _, ...clients } = config.clients
  return { ...config, clients: { ...clients, rules: [] } }
}

/** The settings of clients that take effect at once. */
const ofClientsIn = ({ clients: was }: GatewayConfig, { clients: is }: GatewayConfig): ReadonlyArray<string> => [
  ...(isSameValue(was?.rules ?? [], is?.rules ?? []) ? [] : ["clients.rules"]),
  ...(isSameValue(was?.limits, is?.limits) ? [] : ["clients.limits"])
]

/** The settings of the whole gateway that differ and take effect only at its next start. */
export const settingsInNeed = (before: GatewayConfig, after: GatewayConfig): ReadonlyArray<string> =>
  differing(
    withoutThose(before),
    withoutThose(after),
    (key) => key !== "agents" && !ABOUT_THE_FILE.has(key) && !IN_PLACE.has(key)
  ).map((key) => (key === "gateways" ? "gateway" : key === "defaultAgent" ? "the default agent" : key))

/** Collects names per kind with the agents that they concern. */
const makeCollected = (agents: number) => {
  const kinds = new Map<Kind, Map<string, Array<string>>>()
  return {
    add: (kind: Kind, name: string, agent: string) => {
      const names = kinds.get(kind) ?? new Map<string, Array<string>>()
      names.set(name, [...(names.get(name) ?? []), agent])
      kinds.set(kind, names)
    },
    of: (kind: Kind): ReadonlyArray<string> =>
      [...(kinds.get(kind) ?? [])].map(([name, of]) => (of.length === agents ? name : `${name} (${of.join(", ")})`))
  }
}

const NOBODY: Pick<AgentConfig, "servers" | "rules"> = { servers: [], rules: [] }

/** What of an agent changes in place besides its servers. */
const settingsOf = (before: AgentConfig | undefined, after: AgentConfig | undefined): ReadonlyArray<string> => {
  if (before === undefined || after === undefined) return [after === undefined ? "the agent is gone" : "a new agent"]
  const { id: _, servers: __, ...was } = before
  const { id: ___, servers: ____, ...is } = after
  return differing(was, is)
}

export const changeBetween = (before: GatewayConfig, after: GatewayConfig): ConfigChange => {
  const ids = [...new Set([...before.agents, ...after.agents].map(({ id }) => id))]
  const { add, of } = makeCollected(ids.length)
  for (const id of ids) {
    const [was, is] = [before, after].map(({ agents }) => agents.find((agent) => agent.id === id))
    const [old, fresh] = [was, is].map(
      (agent) => new Map((agent ?? NOBODY).servers.map((server) => [server.name, heldByAgent(id, server)]))
    )
    for (const name of [...new Set([...old!.keys(), ...fresh!.keys()])].toSorted()) {
      const [one, other] = [old!.get(name), fresh!.get(name)]
      const kind = kindOf(one, other)
      if (kind === "inPlace") add(kind, `${differing(one!, other!).join(", ")} of server ${name}`, id)
      else if (kind !== undefined) add(kind, name, id)
    }
    for (const setting of settingsOf(was, is)) add("inPlace", setting, id)
  }
  const settings = differing(before, after, (key) => IN_PLACE.has(key))
  return {
    restarted: of("restarted"),
    started: of("started"),
    stopped: of("stopped"),
    inPlace: [...of("inPlace"), ...settings, ...ofClientsIn(before, after)],
    needsRestart: settingsInNeed(before, after)
  }
}
