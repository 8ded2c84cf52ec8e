/** What an offer has for its client, as the protocol writes it: capabilities, and which methods have an answer. */
import type { JsonObject } from "../../../../schemas/data/Json.ts"
import type { Handler, McpOffer, OfferedMethod } from "../../../../services/listener/McpListener.ts"
import type { Run } from "./running.ts"
import type { ClientQuota } from "./ClientQuota.ts"
import type { InFleet } from "./InFleet.ts"
import { isOffered } from "./shapes.ts"
import type { Task } from "./Task.ts"
import { Tasks, TASKS_EXTENSION } from "./Tasks.ts"

/** `legacy`: up to 2025-11-25; `modern`: from 2026-07-28. */
export type Era = "legacy" | "modern"

/** Lists that belong to a capability, and are empty if there is no handler for them. */
const EMPTY: Partial<Record<OfferedMethod, JsonObject>> = {
  "tools/list": { tools: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "prompts/list": { prompts: [] }
}

export const offers = ({ handlers }: McpOffer, ...groups: ReadonlyArray<string>): boolean =>
  Object.keys(handlers).some((method) => groups.some((group) => method.startsWith(group)))

const TASKS = {
  legacy: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  modern: { extensions: { [TASKS_EXTENSION]: {} } }
} as const

/** Only calls of tools may be tasks. */
const hasTasks = ({ handlers, tasks }: McpOffer): boolean => tasks && handlers["tools/call"] !== undefined

/** Methods of the extension (2026-07-28). */
export const TASK_METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const

export const tasksOf = (
  offer: McpOffer,
  run: Run,
  holder: ClientQuota,
  changed: (task: Task) => void,
  fleet?: InFleet
): Tasks | undefined => (hasTasks(offer) ? new Tasks(run, holder, changed, fleet) : undefined)

export const capabilitiesOf = (offer: McpOffer, era: Era) => ({
  ...(offers(offer, "tools/") ? { tools: { listChanged: true } } : {}),
  ...(offers(offer, "resources/") ? { resources: { listChanged: true, subscribe: true } } : {}),
  ...(offers(offer, "prompts/") ? { prompts: { listChanged: true } } : {}),
  ...(offers(offer, "completion/") ? { completions: {} } : {}),
  ...(hasTasks(offer) ? TASKS[era] : {}),
  // Up to 2025-11-25 a client can always set a level; later, each request names its own.
  ...(era === "legacy" || offer.logs === true ? { logging: {} } : {})
})

export const handlerOf = (offer: McpOffer, method: OfferedMethod): Handler | JsonObject | undefined =>
  offer.handlers[method] ?? (offers(offer, method.slice(0, method.indexOf("/") + 1)) ? EMPTY[method] : undefined)

/** Whether there is an answer to it. */
export const answers = (offer: McpOffer, method: string): boolean =>
  isOffered(method)
    ? handlerOf(offer, method) !== undefined
    : hasTasks(offer) && TASK_METHODS.some((one) => one === method)
