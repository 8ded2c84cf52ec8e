/** A redactor that masks nothing and remembers what it was told, each value once for each owner. */
import * as Layer from "effect/Layer"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { inOneTurn } from "../../../support/redactor.ts"

export const recordingRedactor = () => {
  const registered: Array<readonly [value: string, owner: string | undefined]> = []
  const layer = Layer.succeed(Redactor, {
    register: (value, owner) => {
      if (!registered.some(([known, of]) => known === value && of === owner)) registered.push([value, owner])
      return true
    },
    release: () => {},
    holdsForeign: () => false,
    isEmpty: () => registered.length === 0,
    version: () => registered.length,
    redact: (text) => text,
    ...inOneTurn
  })
  return { layer, registered }
}
