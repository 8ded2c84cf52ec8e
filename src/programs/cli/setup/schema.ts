/**
 * `mcp-live schema`: prints the JSON Schema of a configuration, for editors. The package has the same:
 * `schema/openclaw.schema.json`.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { print } from "../output.ts"

export const schema = Command.make(
  "schema",
  {},
  Effect.fnUntraced(function* () {
    const { CONFIG_SCHEMA } = yield* Effect.promise(() => import("../../../schemas/config/ConfigSchema.ts"))
    yield* print(JSON.stringify(CONFIG_SCHEMA, null, 2))
  })
).pipe(Command.withDescription("Print the JSON Schema of the configuration, for editors"))
