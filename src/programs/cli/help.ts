/** Adapts `--help` for commands whose command line flags alone cannot describe. */
import type * as HelpDoc from "effect/cli/HelpDoc"

/** `exec` starts before flags are parsed, and accepts only these. */
const OF_EXEC = new Set(["config", "help"])

const withoutFlags = (flags: ReadonlyArray<HelpDoc.FlagDoc> | undefined) =>
  (flags ?? []).filter(({ name }) => OF_EXEC.has(name))

export const completed = (doc: HelpDoc.HelpDoc, commandPath: ReadonlyArray<string>): HelpDoc.HelpDoc => {
  switch (commandPath.at(-1)) {
    case "add":
    case "serve":
      return { ...doc, usage: `${doc.usage} [-- COMMAND ARGS…]` }
    case "exec":
      return {
        ...doc,
        usage: "mcp-live exec [--config PATH] [--unset NAME] -- COMMAND ARGS…",
        args: [],
        inheritedFlags: withoutFlags(doc.inheritedFlags),
        globalFlags: withoutFlags(doc.globalFlags)
      }
    default:
      return doc
  }
}
