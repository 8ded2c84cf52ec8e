/**
 * Checks what is about to be sent to a server for secrets of others, and for masks that would overwrite a value. Keys are
 * checked like values. Numbers are read as text, and lists of bytes, characters or short texts as the text that they spell. A
 * secret that is split over several strings is not found. If the check fails, nothing is sent.
 */
import * as Effect from "effect/Effect"
import {
  ARGUMENT_PATH_KEY_MAX_CHARS,
  SECRET_LOOK_MS,
  SECRET_LOOKS_MAX,
  SECRET_WINDOW_CHARS
} from "../../../schemas/defaults/Secrets.ts"
import { CUT_MARGIN_CHARS, LABEL_MAX_CHARS, SHOWN_URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "../../../schemas/defaults/Wire.ts"
import { hasMaskForValue, seekMaskForValue } from "../../../schemas/secret/Masks.ts"
import { SecretInArguments } from "../../../schemas/call/CallError.ts"
import { textsInTurns } from "../../../schemas/data/PrimitiveLists.ts"
import { ownerOf, type ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { Redactor } from "../../../services/content/Redactor.ts"
import { inTurns } from "../../../system/inTurns.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"

/**
 * Fails when `args` must not be sent to a server, and when that cannot be determined; returns `LET_THROUGH` when it is clear
 * at once. `subject` is the exposed name of a tool or prompt, or a URI. Large arguments are checked in steps.
 */
export type Guard = (config: ServerConfig, subject: string, args: unknown) => Effect.Effect<void, SecretInArguments>

export const LET_THROUGH: Effect.Effect<void> = Effect.void

/** Too long to check without yielding. */
const isLong = (text: string) => text.length > SECRET_WINDOW_CHARS

/** Checks in steps, and may return a finding. */
type Looking<A> = InTurns<A | undefined>

/** A node on the path from the root of the arguments to a string. */
interface Step {
  readonly up: Step | undefined
  readonly node: object
  /** Its key in the parent node. */
  readonly key: string | number
  readonly depth: number
}

type Guilt = SecretInArguments["what"]

interface Found {
  readonly what: Guilt
  readonly path: string
}

const NO_TEXTS: ReadonlyArray<string> = []
const UNREAD: Found = { what: "unread", path: "" }
/** How much of a subject is checked, of which only the beginning is shown. */
const SUBJECT_READ_CHARS = SHOWN_URI_MAX_CHARS + CUT_MARGIN_CHARS
const PLAIN_KEY = /^[\w$-]+$/

/** `tell` is called for each refusal; `lookMs` records the time of the check itself, without waiting for others. */
export const makeGuard = (
  redactor: Redactor["Service"],
  tell: (refusal: SecretInArguments) => void = () => {},
  lookMs: number = SECRET_LOOK_MS
): Guard => {
  const guilt = (text: string, owner: string, key?: string): Guilt | undefined =>
    redactor.holdsForeign(text, owner) ? "secret" : hasMaskForValue(text, key) ? "mask" : undefined

  function* guiltInTurns(text: string, owner: string, key?: string): Looking<Guilt> {
    if (yield* redactor.holdsForeignInTurns(text, owner)) return "secret"
    return (yield* seekMaskForValue(text, key)) ? "mask" : undefined
  }

  /** The error goes elsewhere, so it must not contain a secret that only the server may have. */
  const shownKey = (key: string | number): string => {
    if (typeof key === "number") return `[${key}]`
    const masked = redactor.redact(key)
    const isLong = masked.length > ARGUMENT_PATH_KEY_MAX_CHARS
    if (PLAIN_KEY.test(masked) && !isLong) return `.${masked}`
    const cut = isLong ? `${masked.slice(0, ARGUMENT_PATH_KEY_MAX_CHARS)}…` : masked
    return `[${JSON.stringify(cut.toWellFormed())}]`
  }

  /** `headers.token`, `items[2]`, `env["my key"]`. */
  const pathOf = (step: Step, last?: string | number): string => {
    const keys: Array<string | number> = last === undefined ? [] : [last]
    for (let at = step; at.up !== undefined; at = at.up) keys.push(at.key)
    return keys.toReversed().map(shownKey).join("").replace(/^\./, "")
  }

  function* find(args: unknown, owner: string): Looking<Found> {
    if (typeof args === "string") {
      const what = isLong(args) ? yield* guiltInTurns(args, owner) : guilt(args, owner)
      return what === undefined ? undefined : { what, path: "" }
    }
    if (typeof args !== "object" || args === null) return undefined
    const steps: Array<Step> = [{ up: undefined, node: args, key: "", depth: 1 }]
    let [seen, looks, chars] = [0, 0, 0]
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { node } = step
      // Arguments that are too large to check, or cyclic, are not sent either.
      if (++seen > JSON_MAX_NODES || step.depth > JSON_MAX_DEPTH) return { what: "secret", path: "" }
      const inList = Array.isArray(node)
      for (const text of inList ? yield* textsInTurns(node) : NO_TEXTS) {
        const isForeign = isLong(text)
          ? yield* redactor.holdsForeignInTurns(text, owner)
          : redactor.holdsForeign(text, owner)
        if (isForeign) return { what: "secret", path: pathOf(step) }
      }
      for (const key of inList ? node.keys() : Object.keys(node)) {
        // A mask as a key overwrites no value.
        if (typeof key === "string") {
          const isForeign = isLong(key)
            ? yield* redactor.holdsForeignInTurns(key, owner)
            : redactor.holdsForeign(key, owner)
          if (isForeign) return { what: "secret", path: pathOf(step) }
        }
        const value: unknown = Reflect.get(node, key)
        if (typeof value === "string") {
          const name = typeof key === "string" ? key : undefined
          const what = isLong(value) ? yield* guiltInTurns(value, owner, name) : guilt(value, owner, name)
          if (what !== undefined) return { what, path: pathOf(step, key) }
          chars += value.length
        } else if (typeof value === "number") {
          if (redactor.holdsForeign(String(value), owner)) return { what: "secret", path: pathOf(step, key) }
        } else if (typeof value === "object" && value !== null)
          steps.push({ up: step, node: value, key, depth: step.depth + 1 })
        if (++looks % SECRET_LOOKS_MAX === 0 || chars > SECRET_WINDOW_CHARS) {
          chars = 0
          yield
        }
      }
    }
    return undefined
  }

  const refusalOf = (config: ServerConfig, subject: string, found: Found): SecretInArguments => {
    const refusal = new SecretInArguments({
      server: config.name,
      subject: redactor.redact(subject.slice(0, SUBJECT_READ_CHARS)).slice(0, SHOWN_URI_MAX_CHARS),
      path: found.path.slice(0, LABEL_MAX_CHARS),
      what: found.what
    })
    tell(refusal)
    return refusal
  }

  return (config, subject, args) => {
    if (!config.blockSecretArguments || redactor.isEmpty()) return LET_THROUGH
    const judge = (found: Found | undefined) =>
      found === undefined ? LET_THROUGH : Effect.fail(refusalOf(config, subject, found))
    // The reason of the failure is unknown, so a secret may be in the arguments.
    const unread = Effect.suspend(() => judge(UNREAD))
    try {
      const turns = find(args, ownerOf(config))
      const first = turns.next()
      // Nearly all arguments are checked in one step.
      return first.done === true
        ? judge(first.value)
        : Effect.flatMap(
            Effect.catchDefect(inTurns(turns, { ms: lookMs, orElse: () => UNREAD }), () => Effect.succeed(UNREAD)),
            judge
          )
    } catch {
      return unread
    }
  }
}
