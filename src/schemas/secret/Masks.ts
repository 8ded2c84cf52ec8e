/**
 * What stands where a secret was taken out. Somebody who reads such a text and writes it back would put the mask over the
 * value, so a mask is no value: not in a configuration, and not in the arguments of a call. Pure.
 */

import { soundsLikeCredential } from "./CredentialNames.ts"
import { SECRET_LOOKS_MAX } from "../defaults/Secrets.ts"
import { atOnce, type InTurns } from "../data/InTurns.ts"

/** What this program writes, what OpenClaw writes into configurations that it shows, and what Effect shows of a `Redacted`. */
const OURS = String.raw`(?:\[REDACTED\]|__OPENCLAW_REDACTED__|<redacted(?::[^<>\r\n]{0,64})?>)`

/** `Bearer [REDACTED]` is a mask as well. */
const SCHEME = String.raw`(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey)[ \t]+)?`

/** Stars and dots, also with the first or last few characters beside them; not one or two stars, which are patterns. */
const STARS = String.raw`[*•●∙·]{3,}|[A-Za-z0-9_-]{0,8}[*•●]{4,}[A-Za-z0-9]{0,8}|[xX]{8,}`

/** A word in brackets or between stars; bare ones only as `kubectl` writes them. */
const WORDS = ["redacted", "masked", "hidden", "filtered", "secret", "sensitive(?: value)?"].flatMap((word) => {
  const either = [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)].join("|")
  return [String.raw`[[<(] ?(?:${either}) ?[\]>)]`, String.raw`\*{2,}(?:${either})\*{2,}`]
})
const BARE = String.raw`REDACTED|DATA\+OMITTED|__[A-Z]{2,20}_REDACTED__`

const WHOLE = new RegExp(`^${SCHEME}(?:(?:${OURS}\\s*)+|${STARS}|${WORDS.join("|")}|${BARE})$`)

/** Longer texts are values, whatever they look like. */
const MASK_MAX_CHARS = 256

/** Whether a whole value is nothing but a mask: one of ours, or one that other programs write. */
export const isMask = (value: string): boolean => value.length <= MASK_MAX_CHARS && WHOLE.test(value.trim())

/** Nothing but stars, or a word. */
const BARE_WHOLE = new RegExp(String.raw`^(?:[*•●∙·]+|[A-Za-z +_]+|${WORDS.join("|")})$`)

/** Whether a mask might also be meant as it is, where no credential is expected: a pattern, a word, the name of a filter. */
export const isAmbiguousMask = (mask: string): boolean => {
  const text = mask.trim()
  return BARE_WHOLE.test(text) && !ALONE.test(text)
}

// ---- in arguments --------------------------------------------------------------------------------------------------

/** All that there is of a text. */
const ALONE = new RegExp(String.raw`^\s*${SCHEME}(?:${OURS}\s*)+$`)
const EACH = new RegExp(`${OURS}+`, "g")

/** What is written somewhere by these arguments, whatever it is; what is searched for has other names. */
const WRITTEN = /^(?:(?:new|file)[_-]?)?(?:value|contents?|text|data|body|str(?:ing)?)$/i
/** A variable of an environment. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/

/** Names of what stands for masks themselves: `const MASK = "[REDACTED]"`. */
const OF_MASKS = /mask|redact|placeholder/i

/** How far around a mask is looked. */
const BEFORE_CHARS = 192
const AFTER_CHARS = 80

const QUOTE = String.raw`\\{0,3}["']`
/** `token:`, `"token": "`, `TOKEN=`, `env["TOKEN"] = "`, `token: string = "`, up to the mask. */
const KEYED = new RegExp(
  String.raw`(?:(?<quoted>${QUOTE})(?<text>[^"'\\\r\n]{1,64})\k<quoted>\]?|(?<name>[\w.$-]{1,64}))` +
    String.raw`(?:[ \t]*:[ \t]*[A-Za-z]\w{0,31}(?=[ \t]*=))?[ \t]{0,16}(?<sign>:?=>?|:)[ \t]{0,16}` +
    String.raw`(?<opened>${QUOTE}|)${SCHEME}$`
)
/** Where a key may begin that has no quotes. */
const KEY_PLACE = /(?:^|[\r\n{,;?&("'[]|\\[nrt])[ \t]*(?:-[ \t]+)?$/
const OPTION = new RegExp(String.raw`(?:^|[\s"'\x60])--?([\w-]{1,64})[ \t]{1,16}(?:${QUOTE}|)${SCHEME}$`)
const USER_INFO = /:\/\/(?:[^\s/@:]{0,64}:)?$/
const VALUE_ENDS = /^[ \t]*(?:$|[\r\n,;&@}\])"'`#]|\\[nr"'])/
const CLOSING_TAG = /^\s{0,16}<\/([\w:.-]{1,64})/
const AFTER_TAG = />\s{0,16}$/
/** They mark up prose. */
const PROSE_TAGS = /^(?:a|b|code|dd|div|em|i|kbd|li|p|pre|samp|span|strong|td|th|tt)$/i

/** `: ` also stands in prose, so what stands before must be a key by its place or its looks. */
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
 * Whether one of our masks (not one of other programs, which may be the text that is meant) stands in a text of arguments
 * where a value is expected. Prose and code that speak of a mask are no such texts. A text that is a mask and nothing else
 * is one by the name of its argument (`key`), and where it has none.
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

/** The same at once. */
export const hasMaskForValue = (text: string, key?: string): boolean => atOnce(seekMaskForValue(text, key))
