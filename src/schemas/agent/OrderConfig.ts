/** `order`: what MCP clients may order. */
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

const some = whole("a number of orders", 1, ORDERS_CEILING)
const someOrNone = whole("a number of orders, or 0", 0, ORDERS_CEILING)

const KEYS = {
  perMinute: key(someOrNone, ORDERS_PER_MINUTE, "orders of one client in a minute; 0 for any number"),
  running: key(some, ORDERS_RUNNING_MAX, "orders of one client that are worked on at once"),
  waiting: key(
    someOrNone,
    ORDERS_WAITING_MAX,
    "orders of one client that may wait for their turn; one that comes on top of them is refused"
  ),
  runningInAll: key(some, ORDERS_RUNNING_IN_ALL_MAX, "orders of all clients together that are worked on at once"),
  waitingInAll: key(
    someOrNone,
    ORDERS_WAITING_IN_ALL_MAX,
    "orders of all clients together that may wait for their turn"
  )
}

export interface OrderConfig extends Schema.Struct.Type<typeof KEYS> {}

export const ORDER = section("order", KEYS)

export const DEFAULT_ORDER: OrderConfig = ORDER.defaults
