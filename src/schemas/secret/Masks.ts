/**
 * The masks that replace secrets in texts. Somebody who reads such a text and writes it back would overwrite the value with
 * the mask. So a mask is not accepted as a value: neither in a configuration nor in the arguments of a call. Pure.
 */

import { soundsLikeCredential } from "./CredentialNames.ts"
import { SECRET_LOOKS_MAX } from "../defaults/Secrets.ts"
import { atOnce, type InTurns } from "../data/InTurns.ts"

/** What this program writes, what OpenClaw writes into displayed configurations, and what Effect shows of a `Redacted`. */
const OURS = String.raw`(?:\[REDACTED\]|__OPENCLAW_REDACTED__|<redacted(?::[^<>\r\n]{0,64})?>)`

/** `Bearer [REDACTED]` is a mask as well. */
const SCHEME = String.raw`(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey)[ \t]+)?`

/** Stars and dots, also with a few of the first or last characters; one or two stars are patterns instead. */
const STARS = String.raw`[*•●∙·]{3,}|[A-Za-z0-9_-]{0,8}[*•●]{4,}[A-Za-z0-9]{0,8}|[xX]{8,}`

/** A word in brackets or between stars; unbracketed only as `kubectl` writes them. */
const WORDS = ["redacted", "masked", "hidden", "filtered", "secret", "sensitive(?: value)?"].flatMap((word) => {
  const either = [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)].join("|")
  return [String.raw`[[<(] ?(?:${either}) ?[\]>)]`, String.raw`\*{2,}(?:${either})\*{2,}`]
})
const BARE = String.raw`REDACTED|DATA\+OMITTED|__[A-Z]{2,20}_REDACTED__`

const WHOLE = new RegExp(`^${SCHEME}(?:(?:${OURS}\\s*)+|${STARS}|${WORDS.join("|")}|${BARE})$`)

/** Longer texts are values, whatever they look like. */
const MASK_MAX_CHARS = 256

/** Whether a whole value is a mask: one of ours, or of other programs. */
export const isMask = (value: string): boolean => value.length <= MASK_MAX_CHARS && WHOLE.test(value.trim())

/** Only stars, or a word. */
const BARE_WHOLE = new RegExp(String.raw`^(?:[*•●∙·]+|[A-Za-z +_]+|${WORDS.join("|")})$`)

/** Whether a mask could also be meant literally where no credential is expected: a pattern, a word, the name of a filter. */
export const isAmbiguousMask = (mask: string): boolean => {
  const text = mask.trim()
  return BARE_WHOLE.test(text) && !ALONE.test(text)
}

// ---- in arguments --------------------------------------------------------------------------------------------------

/** The whole text. */
const ALONE = new RegExp(String.raw`^\s*${SCHEME}(?:${OURS}\s*)+$`)
const EACH = new RegExp(`${OURS}+`, "g")

/** Arguments whose value is written somewhere. Arguments for searching have other names. */
const WRITTEN = /^(?:(?:new|file)[_-]?)?(?:value|contents?|text|data|body|str(?:ing)?)$/i
/** A variable of an environment. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/

/** Names for masks themselves: `const MASK = "[REDACTED]"`. */
const OF_MASKS = /mask|redact|placeholder/i

/** How much context around a mask is examined. */
const BEFORE_CHARS = 192
const AFTER_CHARS = 80

const QUOTE = String.raw`\\{0,3}["']`
/** `token:`, `"token": "`, `TOKEN=`, `env["TOKEN"] = "`, `token: string = "`, up to the mask. */
const KEYED = new RegExp(
  String.raw`(?:(?<quoted>${QUOTE})(?<text>[^"'\\\r\n]{1,64})\k<quoted>\]?|(?<name>[\w.$-]{1,64}))` +
    String.raw`(?:[ \t]*:[ \t]*[A-Za-z]\w{0,31}(?=[ \t]*=))?[ \t]{0,16}(?<sign>:?=>?|:)[ \t]{0,16}` +
    String.raw`(?<opened>${QUOTE}|)${SCHEME}$`
)
/** Where an unquoted key may begin. */
const KEY_PLACE = /(?:^|[\r\n{,;?&("'[]|\\[nrt])[ \t]*(?:-[ \t]+)?$/
const OPTION = new RegExp(String.raw`(?:^|[\s"'\x60])--?([\w-]{1,64})[ \t]{1,16}(?:${QUOTE}|)${SCHEME}$`)
const USER_INFO = /:\/\/(?:[^\s/@:]{0,64}:)?$/
const VALUE_ENDS = /^[ \t]*(?:$|[\r\n,;&@}\])"'`#]|\\[nr"'])/
const CLOSING_TAG = /^\s{0,16}<\/([\w:.-]{1,64})/
const AFTER_TAG = />\s{0,16}$/
/** These tags mark up prose. */
const PROSE_TAGS = /^(?:a|b|code|dd|div|em|i|kbd|li|p|pre|samp|span|strong|td|th|tt)$/i

/** `: ` also occurs in prose, so the text before it must be a key by its place or its looks. */
const isKey = (name: string, before: string): boolean =>
  soundsLikeCredential(name) || (!/^[A-Z][a-z]*$/.test(name) && KEY_PLACE.test(before))

const isForValue = (before: string, after: string): boolean => {
  if (USER_INFO.test(before) && after.startsWith("@")) return true
  const tag = AFTER_TAG.test(before) ? CLOSING_TAG.exec(after)?.[1] : undefined
  if (tag !== undefined) return !PROSE_TAGS.test(tag)
  const option = OPTION.exec(before)?.[1]
  if (option !== undefined) return soundsLikeCredential(option)
  const keyed = KEYED.exec(before)
  if (keyed === null) return false
  const { name, opened = "", sign, text } = keyed.groups ?? {}
  const key = name ?? text ?? ""
  if (OF_MASKS.test(key) && !soundsLikeCredential(key)) return false
  if (name !== undefined && sign === ":" && !isKey(name, before.slice(0, keyed.index))) return false
  if (opened !== "") return after.startsWith(opened)
  return VALUE_ENDS.test(after) || (sign !== ":" && /^\s/.test(after) && soundsLikeCredential(key))
}

/**
 * Whether one of our masks (not one of other programs, which may be meant literally) is in an argument where a value is
 * expected. Prose and code about masks do not count. A text that is only a mask counts depending on the name of its argument
 * (`key`), and always without one.
 */
export function* seekMaskForValue(text: string, key?: string): InTurns<boolean> {
  if (ALONE.test(text)) {
    return key === undefined || soundsLikeCredential(key) || WRITTEN.test(key) || VARIABLE.test(key)
  }
  let looks = 0
  for (const { 0: mask, index } of text.matchAll(EACH)) {
    const end = index + mask.length
    const before = text.slice(Math.max(0, index - BEFORE_CHARS), index)
    if (isForValue(before, text.slice(end, end + AFTER_CHARS))) return true
    if (++looks % SECRET_LOOKS_MAX === 0) yield
  }
  return false
}

/** The same without yielding. */
export const hasMaskForValue = (text: string, key?: string): boolean => atOnce(seekMaskForValue(text, key))
