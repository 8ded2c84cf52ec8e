/** What gateways that were killed have left. */
import type { Finding, Fix } from "../Finding.ts"
import type { Check } from "../Facts.ts"

const MEND = "mcp-live doctor --fix removes it."

const left = (id: string, what: string, why: string, fix: Fix | undefined, mend = MEND): Finding => ({
  id,
  severity: "info",
  server: null,
  what,
  why,
  mend,
  fix
})

const files = (count: number, one: string, several: string) => `${count} ${count === 1 ? one : several}`

export const leftovers: Check = ({ left: { gateways, locks, processes, temporary } }) => [
  ...(gateways.length === 0
    ? []
    : [
        left(
          "left-sockets",
          `A gateway that is gone has left ${files(gateways.length, "file or socket", "files and sockets")}: ${gateways[0]!}${gateways.length > 1 ? ", …" : ""}`,
          "Nothing listens there.",
          undefined,
          "Nothing to do: this command has removed it, like every one that looks for a gateway."
        )
      ]),
  ...(locks.length === 0
    ? []
    : [
        left(
          "left-locks",
          `A process that is gone has left ${files(locks.length, "lock", "locks")}: ${locks[0]!}${locks.length > 1 ? ", …" : ""}`,
          "Whoever needs the lock next removes it.",
          { _tag: "BreakLocks", paths: locks }
        )
      ]),
  ...(temporary.length === 0
    ? []
    : [
        left(
          "left-files",
          `A process that is gone has left ${files(temporary.length, "temporary file", "temporary files")}: ${temporary[0]!}${temporary.length > 1 ? ", …" : ""}`,
          "It takes space, and may hold an older state of a store.",
          { _tag: "RemoveFiles", paths: temporary }
        )
      ]),
  ...(processes.length === 0
    ? []
    : [
        left(
          "left-processes",
          `Servers of a gateway that is gone still run: process${processes.length === 1 ? "" : "es"} ${processes.join(", ")}`,
          "They take memory, and may hold files, ports and locks.",
          { _tag: "EndOrphans" },
          "mcp-live doctor --fix ends them; so does every command that starts a server."
        )
      ])
]
