/**
 * What stands where a secret was taken out. Somebody who reads such a text and writes it back would put the mask over the
 * value, so a mask is no value: not in a configuration, and not in the arguments of a call. Pure.
 */

/** What this program writes, what OpenClaw writes into configurations that it shows, and what Effect shows of a `Redacted`. */
const OURS = String.raw`(?:\[REDACTED\]|__OPENCLAW_REDACTED__|<redacted(?::[^<>\r\n]{0,64})?>)`

/** `Bearer [REDACTED]` is a mask as well. */
const SCHEME = String.raw`(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey)[ \t]+)?`

/** Stars and dots, also with the first or last few characters beside them; not one or two stars, which are patterns. */
const STARS = String.raw`[*•●∙·]{3,}|[*•●]{4,}[A-Za-z0-9]{1,4}|[A-Za-z0-9]{1,4}[*•●]{4,}|[xX]{8,}`

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

// ---- in arguments --------------------------------------------------------------------------------------------------

const ANY_OF_OURS = new RegExp(OURS)

/** All that there is of a text. */
const ALONE = new RegExp(String.raw`^\s*${SCHEME}(?:${OURS}\s*)+$`)

/** After what a value follows, up to where a value ends: `TOKEN=…`, `"token": "…"`, `token: …`, `?key=…&`, `<key>…</key>`. */
const AS_VALUE = new RegExp(
  [
    // Between quotes, alike on both sides; those of JSON within JSON have backslashes.
    String.raw`(\\{0,3}["'\x60])${SCHEME}${OURS}+\1`,
    String.raw`[=:][ \t]*(?:\\{0,3}["'\x60])?${SCHEME}${OURS}+(?=[ \t]*(?:$|[\r\n,;&@}\])"'\x60#]|\\[nr"]))`,
    String.raw`>\s*${SCHEME}${OURS}+\s*</`
  ].join("|"),
  "m"
)

/**
 * Whether one of our masks (not one of other programs, which may be the text that is meant) stands in a text of arguments
 * where a value is expected. Prose that speaks of a mask is no such text.
 */
export const hasMaskForValue = (text: string): boolean =>
  ANY_OF_OURS.test(text) && (ALONE.test(text) || AS_VALUE.test(text))
