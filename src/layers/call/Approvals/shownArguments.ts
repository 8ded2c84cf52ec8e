/**
 * The arguments of a call as a person is shown them before they approve it: what they see must be what is sent. A line for
 * each, in JSON; what cannot be seen is escaped, not left out, and what is cut says so and keeps its end, where something
 * may have been hidden. Pure; the work is bounded by what is shown, and by one pass over a value.
 */
import {
  APPROVAL_ARGUMENTS_MAX,
  APPROVAL_ARGUMENTS_MAX_CHARS,
  APPROVAL_NAME_MAX_CHARS
} from "../../../schemas/defaults/Approvals.ts"
import { CUT_HEAD_SHARE, CUT_MARGIN_CHARS } from "../../../schemas/defaults/Texts.ts"
import { shareOut } from "../../../schemas/content/ServerText.ts"

type Redact = (text: string) => string

/** Controls, direction marks, variation selectors, tags, blanks that are no space: whatever draws nothing of its own. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const escape = (text: string): string =>
  text.replace(UNSEEN, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )

/** A secret is masked also where it stands with something unseen in between. */
const mask = (text: string, redact: Redact): string => {
  const masked = redact(text)
  const bare = masked.replace(UNSEEN, "")
  if (bare === masked) return masked
  const whole = redact(bare)
  return whole === bare ? escape(masked) : whole
}

/** No half of a character at either end. */
const cut = (text: string, maxChars: number, left: number): string => {
  const head = Math.floor(maxChars * CUT_HEAD_SHARE)
  const tail = maxChars - head
  const gone = left + text.length - maxChars
  return `${text.slice(0, head).toWellFormed()} [… ${gone} characters are not shown …] ${text.slice(text.length - tail).toWellFormed()}`
}

interface Shown {
  readonly text: string
  /** Characters in its middle that were not even looked at. */
  readonly left: number
}

/** Masked before it is cut: half of a secret is not found. */
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

/** Lines without control characters; empty without arguments. Fails for what is no JSON by throwing, as sending it would. */
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
