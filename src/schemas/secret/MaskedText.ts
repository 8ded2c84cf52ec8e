/**
 * Whether a text that was configured, or that a secret turned out to be, is a mask: what a display shows in the place of a
 * value (`[REDACTED]`, `***`). Somebody has written back what was shown, and the value is lost. Looked at are the whole text
 * and what in it is a credential by its place; a mask in the midst of other text is no business of ours. Linear.
 */
import { soundsLikeCredential } from "./CredentialNames.ts"
import { isAmbiguousMask, isMask } from "./Masks.ts"

/** What stands before a credential that ends the text: `Bearer …`, `Authorization: Bearer …`, `user:…`. */
const BEFORE = /^(?:([\w.-]{1,64}):)?\s*(?:[A-Za-z][\w-]{0,31}\s+)?/
/** Between `name=value` pairs. */
const BETWEEN = /[?&;,]|\s(?=[\w.-]{1,64}=)/
const USER_INFO = /:\/\/(?:[^/?#\s@:]{0,1024}:)?([^/?#\s@:]{1,1024})@/g

/** `REDACTED`, `xxxxxxxx`: a mask where a credential belongs, and elsewhere a word as any other. */
const WORDS = /^[A-Za-z ]+$/
/** What a credential stands behind. */
const IN_PLACE = /:|^(?:bearer|basic|token|api-?key)\s/i

/** Stars and words count where `name` says that a credential belongs; all but plain words also where its place says so. */
const holds = (value: string, name: string, isPlace = false): boolean => {
  const text = value.trim()
  if (!isMask(text)) return false
  if (!WORDS.test(text) && (isPlace || !isAmbiguousMask(text))) return true
  return soundsLikeCredential(name)
}

/** `name=value` taken apart at the first sign. */
const pair = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf("=")
  return at === -1 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)]
}

const holdsPair = (text: string): boolean => {
  const [name, value] = pair(text)
  return holds(value, name)
}

/**
 * `[REDACTED]` itself, `***` for what is called a key, `Bearer ***`, `--token=***`, `user:***`, `postgres://user:***@host/db`, `Server=db;Password=***`. `name` is
 * that of the variable or the header, if there is one.
 */
export const isMaskedText = (text: string, name = ""): boolean => {
  const whole = text.trim()
  const [before = "", label = name] = BEFORE.exec(whole) ?? []
  return (
    holds(whole, name) ||
    holds(whole.slice(before.length), label, IN_PLACE.test(before)) ||
    whole.split(BETWEEN).some(holdsPair) ||
    [...whole.matchAll(USER_INFO)].some(([, password = ""]) => holds(password, "password"))
  )
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** In an address a segment of the path may be the credential, too, and masks may be percent-encoded. */
export const isMaskedUrl = (url: string): boolean =>
  isMaskedText(decoded(url)) ||
  url
    .split(/[/?#&]/)
    .map(decoded)
    .some((piece) => holds(piece, "", true) || holdsPair(piece))
