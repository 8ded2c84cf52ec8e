/**
 * `server.json` as registries of MCP servers publish it, as far as it is used here, and the answer of a registry around it. Everything in
 * it was written by a stranger. Other members are ignored, as the format demands.
 */
import * as Schema from "effect/Schema"
import { FORMATS } from "../Question.ts"

const TEXT_MAX_CHARS = 4_096
const LIST_MAX = 256

const text = Schema.String.check(Schema.isMaxLength(TEXT_MAX_CHARS))
const listOf = <S extends Schema.Top>(item: S) =>
  Schema.optionalKey(Schema.Array(item).check(Schema.isMaxLength(LIST_MAX)))

const INPUT = {
  description: Schema.optionalKey(text),
  isRequired: Schema.optionalKey(Schema.Boolean),
  isSecret: Schema.optionalKey(Schema.Boolean),
  format: Schema.optionalKey(Schema.Literals(FORMATS)),
  /** Fixed: the user is not asked for it, only for its `variables`. */
  value: Schema.optionalKey(text),
  default: Schema.optionalKey(text),
  choices: listOf(text)
}
const Input = Schema.Struct(INPUT)
export interface Input extends Schema.Schema.Type<typeof Input> {}

const variables = Schema.optionalKey(Schema.Record(Schema.String, Input))
const WITH_VARIABLES = { ...INPUT, variables }

const KeyValue = Schema.Struct({ ...WITH_VARIABLES, name: text })
export interface KeyValue extends Schema.Schema.Type<typeof KeyValue> {}

const Argument = Schema.Struct({
  ...WITH_VARIABLES,
  type: Schema.Literals(["positional", "named"]),
  /** Of a named one, with its dashes. */
  name: Schema.optionalKey(text),
  valueHint: Schema.optionalKey(text),
  isRepeated: Schema.optionalKey(Schema.Boolean)
})
export interface Argument extends Schema.Schema.Type<typeof Argument> {}

const Transport = Schema.Struct({
  type: text,
  url: Schema.optionalKey(text),
  headers: listOf(KeyValue),
  variables
})
export interface Transport extends Schema.Schema.Type<typeof Transport> {}

const Package = Schema.Struct({
  registryType: text,
  registryBaseUrl: Schema.optionalKey(text),
  identifier: text,
  version: Schema.optionalKey(text),
  fileSha256: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[a-f0-9]{64}$/))),
  runtimeHint: Schema.optionalKey(text),
  transport: Transport,
  runtimeArguments: listOf(Argument),
  packageArguments: listOf(Argument),
  environmentVariables: listOf(KeyValue)
})
export interface Package extends Schema.Schema.Type<typeof Package> {}

export const ServerJson = Schema.Struct({
  name: Schema.String.check(Schema.isMaxLength(200), Schema.isPattern(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)),
  title: Schema.optionalKey(text),
  description: Schema.optionalKey(text),
  version: Schema.String.check(Schema.isMaxLength(255)),
  packages: listOf(Package),
  remotes: listOf(Transport)
})
export interface ServerJson extends Schema.Schema.Type<typeof ServerJson> {}

/** What the official registry says besides. */
const Official = Schema.Struct({
  status: Schema.optionalKey(text),
  statusMessage: Schema.optionalKey(text)
})

const OFFICIAL = "io.modelcontextprotocol.registry/official"

/** `GET /v0.1/servers/{name}/versions/{version}`. */
export const RegistryAnswer = Schema.Struct({
  server: ServerJson,
  _meta: Schema.optionalKey(Schema.Struct({ [OFFICIAL]: Schema.optionalKey(Official) }))
})
export interface RegistryAnswer extends Schema.Schema.Type<typeof RegistryAnswer> {}

export const officialOf = (answer: RegistryAnswer) => answer._meta?.[OFFICIAL]

/** `io.github.user/server` or `io.github.user/server@1.2.3`. */
export const NAMED = /^(?<name>[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+)(?:@(?<version>[0-9A-Za-z][0-9A-Za-z.+_-]{0,254}))?$/
