/** Reads what a client says about a session in `_meta`. As the protocol requires, unknown keys are ignored. Pure. */
import { createHash } from "node:crypto"
import { isObject } from "../../schemas/data/Json.ts"

export interface SessionMeta {
  /** The client's own name for the conversation: the same name means the same conversation. */
  readonly sessionKey?: string
  /** The title of a listed conversation. */
  readonly sessionLabel?: string
  /** Deletes the messages of the conversation first. */
  readonly resetSession: boolean
  /** Adds tools to the session that servers offer later. */
  readonly dynamicTools: boolean
}

const KEY_MAX_CHARS = 1024

const word = (value: unknown): string | undefined => {
  const text = typeof value === "string" ? value.trim() : ""
  return text === "" || text.length > KEY_MAX_CHARS ? undefined : text
}

export const readSessionMeta = (meta: unknown): SessionMeta => {
  const given = isObject(meta) ? meta : {}
  const ours = isObject(given["mcp-live"]) ? given["mcp-live"] : {}
  const sessionKey = word(given["sessionKey"])
  const sessionLabel = word(given["sessionLabel"])
  return {
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(sessionLabel === undefined ? {} : { sessionLabel }),
    resetSession: given["resetSession"] === true,
    dynamicTools: ours["dynamicTools"] === true
  }
}

/** The id of the session that has this key with this agent. Always the same, and never that of a session without a key. */
export const sessionIdOf = (agent: string, sessionKey: string): string =>
  createHash("sha256")
    .update(JSON.stringify([agent, sessionKey]))
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
