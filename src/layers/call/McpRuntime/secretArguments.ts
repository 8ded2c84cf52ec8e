/**
 * Looks at what is about to be sent to a server for secrets that are not this server's, and for masks that would be written
 * over a value. Keys count as much as values. Numbers are read as text, and lists of
 * bytes, characters or short texts as what they spell. What is split over other strings is not found. Where looking fails,
 * nothing is sent.
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
 * Fails when `args` must not be sent to a server, and when nobody can tell; `LET_THROUGH` where that is clear at once.
 * `subject` is what is asked for: the exposed name of a tool or a prompt, or a URI. What is large is looked at in turns.
 */
export type Guard = (config: ServerConfig, subject: string, args: unknown) => Effect.Effect<void, SecretInArguments>

export const LET_THROUGH: Effect.Effect<void> = Effect.void

/** Too long for one turn. */
const isLong = (text: string) => text.length > SECRET_WINDOW_CHARS

/** Looks in turns, and may find something. */
type Looking<A> = InTurns<A | undefined>

/** A node on the way from the root of the arguments to a string. */
interface Step {
  readonly up: Step | undefined
  readonly node: object
  /** In the node above. */
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
/** What is read of a subject of which the beginning is shown. */
const SUBJECT_READ_CHARS = SHOWN_URI_MAX_CHARS + CUT_MARGIN_CHARS
const PLAIN_KEY = /^[\w$-]+$/

/** `tell` hears of each refusal. */
export const makeGuard = (
  redactor: Redactor["Service"],
  tell: (refusal: SecretInArguments) => void = () => {}
): Guard => {
  const guilt = (text: string, owner: string, key?: string): Guilt | undefined =>
    redactor.holdsForeign(text, owner) ? "secret" : hasMaskForValue(text, key) ? "mask" : undefined

  function* guiltInTurns(text: string, owner: string, key?: string): Looking<Guilt> {
    if (yield* redactor.holdsForeignInTurns(text, owner)) return "secret"
    return (yield* seekMaskForValue(text, key)) ? "mask" : undefined
  }

  /** What the server itself may have is not for an error, which goes elsewhere. */
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
      // What is too much to be looked at, or goes in circles, is not sent either.
      if (++seen > JSON_MAX_NODES || step.depth > JSON_MAX_DEPTH) return { what: "secret", path: "" }
      const inList = Array.isArray(node)
      for (const text of inList ? yield* textsInTurns(node) : NO_TEXTS) {
        const isForeign = isLong(text)
          ? yield* redactor.holdsForeignInTurns(text, owner)
          : redactor.holdsForeign(text, owner)
        if (isForeign) return { what: "secret", path: pathOf(step) }
      }
      for (const key of inList ? node.keys() : Object.keys(node)) {
        // A mask as a key is no value.
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
    // Failed, and who knows why: what was looked for may be in it.
    const unread = Effect.suspend(() => judge(UNREAD))
    try {
      const turns = find(args, ownerOf(config))
      const first = turns.next()
      // Nearly all arguments are looked through at once.
      return first.done === true
        ? judge(first.value)
        : Effect.flatMap(
            inTurns(turns).pipe(
              Effect.timeoutOrElse({ duration: SECRET_LOOK_MS, orElse: () => Effect.succeed(UNREAD) }),
              Effect.catchDefect(() => Effect.succeed(UNREAD))
            ),
            judge
          )
    } catch {
      return unread
    }
  }
}
