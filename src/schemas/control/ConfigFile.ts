/**
 * The configuration as a text that is edited on a page. Values that are secrets as they stand are masked in it, each by a mark of its own; a
 * text with marks has the values in their place when it is checked and saved. References (`secret://…`) stand as they are.
 */
import * as Schema from "effect/Schema"
import { ConfigChange } from "../config/ConfigChange.ts"
import type { JsonObject } from "../data/Json.ts"
import { CLIENTS } from "../config/clients/ClientNames.ts"
import { CONFIG_TEXT_MAX_CHARS } from "../defaults/Control.ts"
import { ConfigState, Reloaded } from "../config/ConfigState.ts"
import { asIs } from "./Values.ts"

/** A text of the file. */
export const ConfigText = Schema.String.check(Schema.isMaxLength(CONFIG_TEXT_MAX_CHARS))

export const ConfigFileValue = Schema.Struct({
  path: Schema.String,
  /** Why it cannot be edited here, in words; then `text` is only for reading, and empty if its secrets cannot be masked. */
  locked: Schema.optionalKey(Schema.String),
  /** Whether the file is there; if not, saving creates it. */
  isThere: Schema.Boolean,
  text: Schema.String,
  /** Of the file, for `SaveConfig`: it is refused when the file has changed since. */
  hash: Schema.String,
  /** How many values are masked in `text`. */
  masked: Schema.Int,
  state: ConfigState,
  /** Of the configuration, with a description of each key. */
  schema: asIs<JsonObject>()
})
export type ConfigFileValue = typeof ConfigFileValue.Type

/** A place that is wrong, or that a warning is about. */
export const ConfigProblem = Schema.Struct({
  /** From 1; 0 when it is unknown. */
  line: Schema.Int,
  /** Dotted, such as `mcp.servers.fs.comand`; empty for the whole file. */
  path: Schema.String,
  message: Schema.String
})
export type ConfigProblem = typeof ConfigProblem.Type

/** What a text would mean. */
export const CheckedConfig = Schema.Struct({
  /** Why it cannot be used: empty if it can. */
  problems: Schema.Array(ConfigProblem),
  warnings: Schema.Array(ConfigProblem),
  /** What it would change in the running gateway; only without problems. */
  change: Schema.optionalKey(ConfigChange)
})
export type CheckedConfig = typeof CheckedConfig.Type

/** A text was not saved. Nothing has changed. */
export class ConfigRefused extends Schema.TaggedError<ConfigRefused>()("ConfigRefused", {
  /**
   * `invalid`: see `problems`. `changed`: the file is another one by now, read it again. `locked`: this file is not edited here. `failed`: the
   * file system said no. `name`: the name of a server is taken or cannot be one. `unknown`: the server cannot be had.
   */
  reason: Schema.Literals(["invalid", "changed", "locked", "failed", "name", "unknown"]),
  detail: Schema.String,
  problems: Schema.optionalKey(Schema.Array(ConfigProblem))
}) {
  override get message() {
    return this.detail
  }
}

export const SavedConfig = Schema.Struct({
  /** Of the file as it is now. */
  hash: Schema.String,
  /** Where the file is kept as it was before; missing if there was none. */
  backup: Schema.optionalKey(Schema.String),
  /** What the gateway made of it; missing with `fault`. */
  reloaded: Schema.optionalKey(Reloaded),
  /** The file is saved, but could not be applied: the previous one stays in effect. */
  fault: Schema.optionalKey(Schema.String)
})
export type SavedConfig = typeof SavedConfig.Type

/** One more server, by what it is. */
export const ProposedServer = Schema.Union([
  Schema.TaggedStruct("Command", {
    name: Schema.String,
    /** The program and its words. */
    words: Schema.NonEmptyArray(Schema.String),
    /** `NAME=VALUE`, or `NAME` for the variable that is set when it starts. */
    env: Schema.Array(Schema.String),
    cwd: Schema.optionalKey(Schema.String)
  }),
  Schema.TaggedStruct("Address", {
    name: Schema.String,
    url: Schema.String,
    /** `Name: value`. */
    headers: Schema.Array(Schema.String),
    allowPrivate: Schema.Boolean
  }),
  /** A server of the registry, such as `io.github.user/server@1.2.3`. The registry is asked. */
  Schema.TaggedStruct("Listed", {
    what: Schema.String,
    /** Without it, the last part of its own name. */
    name: Schema.optionalKey(Schema.String),
    /** What it asks for, by `key` of `questions`. */
    values: Schema.Record(Schema.String, Schema.String)
  })
])
export type ProposedServer = typeof ProposedServer.Type

/** A value that a server of the registry asks for. */
export const ProposedQuestion = Schema.Struct({
  key: Schema.String,
  /** Cleaned. */
  about: Schema.String,
  isRequired: Schema.Boolean,
  /** It is not shown, and must be stored as a secret: give a reference such as `secret://file/…`. */
  isSecret: Schema.Boolean,
  default: Schema.optionalKey(Schema.String),
  choices: Schema.optionalKey(Schema.Array(Schema.String))
})
export type ProposedQuestion = typeof ProposedQuestion.Type

export const Proposal = Schema.Struct({
  /** The name under which it is added. */
  name: Schema.String,
  /** The text with it; comments and order stay. Missing while `questions` have to be answered. */
  text: Schema.optionalKey(Schema.String),
  questions: Schema.Array(ProposedQuestion),
  /** What it is and says about itself, in lines; cleaned. */
  about: Schema.Array(Schema.String),
  /** What its description asks for that is unusual, each in words that follow "it". */
  unusual: Schema.Array(Schema.String),
  /** What you should know, such as a prefix of tool names that another server has, too. */
  notes: Schema.Array(Schema.String)
})
export type Proposal = typeof Proposal.Type

/** A server of another program on this machine. Nothing in it is a value: only names of keys. */
export const ImportedServer = Schema.Struct({
  /** The name that it would get; what `take` of the request names. */
  name: Schema.String,
  /** The name that it has there. */
  was: Schema.String,
  client: Schema.Literals(CLIENTS),
  file: Schema.String,
  line: Schema.Int,
  transport: Schema.Literals(["stdio", "http"]),
  keys: Schema.Array(Schema.String),
  /** Its command or address, cut, with credentials masked. */
  launch: Schema.String,
  /** What is not taken over as it is, in words. */
  remarks: Schema.Array(Schema.String),
  /** `take`: it would be added. `there`: the configuration has it. */
  state: Schema.Literals(["take", "there"])
})
export type ImportedServer = typeof ImportedServer.Type

export const ImportProposal = Schema.Struct({
  servers: Schema.Array(ImportedServer),
  /** Servers that stay in their programs' files, with the reasons. */
  left: Schema.Array(
    Schema.Struct({
      client: Schema.Literals(CLIENTS),
      name: Schema.String,
      file: Schema.String,
      message: Schema.String
    })
  ),
  /** Files that cannot be read. */
  broken: Schema.Array(
    Schema.Struct({ client: Schema.Literals(CLIENTS), file: Schema.String, message: Schema.String })
  ),
  /** How many servers there are beyond what fits into one answer. */
  more: Schema.Int,
  /** The text with the servers that are taken; the same text if none is. */
  text: Schema.String
})
export type ImportProposal = typeof ImportProposal.Type
