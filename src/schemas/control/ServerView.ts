/** Everything about one server that a person may see. Texts of the server are cleaned, and known secrets are masked in all of them. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../data/Json.ts"
import { CallFigures } from "./Figures.ts"
import { asIs, StatusValue } from "./Values.ts"

/** A process of a server. */
export const ProcessValue = Schema.Struct({
  pid: Schema.Int,
  parent: Schema.Int,
  /** Missing on systems that do not tell. */
  rssBytes: Schema.optionalKey(Schema.Finite),
  /** Since it was started. */
  cpuMs: Schema.optionalKey(Schema.Finite),
  /** Its words on one line, cut; missing if it cannot be read. */
  command: Schema.optionalKey(Schema.String)
})
export type ProcessValue = typeof ProcessValue.Type

/** What a server says about itself. */
export const ServerInfoValue = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  title: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String)
})
export type ServerInfoValue = typeof ServerInfoValue.Type

/** How it is reached, as the configuration says, with known secrets masked. */
export const LaunchValue = Schema.Union([
  Schema.TaggedStruct("Process", {
    command: Schema.String,
    args: Schema.Array(Schema.String),
    cwd: Schema.optionalKey(Schema.String),
    /** Only the names: values may be secrets. */
    env: Schema.Array(Schema.String)
  }),
  Schema.TaggedStruct("Address", {
    url: Schema.String,
    /** Only the names. */
    headers: Schema.Array(Schema.String)
  })
])
export type LaunchValue = typeof LaunchValue.Type

export const ServerView = Schema.Struct({
  name: Schema.String,
  status: StatusValue,
  calls: CallFigures,
  launch: LaunchValue,
  /** `null` while it is not connected; the same holds for `capabilities`. */
  info: Schema.NullOr(ServerInfoValue),
  capabilities: Schema.NullOr(asIs<JsonObject>()),
  /** What the server says about its use, cleaned. No model gets it from this program. `null` without any. */
  instructions: Schema.NullOr(Schema.String),
  /** What the lists left out, and why. */
  diagnostics: Schema.Array(Schema.String),
  /** Empty without a process, and on systems that do not tell. */
  processes: Schema.Array(ProcessValue),
  /** `possible`: a person can log in at it (`Login`). `needed`: it refuses requests until somebody does. */
  login: Schema.Literals(["none", "possible", "needed"])
})
export type ServerView = typeof ServerView.Type

/** No server of that name is configured for the agent. */
export class UnknownServer extends Schema.TaggedError<UnknownServer>()("UnknownServer", { server: Schema.String }) {
  override get message() {
    return `there is no server '${this.server}'`
  }
}
