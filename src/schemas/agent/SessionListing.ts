/** The conversations that are kept in the data directory, as a person sees them: whose they are, how much they are, when they were used. */
import { latestFirst, type ConversationInfo } from "./Conversation.ts"
import { LABEL_MAX_CHARS } from "../defaults/Texts.ts"
import { ownerOf } from "./OrderSession.ts"
import { clip, formatBytes, listing } from "../content/Rendering.ts"

/** One that is kept, and its file. */
export interface KeptSession {
  readonly info: ConversationInfo
  /** Messages of who asks, each with its answer; also those that were there and are no longer kept. */
  readonly messages: number
  readonly bytes: number
}

/** A file, or a folder, that cannot be read. */
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
  /** Null where the file is of a time when that was not noted. */
  readonly agent: string | null
  readonly client: string | null
  readonly messages: number
  readonly bytes: number
}

const EDITOR = "an editor"
const GATEWAY = /^openclaw /

/** Of an OpenClaw gateway only what a client has asked of it is known here. */
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

/** The one that was used last comes first. */
export const rowsOf = ({ kept }: Survey): ReadonlyArray<SessionRow> =>
  kept.toSorted((a, b) => latestFirst(a.info, b.info)).map(rowOf)

/** A name in a file may be anybody's: nothing in it moves a cursor, or hides. */
const shown = (name: string | null): string =>
  name === null ? "-" : clip(name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd"), LABEL_MAX_CHARS)

/** 2026-11-23T04:10:05Z */
const seconds = (time: string): string => time.replace(/\.\d+Z$/, "Z")

export const renderSessions = (rows: ReadonlyArray<SessionRow>, columns: number): string =>
  rows.length === 0
    ? "No conversations are kept."
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
