/**
 * Holds the secret values of this process and their owners. Masks them in all output, and detects when a text for a server
 * contains somebody else's secret. Values only go in: there is no way to read one.
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
  /** Whether it may never leave this process. */
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

  /** Drops those that were released first and rebuilds the search, because nothing can be removed from it. */
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

  /**
   * Values of others, and the owner's own values that may contain them: a part of an own value reveals nothing new to the owner.
   */
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
      // A value that is part of the mask, or contains it, cannot be masked: each pass would find it again.
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
        // After those that were released before.
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

/** Holds the secret values of this process. Values go in; there is no way to read one. */
export const layer: Layer.Layer<Redactor> = Layer.sync(Redactor, make)
