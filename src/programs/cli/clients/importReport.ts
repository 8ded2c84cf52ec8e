/** Shows what an import would take, what it would leave and why, and where names collide. Pure. */
import { type ClientName, CLIENTS, TITLES } from "../../../schemas/config/clients/ClientNames.ts"
import type { FoundServer, ImportPlan, TakenServer } from "../../../schemas/config/clients/ImportPlan.ts"
import type { Found, FoundFile, LeftBehind } from "../../../services/config/ClientFiles.ts"
import type { ConfigIssue } from "../../../schemas/config/ConfigIssue.ts"
import { clip } from "../../../schemas/content/Rendering.ts"
import { shownLaunch } from "../../../schemas/config/ShownLaunch.ts"
import { lineWidth, shown, shownFile, wrapped } from "./shown.ts"

const NAME_CHARS = 24
const WORD_CHARS = 7

const row = (word: string, name: string, rest: string): string =>
  `  ${word.padEnd(WORD_CHARS)}${name.padEnd(NAME_CHARS)} ${rest}`.trimEnd()

const INDENT = " ".repeat(2 + WORD_CHARS)
const under = (text: string): string => wrapped(shown(text), `${INDENT}- `, `${INDENT}  `)

const placed = ({ line, message, path }: ConfigIssue): string =>
  `${line > 0 ? `line ${line}, ` : ""}${path === "" ? "" : `${path}: `}${message}`

const takenRows = ({ as, entry, name, ...server }: TakenServer): ReadonlyArray<string> => {
  const other = as === name ? [] : [under(`its name there is "${name}", which another server has here`)]
  const same = server.alsoIn.map(({ client }) => under(`the same as in ${TITLES[client]}`))
  const off = entry["enabled"] === false ? "(disabled) " : ""
  const room = lineWidth() - NAME_CHARS - WORD_CHARS - off.length - 3
  return [
    row("take", clip(shown(as), NAME_CHARS), `${off}${shownLaunch(entry, room)}`),
    ...other,
    ...same,
    ...server.remarks.map((remark) => under(placed(remark)))
  ]
}

const isIn = (file: FoundFile) => (server: FoundServer) => server.file === file.file && server.client === file.client

const leftRows = (left: LeftBehind): ReadonlyArray<string> => [
  row("leave", clip(shown(left.name === "" ? "(the whole file)" : left.name), NAME_CHARS), ""),
  under(placed(left))
]

const fileRows = (file: FoundFile, plan: ImportPlan, home: string): ReadonlyArray<string> => {
  const mine = isIn(file)
  const heading = wrapped(`${TITLES[file.client]}: ${shownFile(file.file, home)}`, "", "  ")
  if (file.problem !== undefined) return [heading, row("leave", "(the whole file)", ""), under(placed(file.problem))]
  const rows = [
    ...plan.take.filter(mine).flatMap(takenRows),
    ...plan.take.flatMap(({ alsoIn, as }) =>
      alsoIn.filter(mine).map((server) => row("same", clip(shown(server.name), NAME_CHARS), `as "${shown(as)}" above`))
    ),
    ...plan.there
      .filter(mine)
      .map(({ as, name }) =>
        row("have", clip(shown(name), NAME_CHARS), as === name ? "there already" : `there already, as "${shown(as)}"`)
      ),
    ...file.left.flatMap(leftRows)
  ]
  return [heading, ...(rows.length === 0 ? ["  (no servers)"] : rows)]
}

export const renderFound = ({ files }: Found, plan: ImportPlan, home: string): string =>
  files.map((file) => fileRows(file, plan, home).join("\n")).join("\n\n")

/** For a machine without any client. */
export const renderNothing = ({ missing }: Found, home: string): string => {
  const looked = CLIENTS.flatMap((client: ClientName) => {
    const files = missing.filter((one) => one.client === client).map(({ file }) => shownFile(file, home))
    const line = `  ${TITLES[client]}: ${files.join(", ")}`
    // A name with blanks in it is not broken.
    const below = [`  ${TITLES[client]}:`, ...files.map((file) => `    ${file}`)]
    return files.length === 0 ? [] : line.length <= lineWidth() ? [line] : below
  })
  return ["No other program has a file with MCP servers here. These were looked for:", ...looked].join("\n")
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

export const summary = (
  plan: ImportPlan,
  { files }: Found,
  target: string,
  credentials: number,
  keeps: "file" | "keychain" | "keep"
): string => {
  const left = files.reduce((sum, file) => sum + file.left.length + (file.problem === undefined ? 0 : 1), 0)
  const told = [
    `${count(plan.take.length, "server")} for ${target}`,
    ...(plan.there.length > 0 ? [`${plan.there.length} there already`] : []),
    ...(left > 0 ? [`${left} left out`] : [])
  ].join(", ")
  const where = keeps === "file" ? "files of their own" : "the system's keychain"
  const secrets =
    credentials === 0
      ? ""
      : keeps === "keep"
        ? ` ${count(credentials, "credential")} ${credentials === 1 ? "stays" : "stay"} in plain text; '--secrets file' or '--secrets keychain' moves ${credentials === 1 ? "it" : "them"}.`
        : ` ${count(credentials, "credential")} ${credentials === 1 ? "moves" : "move"} to ${where}, with secret:// references in place.`
  return wrapped(`${told}.${secrets}`, "", "")
}
