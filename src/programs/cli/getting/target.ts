/** The configuration that a command edits: the one that mcp-live uses here, if it may be edited. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import type { Target } from "../../../schemas/config/EditServers.ts"
import { readConfigFile } from "../../../system/configFile.ts"
import { isOpenclaws } from "../../../system/openclawFile.ts"
import { root, UsageError } from "../command.ts"
import { shownFile } from "../clients/shown.ts"

export interface Editable {
  readonly target: Target
  /** The file as a person sees it. */
  readonly shown: string
  /** Empty without a file. */
  readonly text: string
  readonly isThere: boolean
}

/** The file that is used here; one that would be, if there is none. */
export const fileUsed = Effect.fnUntraced(function* () {
  const { config } = yield* root
  const { findFile } = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  const found = yield* findFile({ path: Option.getOrUndefined(config) })
  return resolve(found ?? join(dataDirectory(), "openclaw.json"))
})

/** Files of other programs are left to them: they have other words, and other programs rely on them. */
export const editable = Effect.fnUntraced(function* (file?: string) {
  const { agent } = yield* root
  const home = homedir()
  const path = file ?? (yield* fileUsed())
  const shown = shownFile(path, home)
  const target: Target = { path, env: process.env, home, agent: Option.getOrUndefined(agent) }
  const isThere = existsSync(path)
  // An empty file is a configuration without anything in it here, as it is for an editor.
  const isEmpty = !isThere || statSync(path).size === 0
  const { text, value } = isEmpty ? { text: "", value: undefined } : yield* readConfigFile(path, shown)
  const { whyNotEdited } = yield* Effect.promise(() => import("../../../schemas/config/Editable.ts"))
  const reason = whyNotEdited({ path, shown, value, isOpenclaws: isOpenclaws(path) })
  if (reason !== undefined) return yield* new UsageError({ message: reason })
  return { target, shown, text, isThere } satisfies Editable
})
