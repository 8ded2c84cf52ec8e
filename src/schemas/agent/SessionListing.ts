/** The stored conversations in the data directory, for people: owner, size and time of the last use. */
import { latestFirst, type ConversationInfo } from "./Conversation.ts"
import { LABEL_MAX_CHARS } from "../defaults/Texts.ts"
import { ownerOf } from "./OrderSession.ts"
import { clip, formatBytes, listing } from "../content/Rendering.ts"

/** A stored conversation and its file. */
export interface KeptSession {
  readonly info: ConversationInfo
  /** Messages of the person or client, each with its answer, including dropped ones. */
  readonly messages: number
  readonly bytes: number
}

/** An unreadable file or folder. */
export interface BrokenSession {
  readonly file: string
  readonly reason: string
}

export interface Survey {
  readonly kept: ReadonlyArray<KeptSession>
  readonly broken: ReadonlyArray<BrokenSession>
}

export interface SessionRow {
  readonly session: string
  readonly lastUsed: string
  /** Null in files from before this was recorded. */
  readonly agent: string | null
  readonly client: string | null
  readonly messages: number
  readonly bytes: number
}

const EDITOR = "an editor"
const GATEWAY = /^openclaw /

/** Of an OpenClaw gateway, only what a client has asked of it is known here. */
const agentOf = ({ agent, backend }: ConversationInfo): string | null =>
  backend !== undefined && GATEWAY.test(backend) ? "openclaw" : (agent ?? null)

const rowOf = ({ bytes, info, messages }: KeptSession): SessionRow => ({
  session: info.sessionKey,
  lastUsed: new Date(info.updatedAt).toISOString(),
  agent: agentOf(info),
  client: info.client ?? (ownerOf(info.sessionKey) === "" ? EDITOR : null),
  messages,
  bytes
})

/** The most recently used one first. */
export const rowsOf = ({ kept }: Survey): ReadonlyArray<SessionRow> =>
  kept.toSorted((a, b) => latestFirst(a.info, b.info)).map(rowOf)

/** A name in a file may come from anywhere: invisible characters and those that move the cursor are replaced. */
const shown = (name: string | null): string =>
  name === null ? "-" : clip(name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd"), LABEL_MAX_CHARS)

/** 2026-11-23T04:10:05Z */
const seconds = (time: string): string => time.replace(/\.\d+Z$/, "Z")

export const renderSessions = (rows: ReadonlyArray<SessionRow>, columns: number): string =>
  rows.length === 0
    ? "No conversations are stored."
    : listing(
        [
          ["LAST USED", "AGENT", "CLIENT", "MESSAGES", "SIZE", "SESSION"],
          ...rows.map((row) => [
            seconds(row.lastUsed),
            shown(row.agent),
            shown(row.client),
            String(row.messages),
            formatBytes(row.bytes),
            shown(row.session)
          ])
        ],
        columns
      )
