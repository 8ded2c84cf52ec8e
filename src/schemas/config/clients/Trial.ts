/** Decodes one server of a client as it would be decoded in openclaw.json, to find out whether it could work. */
import type { ConfigIssue } from "../ConfigIssue.ts"
import type { KeyLines } from "../KeyLines.ts"
import type { KeyPath } from "../KeyPath.ts"
import type { KnownSecrets } from "../References.ts"
import { makeReport } from "../Report.ts"
import type { Surroundings } from "../Resolve.ts"
import { buildServer } from "../ServerBuild.ts"
import { readServerEntry } from "../ServerEntry.ts"
import type { ClientServer } from "./ClientServer.ts"

/** The lines and paths of the client's file, for entries of `servers` under `section`. */
export const linesOf = (
  lines: KeyLines,
  section: KeyPath,
  servers: ReadonlyMap<string, Pick<ClientServer, "written">>
): KeyLines => {
  const sourceOf = (path: KeyPath): KeyPath => {
    const name = path[section.length]
    const isOfServer = section.every((key, i) => path[i] === key) && typeof name === "string"
    return (isOfServer ? servers.get(name)?.written(path.slice(section.length + 1)) : undefined) ?? path
  }
  return { ...lines, sourceOf, lineOf: (path) => lines.lineOf(sourceOf(path)) }
}

const SECTION: KeyPath = ["mcp", "servers"]

/** The errors of the entry; none if it could work once its variables and secrets have values. */
export const tryServer = (
  server: ClientServer,
  file: string,
  lines: KeyLines,
  surroundings: Surroundings & KnownSecrets
): ReadonlyArray<ConfigIssue> => {
  const report = makeReport(file, linesOf(lines, SECTION, new Map([[server.name, server]])))
  const entry = readServerEntry(report, "openclaw", [...SECTION, server.name], server.entry)
  if (entry !== undefined) buildServer(report, surroundings, server.name, entry, () => [])
  return report.errors()
}
