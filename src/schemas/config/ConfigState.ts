/** What a running gateway says about its configuration. */
import * as Schema from "effect/Schema"
import { ConfigChange } from "./ConfigChange.ts"

/** A server that keeps running with the old value of a secret. */
export const Unread = Schema.Struct({
  server: Schema.String,
  /** The reference, and why its value cannot be read now. */
  reference: Schema.String,
  detail: Schema.String
})
export type Unread = typeof Unread.Type

export const unreadLines = (unread: ReadonlyArray<Unread>): ReadonlyArray<string> =>
  unread.map(
    ({ detail, reference, server }) =>
      `server ${server} keeps the old value of ${reference}, which cannot be read now: ${detail}`
  )

export const ConfigState = Schema.Struct({
  file: Schema.String,
  /** When what runs was read, in milliseconds of the clock. */
  readAt: Schema.Finite,
  /** Whether changes of the file are followed. */
  watched: Schema.Boolean,
  /** Why the file, as it is now, cannot be used; what was read before it still runs. */
  fault: Schema.NullOr(Schema.String),
  /** What has changed since the start and takes effect only when the gateway is started again. */
  pending: Schema.Array(Schema.String),
  /** Secrets that could not be read when the configuration was read last. */
  unread: Schema.Array(Unread)
})
export type ConfigState = typeof ConfigState.Type

/** What a reload did. */
export const Reloaded = Schema.Struct({
  change: ConfigChange,
  /** Servers that were started over because a secret of theirs has another value. */
  renewed: Schema.Array(Schema.String),
  unread: Schema.Array(Unread)
})
export type Reloaded = typeof Reloaded.Type
