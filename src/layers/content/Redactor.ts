/**
 * Knows the secret values of this process, and who may have each. Takes them out of any text that leaves, and tells when a
 * text on its way to a server would tell it somebody else's. Values only ever come in: nothing here can be asked for one.
 */
import * as Layer from "effect/Layer"
import { SECRET_WINDOW_CHARS, SECRETS_RELEASED_MAX } from "../../schemas/defaults/Secrets.ts"
import { atOnce, type InTurns } from "../../schemas/data/InTurns.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import * as Finder from "./Redactor/find.ts"
import { covered, covering, replaceAll, replacing } from "./Redactor/spans.ts"
import { variantsOf, worthMasking } from "./Redactor/variants.ts"

const MASK = "[REDACTED]"

interface Secret {
  readonly owners: Set<string>
  /** Whether it is nobody's outside of this process, as long as that lives. */
  lasts: boolean
  guarded: boolean
}

const always = () => true
const isShort = (text: string) => text.length <= SECRET_WINDOW_CHARS
const isReleased = ({ lasts, owners }: Secret): boolean => !lasts && owners.size === 0
const isGuarded = (secret: Secret): boolean => secret.guarded && !isReleased(secret)

const make = () => {
  let finder = Finder.make<Secret>()
  let version = 0
  const known = new Map<string, Secret>()

  /** Those that were released first go; the others are put together anew, since nothing can be taken out of a search. */
  const forgetReleased = () => {
    const released = [...known].filter(([, secret]) => isReleased(secret))
    if (released.length <= SECRETS_RELEASED_MAX) return
    for (const [value] of released.slice(0, released.length - SECRETS_RELEASED_MAX / 2)) known.delete(value)
    finder = Finder.make<Secret>()
    for (const [value, secret] of known) finder.add(variantsOf(value), secret)
  }

  function* redactInTurns(text: string): InTurns<string> {
    const replaced = replacing(text, MASK)
    for (const { places, settled } of finder.turns(text, [always])) {
      replaced.add(places[0]!, settled)
      yield
    }
    return replaced.end()
  }

  /** What is somebody else's, and what covers it: a value within one of its own is nothing new to the owner. */
  const soughtFor = (owner: string) => {
    const isOwn = (secrets: ReadonlyArray<Secret>) => secrets.some(({ owners }) => owners.has(owner))
    const isForeign = (secrets: ReadonlyArray<Secret>) => secrets.some(isGuarded) && !isOwn(secrets)
    return [isForeign, isOwn] as const
  }

  const holdsForeignAtOnce = (text: string, owner: string) => {
    const [isForeign, isOwn] = soughtFor(owner)
    const foreign = finder.find(text, isForeign)
    return foreign.length > 0 && !covered(foreign, finder.find(text, isOwn))
  }

  function* holdsForeignInTurns(text: string, owner: string): InTurns<boolean> {
    const own = covering()
    for (const { places, settled } of finder.turns(text, soughtFor(owner))) {
      if (!own.add(places[0]!, places[1]!, settled)) return true
      yield
    }
    return false
  }

  return Redactor.of({
    register: (value, owner, options) => {
      // What is part of a mask, or has one in it, cannot be masked: each pass would find it again.
      if (!worthMasking(value) || MASK.includes(value.trim()) || value.includes(MASK)) return false
      const secret = known.get(value) ?? { owners: new Set<string>(), lasts: false, guarded: false }
      if (owner === undefined) secret.lasts = true
      else secret.owners.add(owner)
      if (options?.guarded !== false) secret.guarded = true
      if (!known.has(value)) {
        version++
        known.set(value, secret)
        finder.add(variantsOf(value), secret)
      }
      return true
    },
    release: (owner) => {
      for (const [value, secret] of known) {
        if (!secret.owners.delete(owner) || !isReleased(secret)) continue
        // Behind those that were released before.
        known.delete(value)
        known.set(value, secret)
      }
      forgetReleased()
    },
    isEmpty: () => known.size === 0,
    version: () => version,
    redact: (text) => (isShort(text) ? replaceAll(text, finder.find(text, always), MASK) : atOnce(redactInTurns(text))),
    redactInTurns,
    holdsForeign: (text, owner) =>
      isShort(text) ? holdsForeignAtOnce(text, owner) : atOnce(holdsForeignInTurns(text, owner)),
    holdsForeignInTurns
  })
}

/** Knows the secret values of this process. Values go in; nothing can be asked for one. */
export const layer: Layer.Layer<Redactor> = Layer.sync(Redactor, make)
