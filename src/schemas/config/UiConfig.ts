/** `ui`: the page on which a person sees and steers a gateway that runs. */
import type * as Schema from "effect/Schema"
import { PAGE_PORT } from "../defaults/Page.ts"
import { flag, key, whole } from "./Keys.ts"
import { hasSome, section } from "./Sections.ts"

const MAX_PORT = 65_535

const KEYS = {
  port: key(
    whole(`a port, 0 to ${MAX_PORT}`, 0, MAX_PORT),
    PAGE_PORT,
    "the port of the page on the loopback address; 0 means the port of last time, or any free one"
  ),
  readOnly: key(flag, false, "whether the page only shows, and changes nothing")
}

/** The page on which a person sees and steers a gateway that runs. */
export interface UiConfig extends Schema.Struct.Type<typeof KEYS> {}

/** Other programs have a `ui`, too. */
export const UI = section("ui", KEYS, (value) => hasSome(value, ["port", "readOnly"]))

export const DEFAULT_UI: UiConfig = UI.defaults
