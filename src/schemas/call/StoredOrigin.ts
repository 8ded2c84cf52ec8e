/** The origin of a text, as it is stored with the text. */
import * as Schema from "effect/Schema"
import { CONTENT_MODES } from "../content/ContentPolicy.ts"
import { FINDING_KINDS } from "../content/Finding.ts"

/** An `Origin`. */
export const StoredOrigin = Schema.Struct({
  server: Schema.String,
  tool: Schema.optionalKey(Schema.String),
  uri: Schema.optionalKey(Schema.String),
  client: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(
    Schema.Struct({ mode: Schema.Literals(CONTENT_MODES), withhold: Schema.Array(Schema.Literals(FINDING_KINDS)) })
  )
})
