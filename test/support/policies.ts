/** Content policies, and what a text looks like that is shown, or withheld, as one of them says. */
import { assert } from "@effect/vitest"
import type { ContentMode, ContentPolicy } from "../../src/schemas/content/ContentPolicy.ts"
import { FINDING_KINDS, type FindingKind } from "../../src/schemas/content/Finding.ts"
import { wrappedIn } from "./boundaries.ts"

export const policy = (mode: ContentMode, ...withhold: ReadonlyArray<FindingKind>): ContentPolicy => ({
  mode,
  withhold
})

/** Nothing suspicious is shown. */
export const STRICT: ContentPolicy = { mode: "delimit", withhold: FINDING_KINDS }

const BASE64 = /[A-Za-z0-9+/=\s]{16,}/g

/** What was encoded in a text. */
const decodedIn = (text: string): string =>
  (text.match(BASE64) ?? []).map((run) => Buffer.from(run, "base64").toString()).join("\n")

const lettersOf = (text: string) => text.replace(/[^A-Za-z0-9]+/g, " ").trim()

/** That `words`, some words with blanks between them, are shown in `text` as the mode has it. */
export const assertShown = (mode: ContentMode, text: string, words: string): void => {
  const wrapped = wrappedIn(text)
  assert.lengthOf(wrapped, mode === "trusted" ? 0 : 1)
  const body = wrapped[0]?.body ?? text
  switch (mode) {
    case "trusted":
    case "delimit":
      return assert.include(body, words)
    case "datamark":
      assert.notInclude(body, words)
      return assert.include(lettersOf(body), lettersOf(words))
    case "encode":
      assert.notInclude(body, words)
      return assert.include(decodedIn(body), words)
  }
}

/** What all of `text` comes from, without boundaries, marks and encoding; blanks may differ. */
export const readingOf = (mode: ContentMode, text: string): string => {
  const body = wrappedIn(text)[0]?.body ?? text
  return lettersOf(mode === "encode" ? decodedIn(body) : body)
}
