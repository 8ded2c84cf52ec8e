/** What MCP clients may order. */
import {
  ORDERS_PER_MINUTE,
  ORDERS_RUNNING_IN_ALL_MAX,
  ORDERS_RUNNING_MAX,
  ORDERS_WAITING_IN_ALL_MAX,
  ORDERS_WAITING_MAX
} from "../defaults/Orders.ts"

export interface OrderConfig {
  /** Orders of one client in a minute; 0 for no such limit. */
  readonly perMinute: number
  /** Orders of one client that are worked on at once. */
  readonly running: number
  /** Orders of one client that wait for their turn; 0 for none. */
  readonly waiting: number
  /** The same of all clients together. */
  readonly runningInAll: number
  readonly waitingInAll: number
}

export const DEFAULT_ORDER: OrderConfig = {
  perMinute: ORDERS_PER_MINUTE,
  running: ORDERS_RUNNING_MAX,
  waiting: ORDERS_WAITING_MAX,
  runningInAll: ORDERS_RUNNING_IN_ALL_MAX,
  waitingInAll: ORDERS_WAITING_IN_ALL_MAX
}
