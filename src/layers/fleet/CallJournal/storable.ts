/** What of a call can be written to its row. */
import type { JournalEntry } from "../../../services/call/CallJournal.ts"

/** PostgreSQL refuses these characters, which the names of a server's tools may have. */
const text = (name: string): string => name.toWellFormed().replaceAll("\0", "\ufffd")

export const storable = ({ agent, client, server, tool }: JournalEntry): JournalEntry => ({
  agent: text(agent),
  ...(client !== undefined && { client: text(client) }),
  server: text(server),
  tool: text(tool)
})

const DAY_MS = 24 * 60 * 60_000

/** The day of a moment (UTC), written anew when another one begins. */
export const makeDayOf = () => {
  let number = Number.NaN
  let day = ""
  return (at: number): string => {
    const today = Math.floor(at / DAY_MS)
    if (today !== number) [number, day] = [today, new Date(at).toISOString().slice(0, 10)]
    return day
  }
}
