/** The file that is edited, as it is now, and what a text in its place would mean. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute } from "node:path"
import type { ConfigIssue } from "../../../schemas/config/ConfigIssue.ts"
import { parseConfigText } from "../../../schemas/config/ConfigText.ts"
import { decodeConfig } from "../../../schemas/config/DecodeConfig.ts"
import { whyNotEdited } from "../../../schemas/config/Editable.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { type ConfigProblem, ConfigRefused } from "../../../schemas/control/ConfigFile.ts"
import { CONFIG_TEXT_MAX_CHARS } from "../../../schemas/defaults/Control.ts"
import { readText } from "../../../system/configFile.ts"
import { isOpenclaws } from "../../../system/openclawFile.ts"

export interface Place {
  readonly path: string
  readonly isThere: boolean
  /** Empty without a file. */
  readonly text: string
  readonly hash: string
  /** Why it is not edited, in words. */
  readonly locked: string | undefined
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const refused = (reason: ConfigRefused["reason"], detail: string) => new ConfigRefused({ reason, detail })

const lockOf = (path: string, text: string): string | undefined => {
  if (/\.(?:toml|ya?ml)$/i.test(path)) return `${path} is not JSON: change it with an editor`
  if (text.length > CONFIG_TEXT_MAX_CHARS) return `${path} is too long to be edited here`
  const parsed = parseConfigText(text)
  const value = Result.isSuccess(parsed) ? parsed.success.value : undefined
  return whyNotEdited({ path, shown: path, value, isOpenclaws: isOpenclaws(path) })
}

/** The file of the configuration that runs. */
export const placeOf = Effect.fnUntraced(function* ({ file }: GatewayConfig): Effect.fn.Return<Place, ConfigRefused> {
  if (!isAbsolute(file)) return yield* refused("locked", "the configuration of this gateway is not a file")
  const path = yield* Effect.promise(() => realpath(file).catch(() => file))
  if (!existsSync(path)) return { path, isThere: false, text: "", hash: hashOf(""), locked: lockOf(path, "") }
  const text = yield* Effect.mapError(readText(path, path), ({ message }) => refused("failed", message))
  return { path, isThere: true, text, hash: hashOf(text), locked: lockOf(path, text) }
})

/** The file, if it may be edited. */
export const editablePlace = (config: GatewayConfig) =>
  Effect.flatMap(placeOf(config), (place) =>
    place.locked === undefined ? Effect.succeed(place) : refused("locked", place.locked)
  )

export interface Meaning {
  readonly config: GatewayConfig | undefined
  readonly problems: ReadonlyArray<ConfigProblem>
  readonly warnings: ReadonlyArray<ConfigProblem>
}

const problemOf = ({ line, message, path }: ConfigIssue): ConfigProblem => ({ line, path, message })

/** What a text means as the configuration at `path`. */
export const meaningOf = (text: string, path: string): Meaning => {
  const parsed = parseConfigText(text)
  if (Result.isFailure(parsed)) {
    const { line, message } = parsed.failure
    return { config: undefined, problems: [{ line, path: "", message }], warnings: [] }
  }
  const { lines, value } = parsed.success
  const context = { file: path, shownFile: path, lines, directory: dirname(path), home: homedir(), env: process.env }
  const decoded = decodeConfig(value, { ...context, isThere: existsSync })
  if (Result.isFailure(decoded)) {
    const { issues, warnings = [] } = decoded.failure
    return { config: undefined, problems: issues.map(problemOf), warnings: warnings.map(problemOf) }
  }
  const { faults = [], warnings } = decoded.success
  return { config: decoded.success, problems: [], warnings: [...faults, ...warnings].map(problemOf) }
}
