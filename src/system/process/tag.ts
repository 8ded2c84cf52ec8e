/**
 * Tags say whose a process is. Every server gets one in its environment, and all that it starts inherits it, so that a process which has left the
 * tree is still recognized. A gateway that is itself a server passes on the tags of its own owners: the last tag names the gateway that started
 * the server, all tags together name its owners.
 */
import { randomBytes } from "node:crypto"

export const TAG_VARIABLE = "MCP_LIVE_TAG"

/** Identifies the process that started a server, also against later processes with the same number. */
export interface Owner {
  /** Random, different for each process. */
  readonly run: string
  readonly pid: number
  /** Clock ticks since boot; 0 if unknown. */
  readonly started: number
  /** The namespaces of `pid` and `started`; `-` if unknown. */
  readonly place: string
}

export interface Tag {
  readonly owner: Owner
  /** The whole tag: equal for the processes of one connection. */
  readonly text: string
}

/** The most levels of gateways within gateways; the outermost ones are left out. */
const TAGS_MAX = 8
const NAME_CHARS = 40
const TAG = /^([0-9a-f]{16}):(\d{1,10}):(\d{1,15}):([0-9.-]{1,40}):\d{1,10}:[\w.-]{1,40}$/

export const makeRun = (): string => randomBytes(8).toString("hex")

/** `connection` distinguishes the connections of one process; the name is for people. */
export const makeTag = ({ pid, place, run, started }: Owner, connection: number, server: string): string => {
  const name = server.replace(/[^\w.-]/g, "_").slice(0, NAME_CHARS) || "_"
  return `${run}:${pid}:${started}:${place}:${connection}:${name}`
}

/** Parses the variable and ignores anything else in it. */
export const parseTags = (value: string): ReadonlyArray<Tag> =>
  value
    .split(" ")
    .slice(-TAGS_MAX)
    .flatMap((text) => {
      const [, run, pid, started, place] = TAG.exec(text) ?? []
      return run === undefined || place === undefined
        ? []
        : [{ text, owner: { run, pid: Number(pid), started: Number(started), place } }]
    })

const IN_TEXT = new RegExp(
  String.raw`${TAG_VARIABLE}["']?\s{0,2}[=:]\s{0,2}["']?|[0-9a-f]{16}:\d{1,10}:\d{1,15}:[0-9.-]{1,40}:\d{1,10}:[\w.-]{1,40}`,
  "g"
)

/** Removes tags from the text of a server that prints its environment. */
export const withoutTags = (text: string): string => text.replace(IN_TEXT, "")

/** The value for a child: our owners are its owners too. */
export const withTag = (inherited: string | undefined, tag: string): string =>
  [
    ...parseTags(inherited ?? "")
      .slice(-(TAGS_MAX - 1))
      .map(({ text }) => text),
    tag
  ].join(" ")
