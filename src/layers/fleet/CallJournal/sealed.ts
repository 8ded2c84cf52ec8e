/** Arguments of calls in the database: encrypted with a key that only nodes of the fleet have, and bound to the request that they belong to. */
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { reader } from "../../../schemas/data/Lenient.ts"
import type { Origin } from "../../../services/call/CallJournal.ts"

const IV_BYTES = 12
const TAG_BYTES = 16

const readJson = reader(Schema.fromJsonString(Schema.Unknown))

const boundTo = ({ request, session }: Origin): Buffer => Buffer.from(JSON.stringify([session, request]))

export const sealed = (key: Buffer, origin: Origin, text: string): string => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(origin))
  const data = [cipher.update(text, "utf8"), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...data]).toString("base64")
}

/** `undefined` for what was not sealed for this request with this key. */
export const unsealed = (key: Buffer, origin: Origin, text: string): JsonObject | undefined => {
  const all = Buffer.from(text, "base64")
  const [iv, tag] = [all.subarray(0, IV_BYTES), all.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)]
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(boundTo(origin)).setAuthTag(tag)
    const data = all.subarray(IV_BYTES + TAG_BYTES)
    const params = readJson(Buffer.concat([decipher.update(data), decipher.final()]).toString("utf8"))
    return isObject(params) ? (params as JsonObject) : undefined
  } catch {
    return undefined
  }
}
