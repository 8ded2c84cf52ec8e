/** Input schemas that a model provider refuses as they are. */
import { refusing, type Provider } from "../../call/Refused.ts"
import type { Check } from "../Facts.ts"

const SHOWN = 3

const listed = (names: ReadonlyArray<string>): string =>
  names.length > SHOWN ? `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more` : names.join(", ")

export const schemas: Check = ({ servers, tools }) =>
  servers.flatMap(({ config: { name: server } }) => {
    const refused = tools
      .filter((tool) => tool.server === server)
      .map(({ parameters, tool }) => ({ tool, by: refusing(parameters) }))
      .filter(({ by }) => by.length > 0)
    if (refused.length === 0) return []
    const providers: ReadonlyArray<Provider> = [...new Set(refused.flatMap(({ by }) => by))]
    return [
      {
        id: "schema-refused",
        severity: "info",
        server,
        what: `${providers.join(" and ")} refuse${providers.length === 1 ? "s" : ""} the input schema of ${listed(refused.map(({ tool }) => tool))} as the server wrote it.`,
        why: "The provider refuses a whole request because of one such tool. The agent of mcp-live gets schemas that are rewritten; clients of serve get them as they are.",
        mend: "In your own program, pass schemas through normalizeSchema (docs/schemas.md); for a client of serve, leave such tools out with tools.exclude."
      }
    ]
  })
