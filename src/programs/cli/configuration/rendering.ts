/** The configuration of a running gateway, and the plan of an agent, as text. Pure. */
import { type Plan, type PlannedServer, type PlannedTool } from "../../../schemas/call/Plan.ts"
import { changeLines, changeParts } from "../../../schemas/config/ConfigChange.ts"
import { type ConfigState, type Reloaded, unreadLines } from "../../../schemas/config/ConfigState.ts"
import { faultOf, stateWords } from "../../../schemas/connection/ServerState.ts"
import { clip } from "../../../schemas/content/Rendering.ts"
import { anyOf } from "../../../schemas/call/Approvers.ts"
import type { PlanValue } from "../../../schemas/control/Control.ts"
import { wrapped } from "../clients/shown.ts"

export const KEPT = "the configuration cannot be used; the previous one stays in effect:"

/** What the operator should know; nothing if the file is what runs. */
export const configurationLines = ({ fault, pending, unread }: ConfigState): ReadonlyArray<string> => [
  ...(fault === null ? [] : [`${KEPT} ${fault}`]),
  ...(pending.length === 0 ? [] : [`changed, but needs a restart of the gateway: ${pending.join(", ")}`]),
  ...unreadLines(unread)
]

export const reloadedText = ({ change, renewed }: Reloaded): string => {
  const lines = [
    ...changeLines(change),
    ...(renewed.length === 0 ? [] : [`restart, because a secret has changed: ${renewed.join(", ")}`])
  ]
  return lines.length === 0 ? "Nothing has changed." : lines.join("\n")
}

// ---- the plan ------------------------------------------------------------------------------------------------------

/** Enough for a schema of 400 KB. */
const SIZE_CELLS = 6

const sized = (count: number): string => String(count).padStart(SIZE_CELLS)

const tokens = (count: number): string => `${count} token${count === 1 ? "" : "s"}`

/** Why a tool is not in the list, or what is special about it. */
const noteOf = ({ approvers, asks, pin, rule, state }: PlannedTool): string => {
  const pinned = pin === "approved" ? [] : [`its definition is ${pin}`]
  const reasons = {
    listed: [],
    searched: [],
    denied: [`denied (${rule})`],
    withheld: ["blocked until you approve it: mcp-live pins"],
    suspicious: [rule],
    unavailable: ["its server has failed"]
  }[state]
  const asking =
    asks && state !== "denied" ? [`asks ${approvers === undefined ? "" : `${anyOf(approvers)} `}first (${rule})`] : []
  return [...reasons, ...asking, ...pinned].join("; ")
}

const isThere = ({ state }: PlannedTool) => state === "listed" || state === "searched"

const row = (indent: number, text: string, width: number): string => " ".repeat(indent) + clip(text, width - indent)

/** A reason that does not fit beside the name stands below it. */
const toolLines = (tool: PlannedTool, width: number): ReadonlyArray<string> => {
  const name = `${isThere(tool) ? " " : "-"} ${sized(tool.tokens)}  ${tool.name}`
  const note = noteOf(tool)
  const whole = note === "" ? name : `${name}  ${note}`
  return whole.length + 2 <= width || note === "" ? [`  ${whole}`] : [`  ${name}`, row(14, note, width)]
}

const serverLines = ({ detail, name, state: known, tokens: sum, tools, waits }: PlannedServer, width: number) => {
  const state = stateWords({ state: known, waits })
  const there = tools.filter(isThere).length
  const heading = `${name}: ${state}, ${there} of ${tools.length} tools, ${tokens(sum)}`
  return [
    // Without its end, a reason does not help.
    detail === null ? row(0, heading, width) : wrapped(`${name}: ${state}, ${faultOf(name, detail)}`, "", "  ", width),
    ...tools.flatMap((tool) => toolLines(tool, width))
  ]
}

const listed = (what: string, names: ReadonlyArray<string>, width: number): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`  ${what}:`, ...names.map((name) => row(4, name, width))]

const nextLines = ({ change, fault, plan: { next } }: PlanValue, width: number): ReadonlyArray<string> => {
  if (fault !== undefined) return ["", KEPT, ...fault.split("\n").map((line) => wrapped(line, "  ", "    ", width))]
  if (change === undefined) return []
  const lines = [
    ...changeParts(change).flatMap(([what, names]) => listed(what, names, width)),
    ...listed("tools that appear", next?.appear ?? [], width),
    ...listed("tools that disappear", next?.disappear ?? [], width)
  ]
  return lines.length === 0 ? [] : ["", "The file has changed. Applied now, it would:", ...lines]
}

const totals = ({ own, searchedTokens, tokens: sum }: Plan): ReadonlyArray<string> => [
  ...own.map(({ name, tokens: size }) => `    ${sized(size)}  ${name}`),
  searchedTokens === 0
    ? `In all: ${tokens(sum)}`
    : `In all: ${tokens(sum)}; a search hides tools with ${tokens(searchedTokens)}`
]

/** What the rules of clients say of the one that the plan is for. */
const clientLines = ({ client }: Plan, width: number): ReadonlyArray<string> => {
  if (client === undefined) return []
  const { isLetIn, name, rules, unreached } = client
  const by = rules.length === 0 ? "" : ` (${rules.join(", ")})`
  const what = isLetIn
    ? rules.length === 0
      ? "there are no rules for clients"
      : `let in${by}`
    : `not let in${by}: no rule grants anything`
  return [
    wrapped(`For ${name}: ${what}`, "", "  ", width),
    ...(unreached.length === 0
      ? []
      : [wrapped(`No resources and prompts of: ${unreached.join(", ")}`, "", "  ", width)])
  ]
}

/** No line is longer than `width`, unless it is one word of a reason. */
export const renderPlan = (value: PlanValue, width: number): string =>
  [
    `Agent ${value.plan.agent}`,
    ...clientLines(value.plan, width),
    "",
    ...value.plan.servers.flatMap((server) => [...serverLines(server, width), ""]),
    ...totals(value.plan),
    ...nextLines(value, width)
  ].join("\n")
