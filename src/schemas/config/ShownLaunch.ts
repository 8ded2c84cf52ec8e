/** How a server is started or reached, for a person: on one line, and without what could be a credential. Pure. */
import { clip } from "../content/Rendering.ts"
import { looksRandom } from "../secret/RandomLook.ts"
import { optionIn } from "./Resolve.ts"
import { holdsCredential } from "./ServerCredentials.ts"

const MASK = "[hidden]"

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const onOneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")

/** The words of a command line without those that could be credentials. */
export const safeWords = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, i) => (holdsCredential(optionIn(words[i - 1] ?? ""), word) || looksRandom(word) ? MASK : word))

/** An address without what is before its host and behind its path. */
export const safeUrl = (url: string): string =>
  url.replace(/[?#].*$/s, "").replace(/^([a-z][a-z0-9+.-]{0,31}:\/\/)[^/]{0,4096}@/i, "$1")

/** The program and its arguments, or the address, without what could be a credential. */
export const shownLaunch = (entry: Readonly<Record<string, unknown>>, room: number): string => {
  if (entry["command"] === undefined) return clip(onOneLine(safeUrl(textOf(entry["url"]))), room)
  const args = Array.isArray(entry["args"]) ? entry["args"].map(String) : []
  return clip(onOneLine([textOf(entry["command"]), ...safeWords(args)].join(" ")), room)
}
