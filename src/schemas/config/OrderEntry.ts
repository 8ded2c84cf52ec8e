/**
 * `order`: what MCP clients may order. It stands where `audit` and `acp` do: under `mcp` in openclaw.json, beside `servers` or
 * `mcpServers` in files of those forms.
 */
import { ORDERS_CEILING } from "../defaults/Orders.ts"
import { isObject } from "../data/Json.ts"
import { DEFAULT_ORDER, type OrderConfig } from "../agent/OrderConfig.ts"
import * as Field from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import { ORDER_KEYS } from "./OrderKeys.ts"
import type { Report } from "./Report.ts"

const KEYS = Object.keys(ORDER_KEYS)

interface Place {
  readonly path: KeyPath
  readonly value: unknown
}

const atTop = (report: Report, root: Record<string, unknown>): Place | undefined => {
  const value = Field.member(root, "order")
  const path = ["order"]
  if (value === undefined) return undefined
  if (["servers", "mcpServers"].some((key) => Field.member(root, key) !== undefined)) return { path, value }
  const isOurs = isObject(value) && KEYS.some((key) => Field.member(value, key) !== undefined)
  if (isOurs) report.warn(path, 'has no effect here: it stands under "mcp.order"')
  return undefined
}

/** The section of a configuration, wherever it stands; `inMcp` is the one under `mcp`. */
export const findOrder = (report: Report, root: Record<string, unknown>, inMcp: unknown): Place | undefined => {
  const top = atTop(report, root)
  if (inMcp === undefined) return top
  if (top !== undefined) report.error(top.path, 'means the same as "mcp.order", which is also given: keep one')
  return { path: ["mcp", "order"], value: inMcp }
}

const some = Field.whole("a number of orders", 1, ORDERS_CEILING)
const someOrNone = Field.whole("a number of orders, or 0", 0, ORDERS_CEILING)

export const readOrderConfig = (report: Report, place: Place | undefined): OrderConfig => {
  if (place === undefined) return DEFAULT_ORDER
  const { path } = place
  const raw = Field.closed(report, path, place.value, KEYS)
  const read = (key: keyof OrderConfig, reader: Field.Read<number>): number => {
    const value = Field.member(raw, key)
    return (value === undefined ? undefined : reader(report, [...path, key], value)) ?? DEFAULT_ORDER[key]
  }
  return {
    perMinute: read("perMinute", someOrNone),
    running: read("running", some),
    waiting: read("waiting", someOrNone),
    runningInAll: read("runningInAll", some),
    waitingInAll: read("waitingInAll", someOrNone)
  }
}
