/**
 * Tags say whose a process is. Every server gets one in its environment, and whatever it starts inherits it, so that a
 * process which left the tree is still known for what it is. A gateway that is itself somebody's server hands the tags of
 * its own owners on: the last tag names who started the server, all of them name whose it is.
 */
import { randomBytes } from "node:crypto"

export const TAG_VARIABLE = "MCP_LIVE_TAG"

/** The process that started a server, told apart from every other, also from a later one with the same number. */
export interface Owner {
  /** Random, one for each instance. */
  readonly run: string
  readonly pid: number
  /** Clock ticks since boot; 0 where that cannot be found out. */
  readonly started: number
  /** The namespaces in which `pid` and `started` mean something; `-` where that cannot be found out. */
  readonly place: string
}

export interface Tag {
  readonly owner: Owner
  /** The whole tag: equal for the processes of one connection. */
  readonly text: string
}

/** Gateways within gateways; of more, the outermost are left out. */
const TAGS_MAX = 8
const NAME_CHARS = 40
const TAG = /^([0-9a-f]{16}):(\d{1,10}):(\d{1,15}):([0-9.-]{1,40}):\d{1,10}:[\w.-]{1,40}$/

export const makeRun = (): string => randomBytes(8).toString("hex")

/** `connection` tells connections of one instance apart; the name is for people. */
export const makeTag = ({ pid, place, run, started }: Owner, connection: number, server: string): string => {
  const name = server.replace(/[^\w.-]/g, "_").slice(0, NAME_CHARS) || "_"
  return `${run}:${pid}:${started}:${place}:${connection}:${name}`
}

/** What stands in the variable; anything else that stands there is passed over. */
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

/** What a server that shows its environment says, without what is ours alone. */
export const withoutTags = (text: string): string => text.replace(IN_TEXT, "")

/** The value for a child: who owns us owns it, too. */
export const withTag = (inherited: string | undefined, tag: string): string =>
  [
    ...parseTags(inherited ?? "")
      .slice(-(TAGS_MAX - 1))
      .map(({ text }) => text),
    tag
  ].join(" ")
