/** Who holds a lock, so that another process can tell whether they still do, and one holding from the next. */
import { isObject } from "../../../schemas/data/Json.ts"
import { readProcessOwner, thisProcess, type ProcessOwner } from "../../../system/processOwner.ts"

export interface Owner extends ProcessOwner {
  readonly nonce: string
}

export const ownerHere = (nonce: string): Owner => ({ ...thisProcess(), nonce })

export const readOwner = (text: string): Owner | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const owner = readProcessOwner(value)
    const nonce = isObject(value) ? value["nonce"] : undefined
    return owner === undefined || typeof nonce !== "string" ? undefined : { ...owner, nonce }
  } catch {
    return undefined
  }
}
