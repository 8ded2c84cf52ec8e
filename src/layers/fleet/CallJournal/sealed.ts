/** Arguments of calls in the database: encrypted with a key that only nodes of the fleet have, and bound to the request that they belong to. */
import * as Schema from "effect/Schema"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { reader } from "../../../schemas/data/Lenient.ts"
import type { Origin } from "../../../services/call/CallJournal.ts"
import { makeSealer } from "../../../system/sealed.ts"

const readJson = reader(Schema.fromJsonString(Schema.Unknown))

const sealerOf = (key: Buffer, { request, session }: Origin) =>
  makeSealer(key, `arguments of ${JSON.stringify([session, request])}`)

export const sealed = (key: Buffer, origin: Origin, text: string): string => sealerOf(key, origin).seal(text)

/** `undefined` for what was not sealed for this request with this key. */
export const unsealed = (key: Buffer, origin: Origin, text: string): JsonObject | undefined => {
  const opened = sealerOf(key, origin).open(text)
  const params = opened === undefined ? undefined : readJson(opened)
  return isObject(params) ? (params as JsonObject) : undefined
}
