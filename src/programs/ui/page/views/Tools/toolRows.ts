/** The tools of an agent as rows: under the names it knows, with the reason for each that it does not get. Pure. */
import type { Plan, PlannedServer, PlannedTool } from "../../../../../schemas/call/Plan.ts"
import type { Query } from "../../router.ts"
import type { Answer } from "../../store/Gateway.ts"

export type Tool = Answer<"Tools">[number]

export interface ToolRow extends Omit<PlannedTool, "state" | "pin"> {
  readonly state: PlannedTool["state"] | "own"
  readonly pin: PlannedTool["pin"] | "none"
  /** Empty for a tool of the gateway itself. */
  readonly server: string
}

export const toolRows = ({ own, servers }: Pick<Plan, "own" | "servers">): ReadonlyArray<ToolRow> => [
  ...servers.flatMap(({ name, tools }) => tools.map((tool): ToolRow => ({ ...tool, server: name }))),
  ...own.map(({ name, tokens }): ToolRow => ({
    name,
    tool: name,
    server: "",
    state: "own",
    rule: "",
    asks: false,
    pin: "none",
    tokens
  }))
]

/** What names for agents keep of a name, and of none that is not ASCII. */
const flat = (name: string): string => name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase()
const isAscii = (name: string): boolean => /^[\x20-\x7e]*$/.test(name)

export const isThere = ({ state }: Pick<ToolRow, "state">): boolean =>
  state === "listed" || state === "searched" || state === "own"

/** Whether the name for the agent was too long to hold the server's own name of the tool. */
export const hidesTool = ({ name, tool }: Pick<ToolRow, "name" | "tool">): boolean =>
  !isAscii(tool) || !flat(name).endsWith(flat(tool))

export const STATE_WORDS: Readonly<Record<ToolRow["state"], string>> = {
  listed: "listed",
  searched: "by search",
  own: "of the gateway",
  denied: "denied",
  withheld: "withheld",
  suspicious: "suspicious",
  unavailable: "unavailable"
}

/** Why the agent has it, or not, as a sentence. */
export const whyOf = ({ pin, rule, state }: ToolRow): string => {
  switch (state) {
    case "listed":
      return "The agent gets this tool in its list."
    case "searched":
      return "The agent finds this tool by a search, because there are many."
    case "own":
      return "This tool is the gateway's own."
    case "denied":
      return `The agent does not get this tool: the rule “${rule}” denies it.`
    case "withheld":
      return `The agent does not get this tool: its definition is ${pin}, and nobody has approved it.`
    case "suspicious":
      return `The agent does not get this tool: ${rule}.`
    case "unavailable":
      return "The agent does not get this tool: its server has failed."
  }
}

/** Servers without a single tool to show, and why. */
export const silentServers = (servers: ReadonlyArray<PlannedServer>): ReadonlyArray<PlannedServer> =>
  servers.filter(({ detail, tools }) => tools.length === 0 || detail !== null)

// ---- filters ---------------------------------------------------------------------------------------------------------

export const SORTS = ["server", "name", "tokens"] as const

const isShown = ({ asks, pin, server, state, ...row }: ToolRow, query: Query): boolean => {
  const words = (query["text"] ?? "").toLowerCase().split(/\s+/)
  const text = `${row.name} ${row.tool} ${server}`.toLowerCase()
  const wanted = query["state"] ?? ""
  return (
    words.every((word) => text.includes(word)) &&
    (query["server"] === undefined || query["server"] === server) &&
    (wanted === "" ||
      wanted === state ||
      (wanted === "there" && isThere({ state })) ||
      (wanted === "not" && !isThere({ state })) ||
      (wanted === "asks" && asks) ||
      (wanted === "pins" && pin !== "approved" && pin !== "none"))
  )
}

const BY: Readonly<Record<string, (one: ToolRow, other: ToolRow) => number>> = {
  name: (one, other) => one.name.localeCompare(other.name),
  tokens: (one, other) => other.tokens - one.tokens
}

export const shownRows = (rows: ReadonlyArray<ToolRow>, query: Query): ReadonlyArray<ToolRow> => {
  const shown = rows.filter((row) => isShown(row, query))
  const by = BY[query["sort"] ?? ""]
  return by === undefined ? shown : shown.toSorted(by)
}
