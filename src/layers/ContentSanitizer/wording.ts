/** How the wording of one language is written down: what to look for, and what says cheaply whether it can be there. */

/** One of `stems`, in lower case, stands in every match of `patterns`. Without stems the script decides. */
export interface Wording {
  readonly stems: ReadonlyArray<string>
  readonly patterns: ReadonlyArray<string>
}

export interface Language {
  readonly name: string
  /** Characters that only texts in such a language have. Languages in Latin letters have stems instead. */
  readonly script?: RegExp
  /** Tells the reader to drop what it was told. */
  readonly override: Wording
  /** Gives the reader another role. */
  readonly role: Wording
  /** Speaks of the system prompt. */
  readonly prompt: Wording
}

/** Up to four short words between two words of a phrase. */
const WORDS = String.raw`(?:[ \t\n\r,]{1,3}[\p{L}\p{M}'’-]{1,14}){0,4}?[ \t\n\r,]{1,3}`
/** Up to twelve characters between two words, for scripts without spaces. */
const CHARACTERS = String.raw`[^。！？.!?\n]{0,12}?`

const inOrder = (between: string, parts: ReadonlyArray<string>) => parts.map((part) => `(?:${part})`).join(between)

/** Alternatives that follow one another in a sentence, the first at the beginning of a word. */
export const words = (...parts: ReadonlyArray<string>) => String.raw`(?<!\p{L})${inOrder(WORDS, parts)}`

export const characters = (...parts: ReadonlyArray<string>) => inOrder(CHARACTERS, parts)

export const phrase = (alternatives: string) => String.raw`(?<!\p{L})(?:${alternatives})(?!\p{L})`
