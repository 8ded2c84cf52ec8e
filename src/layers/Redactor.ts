/**
 * Knows the secret values of this process, and who may have each. Takes them out of any text that leaves, and tells when a
 * text on its way to a server would tell it somebody else's. Values only ever come in: nothing here can be asked for one.
 */
import * as Layer from "effect/Layer"
import { Redactor } from "../services/Redactor.ts"
import * as Finder from "./Redactor/find.ts"
import { covered, replaceAll } from "./Redactor/places.ts"
import { variantsOf, worthMasking } from "./Redactor/variants.ts"

const MASK = "[REDACTED]"

type Owners = Set<string>

const always = () => true

const make = () => {
  const { add, find } = Finder.make<Owners>()
  const known = new Map<string, Owners>()

  return Redactor.of({
    register: (value, owner) => {
      // What is part of a mask, or has one in it, cannot be masked: each pass would find it again.
      if (!worthMasking(value) || MASK.includes(value.trim()) || value.includes(MASK)) return false
      const owners = known.get(value) ?? new Set<string>()
      if (owner !== undefined) owners.add(owner)
      if (!known.has(value)) {
        known.set(value, owners)
        add(variantsOf(value), owners)
      }
      return true
    },
    isEmpty: () => known.size === 0,
    redact: (text) => replaceAll(text, find(text, always), MASK),
    holdsForeign: (text, owner) => {
      const isOwn = (values: ReadonlyArray<Owners>) => values.some((owners) => owners.has(owner))
      const foreign = find(text, (values) => !isOwn(values))
      // A value within one of its own is nothing new to the owner.
      return foreign.length > 0 && !covered(foreign, find(text, isOwn))
    }
  })
}

export const layer: Layer.Layer<Redactor> = Layer.sync(Redactor, make)
