/** What a server says about itself in its handshake: untrusted, bounded before it is kept, and cleaned and cut when it is shown. */
import { ABOUT_CAPABILITIES_MAX_CHARS } from "../defaults/Definitions.ts"
import { LABEL_MAX_CHARS } from "../defaults/Texts.ts"
import { isObject, type JsonObject } from "../data/Json.ts"
import { keptFor } from "../content/ServerText.ts"

export interface ServerAbout {
  readonly name?: string
  readonly title?: string
  readonly version?: string
  /** As it declares them; empty if they are too large to be shown. */
  readonly capabilities: JsonObject
}

const capabilitiesIn = (value: unknown): JsonObject => {
  const text = isObject(value) ? JSON.stringify(value) : "{}"
  return text.length <= ABOUT_CAPABILITIES_MAX_CHARS ? (JSON.parse(text) as JsonObject) : {}
}

/** Of the result of `initialize` or `server/discover`. */
export const aboutIn = (result: unknown): ServerAbout => {
  const info = isObject(result) && isObject(result["serverInfo"]) ? result["serverInfo"] : {}
  const texts = (["name", "title", "version"] as const).flatMap((key) => {
    const text = info[key]
    return typeof text === "string" ? [[key, keptFor(text, LABEL_MAX_CHARS)] as const] : []
  })
  return {
    ...Object.fromEntries(texts),
    capabilities: capabilitiesIn(isObject(result) ? result["capabilities"] : undefined)
  }
}
