/** `manifest.json` of a bundle (`.mcpb`), as far as it is used here. Everything in it was written by a stranger. */
import * as Schema from "effect/Schema"

const TEXT_MAX_CHARS = 8_192
const LIST_MAX = 256

const text = Schema.String.check(Schema.isMaxLength(TEXT_MAX_CHARS))
const texts = Schema.Array(text).check(Schema.isMaxLength(LIST_MAX))

const LAUNCH = {
  args: Schema.optionalKey(texts),
  env: Schema.optionalKey(Schema.Record(Schema.String, text))
}

const Option = Schema.Struct({
  type: Schema.Literals(["string", "number", "boolean", "directory", "file"]),
  title: Schema.optionalKey(text),
  description: Schema.optionalKey(text),
  required: Schema.optionalKey(Schema.Boolean),
  default: Schema.optionalKey(Schema.Union([text, Schema.Finite, Schema.Boolean, texts])),
  multiple: Schema.optionalKey(Schema.Boolean),
  sensitive: Schema.optionalKey(Schema.Boolean),
  min: Schema.optionalKey(Schema.Finite),
  max: Schema.optionalKey(Schema.Finite)
})
export interface UserOption extends Schema.Schema.Type<typeof Option> {}

/** The revisions of the format whose fields are known. Older bundles (`.dxt`) have another key for it. */
const VERSIONS = ["0.1", "0.2", "0.3", "0.4"] as const

export const Manifest = Schema.Struct({
  manifest_version: Schema.optionalKey(Schema.Literals(VERSIONS)),
  dxt_version: Schema.optionalKey(Schema.Literals(VERSIONS)),
  name: text,
  display_name: Schema.optionalKey(text),
  version: text,
  description: Schema.optionalKey(text),
  author: Schema.optionalKey(Schema.Struct({ name: text })),
  server: Schema.Struct({
    type: Schema.Literals(["node", "python", "binary", "uv"]),
    entry_point: text,
    mcp_config: Schema.optionalKey(
      Schema.Struct({
        ...LAUNCH,
        command: text,
        platform_overrides: Schema.optionalKey(
          Schema.Record(Schema.String, Schema.Struct({ ...LAUNCH, command: Schema.optionalKey(text) }))
        )
      })
    )
  }),
  compatibility: Schema.optionalKey(
    Schema.Struct({
      platforms: Schema.optionalKey(texts),
      runtimes: Schema.optionalKey(Schema.Record(Schema.String, text))
    })
  ),
  user_config: Schema.optionalKey(Schema.Record(Schema.String, Option))
})
export interface Manifest extends Schema.Schema.Type<typeof Manifest> {}
