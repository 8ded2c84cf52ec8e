/**
 * Looks at what is about to be sent to a server for secrets that are not this server's, and for masks that would be written
 * over a value. Keys count as much as values. Numbers are read as text, and lists of
 * bytes, characters or short texts as what they spell. What is split over other strings is not found.
 */
import { ARGUMENT_PATH_KEY_MAX_CHARS } from "../../schemas/defaults/Secrets.ts"
import { LABEL_MAX_CHARS, SHOWN_URI_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "../../schemas/defaults/Wire.ts"
import { hasMaskForValue } from "../../schemas/Masks.ts"
import { SecretInArguments } from "../../schemas/McpError.ts"
import { textsOf } from "../../schemas/PrimitiveLists.ts"
import { ownerOf, type ServerConfig } from "../../schemas/ServerConfig.ts"
import type { Redactor } from "../../services/Redactor.ts"

/**
 * Why `args` must not be sent to a server; `undefined` when they may. `subject` is what is asked for: the exposed name of a
 * tool or a prompt, or a URI.
 */
export type Guard = (config: ServerConfig, subject: string, args: unknown) => SecretInArguments | undefined

/** A node on the way from the root of the arguments to a string. */
interface Step {
  readonly up: Step | undefined
  readonly node: object
  /** In the node above. */
  readonly key: string | number
  readonly depth: number
}

interface Found {
  readonly what: SecretInArguments["what"]
  readonly path: string
}

const PLAIN_KEY = /^[\w$-]+$/

/** `tell` hears of each refusal. */
export const makeGuard = (
  redactor: Redactor["Service"],
  tell: (refusal: SecretInArguments) => void = () => {}
): Guard => {
  const guilt = (text: string, owner: string, key?: string): SecretInArguments["what"] | undefined =>
    redactor.holdsForeign(text, owner) ? "secret" : hasMaskForValue(text, key) ? "mask" : undefined

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

  const find = (args: unknown, owner: string): Found | undefined => {
    if (typeof args === "string") {
      const what = guilt(args, owner)
      return what === undefined ? undefined : { what, path: "" }
    }
    if (typeof args !== "object" || args === null) return undefined
    const steps: Array<Step> = [{ up: undefined, node: args, key: "", depth: 1 }]
    let seen = 0
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { node } = step
      // What is too much to be looked at, or goes in circles, is not sent either.
      if (++seen > JSON_MAX_NODES || step.depth > JSON_MAX_DEPTH) return { what: "secret", path: "" }
      const inList = Array.isArray(node)
      if (inList && textsOf(node).some((text) => redactor.holdsForeign(text, owner))) {
        return { what: "secret", path: pathOf(step) }
      }
      for (const key of inList ? node.keys() : Object.keys(node)) {
        // A mask as a key is no value.
        if (typeof key === "string" && redactor.holdsForeign(key, owner)) return { what: "secret", path: pathOf(step) }
        const value: unknown = Reflect.get(node, key)
        if (typeof value === "string") {
          const what = guilt(value, owner, typeof key === "string" ? key : undefined)
          if (what !== undefined) return { what, path: pathOf(step, key) }
        } else if (typeof value === "number") {
          if (redactor.holdsForeign(String(value), owner)) return { what: "secret", path: pathOf(step, key) }
        } else if (typeof value === "object" && value !== null)
          steps.push({ up: step, node: value, key, depth: step.depth + 1 })
      }
    }
    return undefined
  }

  return (config, subject, args) => {
    const { blockSecretArguments, name } = config
    if (!blockSecretArguments || redactor.isEmpty()) return undefined
    const found = find(args, ownerOf(config))
    if (found === undefined) return undefined
    const refusal = new SecretInArguments({
      server: name,
      subject: redactor.redact(subject).slice(0, SHOWN_URI_MAX_CHARS),
      path: found.path.slice(0, LABEL_MAX_CHARS),
      what: found.what
    })
    tell(refusal)
    return refusal
  }
}
