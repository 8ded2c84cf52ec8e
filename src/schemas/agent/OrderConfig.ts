/** `order`: the limits for agent requests of MCP clients. */
import type * as Schema from "effect/Schema"
import { key, whole } from "../config/Keys.ts"
import { section } from "../config/Sections.ts"
import {
  ORDERS_CEILING,
  ORDERS_PER_MINUTE,
  ORDERS_RUNNING_IN_ALL_MAX,
  ORDERS_RUNNING_MAX,
  ORDERS_WAITING_IN_ALL_MAX,
  ORDERS_WAITING_MAX
} from "../defaults/Orders.ts"

const some = whole("a number of requests", 1, ORDERS_CEILING)
const someOrNone = whole("a number of requests, or 0", 0, ORDERS_CEILING)

const KEYS = {
  perMinute: key(someOrNone, ORDERS_PER_MINUTE, "requests of one client per minute; 0: no limit"),
  running: key(some, ORDERS_RUNNING_MAX, "requests of one client that run at once"),
  waiting: key(someOrNone, ORDERS_WAITING_MAX, "requests of one client that may wait; further ones are refused"),
  runningInAll: key(some, ORDERS_RUNNING_IN_ALL_MAX, "requests of all clients together that run at once"),
  waitingInAll: key(someOrNone, ORDERS_WAITING_IN_ALL_MAX, "requests of all clients together that may wait")
}

export interface OrderConfig extends Schema.Struct.Type<typeof KEYS> {}

export const ORDER = section("order", KEYS)

export const DEFAULT_ORDER: OrderConfig = ORDER.defaults
