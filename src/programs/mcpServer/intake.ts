/** What clients may send with agent requests: media, decoded as they arrive, and about as much other data as in a call. */
import {
  LISTENER_CALL_MAX_DEPTH,
  LISTENER_CALL_MAX_PARTS,
  LISTENER_CALL_MAX_VALUES,
  LISTENER_RECEIVE_MS
} from "../../schemas/defaults/Listener.ts"
import {
  ORDER_RECEIVE_MS,
  ORDER_RECEIVING_IN_ALL_MAX_BYTES,
  ORDER_RECEIVING_MAX_BYTES,
  ORDER_REQUEST_MAX_BYTES,
  ORDER_TEXT_MAX_BYTES
} from "../../schemas/defaults/Orders.ts"
import type { Intake } from "../../schemas/connection/JsonMessage.ts"
import { makeMessageReader } from "../../system/messageReader.ts"
import { makeOrderReader } from "../../system/orderReader.ts"

const BOUNDS = {
  bytes: ORDER_TEXT_MAX_BYTES,
  depth: LISTENER_CALL_MAX_DEPTH,
  nodes: LISTENER_CALL_MAX_VALUES,
  parts: LISTENER_CALL_MAX_PARTS
}

export const ORDERS: Intake = {
  messageMaxBytes: ORDER_REQUEST_MAX_BYTES,
  receivingMaxBytes: ORDER_RECEIVING_MAX_BYTES,
  receivingInAllMaxBytes: ORDER_RECEIVING_IN_ALL_MAX_BYTES,
  receiveMs: ORDER_RECEIVE_MS,
  silentMs: LISTENER_RECEIVE_MS,
  makeReader: () => makeOrderReader(makeMessageReader(BOUNDS))
}
