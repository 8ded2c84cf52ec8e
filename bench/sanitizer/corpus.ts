/** The two corpora of the score, written for it: what hostile servers send, and what honest ones do. */
import { createHash } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"

export interface Item {
  readonly id: string
  /** BCP 47 primary tag, `und` where there is none. */
  readonly language: string
  readonly text: string
  /** Of an attack with a form of its own (marker, token, hidden, ansi): the part of the text that is the attack. */
  readonly target?: string
}

/** Items by class: the name of the file. */
export type Corpus = ReadonlyMap<string, ReadonlyArray<Item>>

export const loadCorpus = (name: "attacks" | "benign"): Corpus => {
  const folder = new URL(`corpus/${name}/`, import.meta.url)
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
  return new Map(
    files.map((file) => [
      file.slice(0, -".json".length),
      JSON.parse(readFileSync(new URL(file, folder), "utf8")) as ReadonlyArray<Item>
    ])
  )
}

/**
 * Half of the items are for improving the patterns; the other half is only ever counted, and what was missed in it is not
 * looked at. By a hash of the id, so that nobody chooses.
 */
export const isHeldOut = ({ id }: Item): boolean => createHash("sha256").update(id).digest()[0]! % 2 === 1
