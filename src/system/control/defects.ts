/** What the other end learns of a bug in the gateway, or of a request that it got wrong: that there is one. The details are in the gateway's log. */
import type { FromServerEncoded } from "effect/rpc/RpcMessage"

const SAID = { message: "the gateway could not do this: its log says why, or its version does not know this request" }

/** The message without what a defect says: it may contain anything. */
export const withoutDefects = (message: FromServerEncoded): FromServerEncoded => {
  if (message._tag === "Defect") return { ...message, defect: SAID }
  if (message._tag !== "Exit" || message.exit._tag !== "Failure") return message
  const cause = message.exit.cause.map((reason) => (reason._tag === "Die" ? { ...reason, defect: SAID } : reason))
  return { ...message, exit: { ...message.exit, cause } }
}
