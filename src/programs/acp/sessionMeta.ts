/** What a client says of a session in its `_meta`. What is none of it is ignored, as the protocol has it. Pure. */
import { createHash } from "node:crypto"
import { isObject } from "../../schemas/data/Json.ts"

export interface SessionMeta {
  /** A name of the client's own for the conversation: the same name is the same conversation. */
  readonly sessionKey?: string
  /** The conversation that is listed under this title. */
  readonly sessionLabel?: string
  /** What was said in it is forgotten first. */
  readonly resetSession: boolean
  /** Tools that servers add later are added to the session. */
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

/** The id of the session that has this key with this agent: always the same, and none that a conversation without a key has. */
export const sessionIdOf = (agent: string, sessionKey: string): string =>
  createHash("sha256")
    .update(JSON.stringify([agent, sessionKey]))
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
