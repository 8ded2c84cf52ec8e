/**
 * Knows the secret values of this process and takes them out of any text that leaves. Values only ever come in: nothing
 * here can be asked for one.
 */
import * as Layer from "effect/Layer"
import { SECRET_MASK_MIN_CHARS } from "../schemas/Defaults.ts"
import { Redactor } from "../services/Redactor.ts"
import * as Search from "./Redactor/search.ts"
import { variantsOf, worthMasking } from "./Redactor/variants.ts"

const MASK = "[REDACTED]"

const make = () => {
  const search = Search.make(SECRET_MASK_MIN_CHARS)
  const known = new Set<string>()

  return Redactor.of({
    register: (value) => {
      // A value that is part of the mask cannot be masked: each pass would find it again.
      if (!worthMasking(value) || MASK.includes(value.trim())) return false
      if (!known.has(value)) {
        known.add(value)
        variantsOf(value).forEach(search.add)
      }
      return true
    },
    holdsForeign: () => false,
    isEmpty: () => known.size === 0,
    redact: (text) => search.replaceAll(text, MASK)
  })
}

export const layer: Layer.Layer<Redactor> = Layer.sync(Redactor, make)
