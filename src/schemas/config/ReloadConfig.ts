/** `reload`: whether a gateway that runs follows changes of its configuration. */
import type * as Schema from "effect/Schema"
import { flag, key } from "./Keys.ts"
import { hasSome, section } from "./Sections.ts"

const KEYS = {
  watch: key(
    flag,
    true,
    "whether changes take effect when the file is saved; without it, `mcp-live reload` applies them"
  )
}

/** Whether a gateway that runs follows changes of its configuration. */
export interface ReloadConfig extends Schema.Struct.Type<typeof KEYS> {}

export const RELOAD = section("reload", KEYS, (value) => hasSome(value, ["watch"]))

export const DEFAULT_RELOAD: ReloadConfig = RELOAD.defaults
