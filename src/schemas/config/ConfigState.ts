/** What a running gateway says about its configuration. */
import * as Schema from "effect/Schema"
import { ConfigChange } from "./ConfigChange.ts"

export const ConfigState = Schema.Struct({
  file: Schema.String,
  /** When what runs was read, in milliseconds of the clock. */
  readAt: Schema.Finite,
  /** Whether changes of the file are followed. */
  watched: Schema.Boolean,
  /** Why the file, as it is now, cannot be used; what was read before it still runs. */
  fault: Schema.NullOr(Schema.String),
  /** What has changed since the start and takes effect only when the gateway is started again. */
  pending: Schema.Array(Schema.String)
})
export type ConfigState = typeof ConfigState.Type

/** What a reload did. */
export const Reloaded = Schema.Struct({
  change: ConfigChange,
  /** Servers that were started over because a secret of theirs has another value. */
  renewed: Schema.Array(Schema.String)
})
export type Reloaded = typeof Reloaded.Type
