/** Every key that the section `order` may have, for its reader and for the reference page. */
import {
  ORDERS_PER_MINUTE,
  ORDERS_RUNNING_IN_ALL_MAX,
  ORDERS_RUNNING_MAX,
  ORDERS_WAITING_IN_ALL_MAX,
  ORDERS_WAITING_MAX
} from "../defaults/Orders.ts"
import type { SecretsKeyDoc } from "./SecretsKeys.ts"

export const ORDER_KEYS = {
  perMinute: {
    type: "number",
    fallback: `${ORDERS_PER_MINUTE}`,
    about: "orders of one client in a minute; 0 for any number"
  },
  running: {
    type: "number",
    fallback: `${ORDERS_RUNNING_MAX}`,
    about: "orders of one client that are worked on at once"
  },
  waiting: {
    type: "number",
    fallback: `${ORDERS_WAITING_MAX}`,
    about: "orders of one client that may wait for their turn; one that comes on top of them is refused"
  },
  runningInAll: {
    type: "number",
    fallback: `${ORDERS_RUNNING_IN_ALL_MAX}`,
    about: "orders of all clients together that are worked on at once"
  },
  waitingInAll: {
    type: "number",
    fallback: `${ORDERS_WAITING_IN_ALL_MAX}`,
    about: "orders of all clients together that may wait for their turn"
  }
} satisfies Record<string, SecretsKeyDoc>
