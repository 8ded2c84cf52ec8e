/**
 * Renders the arguments of a call for the person who approves it: they must see what will be sent. One line of JSON for each
 * argument; invisible characters are escaped instead of removed, and a cut is marked and keeps the end, where something could
 * be hidden. Pure; the work is limited by what is shown, plus one pass over each value.
 */
import {
  APPROVAL_ARGUMENTS_MAX,
  APPROVAL_ARGUMENTS_MAX_CHARS,
  APPROVAL_NAME_MAX_CHARS
} from "../../../schemas/defaults/Approvals.ts"
import { CUT_HEAD_SHARE, CUT_MARGIN_CHARS } from "../../../schemas/defaults/Texts.ts"
import { shareOut } from "../../../schemas/content/ServerText.ts"

type Redact = (text: string) => string

/** Controls, direction marks, variation selectors, tags, unusual blanks: everything that is invisible. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const escape = (text: string): string =>
  text.replace(UNSEEN, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )

/** Masks a secret even if invisible characters interrupt it. */
const mask = (text: string, redact: Redact): string => {
  const masked = redact(text)
  const bare = masked.replace(UNSEEN, "")
  if (bare === masked) return masked
  const whole = redact(bare)
  return whole === bare ? escape(masked) : whole
}

/** Never splits a surrogate pair. */
const cut = (text: string, maxChars: number, left: number): string => {
  const head = Math.floor(maxChars * CUT_HEAD_SHARE)
  const tail = maxChars - head
  const gone = left + text.length - maxChars
  return `${text.slice(0, head).toWellFormed()} [… ${gone} characters are not shown …] ${text.slice(text.length - tail).toWellFormed()}`
}

interface Shown {
  readonly text: string
  /** Characters in the middle that were not examined. */
  readonly left: number
}

/** Masks before cutting, because half a secret would not be found. */
const look = (json: string, redact: Redact): Shown => {
  const room = APPROVAL_ARGUMENTS_MAX_CHARS + CUT_MARGIN_CHARS
  if (json.length <= 2 * room) return { text: mask(json, redact), left: 0 }
  const [head, tail] = [mask(json.slice(0, room), redact), mask(json.slice(-room), redact)]
  return { text: head + tail, left: json.length - 2 * room }
}

const nameOf = (key: string, redact: Redact): string => {
  const name = mask(key.slice(0, APPROVAL_NAME_MAX_CHARS + CUT_MARGIN_CHARS), redact)
  const short = name.length <= APPROVAL_NAME_MAX_CHARS ? name : `${name.slice(0, APPROVAL_NAME_MAX_CHARS)}…`
  return /^[\w.-]+$/.test(short) ? short : JSON.stringify(short.toWellFormed())
}

/**
 * Lines without control characters; empty without arguments. Throws for values that JSON cannot represent, like sending them would.
 */
export const showArguments = (args: Readonly<Record<string, unknown>>, redact: Redact): string => {
  const keys = Object.keys(args)
  const given = keys.slice(0, APPROVAL_ARGUMENTS_MAX).flatMap((key) => {
    const json: string | undefined = JSON.stringify(args[key])
    return json === undefined ? [] : [{ name: nameOf(key, redact), ...look(json, redact) }]
  })
  const shares = shareOut(
    given.map(({ text }) => text.length),
    APPROVAL_ARGUMENTS_MAX_CHARS
  )
  const more = keys.length - APPROVAL_ARGUMENTS_MAX
  return [
    ...given.map(
      ({ left, name, text }, i) => `${name}: ${text.length + left <= shares[i]! ? text : cut(text, shares[i]!, left)}`
    ),
    ...(more > 0 ? [`[… ${more} more arguments are not shown …]`] : [])
  ].join("\n")
}
