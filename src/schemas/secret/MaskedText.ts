/**
 * Whether a configured text, or the value of a secret, is a mask: what a display shows in place of a value (`[REDACTED]`,
 * `***`). Then somebody saved what was displayed, and the value is lost. Checks the whole text and the parts of it where a
 * credential would be; a mask inside of other text is ignored. Linear.
 */
import { soundsLikeCredential } from "./CredentialNames.ts"
import { isAmbiguousMask, isMask } from "./Masks.ts"

/** What may precede a credential at the end of a text: `Bearer …`, `Authorization: Bearer …`, `user:…`. */
const BEFORE = /^(?:([\w.-]{1,64}):)?\s*(?:[A-Za-z][\w-]{0,31}\s+)?/
/** Between `name=value` pairs. */
const BETWEEN = /[?&;,]|\s(?=[\w.-]{1,64}=)/
const USER_INFO = /:\/\/(?:[^/?#\s@:]{0,1024}:)?([^/?#\s@:]{1,1024})@/g

/** `REDACTED`, `xxxxxxxx`: a mask where a credential belongs, elsewhere an ordinary word. */
const WORDS = /^[A-Za-z ]+$/
/** What precedes a credential. */
const IN_PLACE = /:|^(?:bearer|basic|token|api-?key)\s/i

/** Stars and words count only if `name` suggests a credential; other masks, but not plain words, also if the place suggests one. */
const holds = (value: string, name: string, isPlace = false): boolean => {
  const text = value.trim()
  if (!isMask(text)) return false
  if (!WORDS.test(text) && (isPlace || !isAmbiguousMask(text))) return true
  return soundsLikeCredential(name)
}

/** Splits `name=value` at the first `=`. */
const pair = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf("=")
  return at === -1 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)]
}

const holdsPair = (text: string): boolean => {
  const [name, value] = pair(text)
  return holds(value, name)
}

/**
 * `[REDACTED]` itself, `***` for what is called a key, `Bearer ***`, `--token=***`, `user:***`,
 * `postgres://user:***@host/db`, `Server=db;Password=***`. `name` is that of the variable or header, if any.
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

/** In a URL, a path segment may be the credential, too, and masks may be percent-encoded. */
export const isMaskedUrl = (url: string): boolean =>
  isMaskedText(decoded(url)) ||
  url
    .split(/[/?#&]/)
    .map(decoded)
    .some((piece) => holds(piece, "", true) || holdsPair(piece))
