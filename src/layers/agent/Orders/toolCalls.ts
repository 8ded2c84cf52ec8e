/** Recognizes calls of an agent that are agent requests themselves, by name or through a tool that calls others. Pure. */
import { ORDER_MESSAGE_MAX_CHARS } from "../../../schemas/defaults/Orders.ts"
import { textWithinBounds } from "../../../schemas/connection/JsonBounds.ts"

const NAME = "order_openclaw"
const DEPTH_MAX = 5
const VALUES_MAX = 200
const MESSAGES_MAX = 4
const NAME_MAX_CHARS = 256

/** Whether a tool takes agent requests. */
export const isOrderTool = (value: unknown): boolean =>
  typeof value === "string" && value.length <= NAME_MAX_CHARS && value.includes(NAME)

/** The messages of such calls; a tool that calls others may get their arguments as text. */
export const ordersIn = (name: string, args: unknown): ReadonlyArray<string> => {
  const messages: Array<string> = []
  let isOrder = isOrderTool(name)
  let left = VALUES_MAX

  const open = (text: string): unknown => {
    if (!/^\s*\{/.test(text) || text.length > 2 * ORDER_MESSAGE_MAX_CHARS || !textWithinBounds(text)) return undefined
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }

  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return
    for (const [key, each] of Object.entries(value)) {
      if (--left < 0) return
      if (typeof each !== "string") {
        walk(each, depth + 1)
      } else if (key === "message") {
        if (messages.length < MESSAGES_MAX && each.length <= ORDER_MESSAGE_MAX_CHARS) messages.push(each)
      } else if (isOrderTool(each)) {
        isOrder = true
      } else {
        walk(open(each), depth + 1)
      }
    }
  }

  walk(args, 0)
  return isOrder ? messages : []
}
