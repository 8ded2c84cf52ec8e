/** What clients that call tools may send: sized for the arguments of a call. */
import {
  LISTENER_CALL_MAX_BYTES,
  LISTENER_CALL_MAX_DEPTH,
  LISTENER_CALL_MAX_PARTS,
  LISTENER_CALL_MAX_VALUES,
  LISTENER_RECEIVE_MS,
  LISTENER_RECEIVING_IN_ALL_MAX_BYTES,
  LISTENER_RECEIVING_MAX_BYTES
} from "../../../../schemas/defaults/Listener.ts"
import type { Intake } from "../../../../schemas/connection/JsonMessage.ts"
import { makeMessageReader } from "../../../../system/messageReader.ts"

const BOUNDS = {
  bytes: LISTENER_CALL_MAX_BYTES,
  depth: LISTENER_CALL_MAX_DEPTH,
  nodes: LISTENER_CALL_MAX_VALUES,
  parts: LISTENER_CALL_MAX_PARTS
}

export const CALLS: Intake = {
  messageMaxBytes: LISTENER_CALL_MAX_BYTES,
  receivingMaxBytes: LISTENER_RECEIVING_MAX_BYTES,
  receivingInAllMaxBytes: LISTENER_RECEIVING_IN_ALL_MAX_BYTES,
  receiveMs: LISTENER_RECEIVE_MS,
  silentMs: LISTENER_RECEIVE_MS,
  makeReader: () => makeMessageReader(BOUNDS)
}
