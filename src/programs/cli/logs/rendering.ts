/** Lines of the log about servers as plain text for a terminal. Somebody may have edited the files, so control characters are replaced. */
import type { ServerLogLine } from "../../../schemas/connection/ServerLogLine.ts"

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu
/** What the server itself said stands behind a bar, so that nothing in it can pass for a line of ours. */
const SAID: Readonly<Record<ServerLogLine["source"], string>> = { stderr: "│ ", log: "│ ", gateway: "" }
const LEVEL_CHARS = 9

const shown = (text: string): string => text.replace(/\s+/g, " ").replace(HIDDEN, "\ufffd")

/** `2026-01-01T12:00:00.000Z WARNING   [files] │ cannot open it`. The name is left out where all lines are of one server. */
export const renderLogLine = ({ level, server, source, text, time, whose }: ServerLogLine, named: boolean): string => {
  const names = [...(named && server !== "" ? [server] : []), ...(whose === undefined ? [] : [whose])]
  const who = names.length === 0 ? "" : `[${names.map(shown).join(", ")}] `
  return `${time} ${level.toUpperCase().padEnd(LEVEL_CHARS)} ${who}${SAID[source]}${shown(text)}`
}
