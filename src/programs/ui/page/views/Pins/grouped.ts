/** Definitions to decide about, by the server that they are of. Pure. */
import type { PinsChange } from "../../../../../schemas/control/PinsChange.ts"
import type { Verdict } from "../../../../../schemas/call/Pins.ts"

export interface ServerChanges {
  readonly key: string
  readonly shownServer: string
  readonly isOlder: boolean
  readonly changes: ReadonlyArray<PinsChange>
}

/** What a view of definitions needs so that the person can decide about them. */
export interface Deciding {
  readonly mayChange: boolean
  readonly isBusy: boolean
  readonly onDecide: (changes: ReadonlyArray<PinsChange>, verdict: Verdict) => void
}

/** Servers with one name that are started in different ways are different servers. */
const serverKey = ({ configuration = "", launch, server }: PinsChange): string =>
  JSON.stringify([server, launch, configuration])

export const changeKey = (change: PinsChange): string => `${serverKey(change)} ${change.tool}`

/** Who waits for a decision comes before who was decided about; older ways to start a server come last. */
const ORDER = ["changed", "new", "approved", "gone", "rejected"] as const

export const byServer = (changes: ReadonlyArray<PinsChange>): ReadonlyArray<ServerChanges> =>
  [...Map.groupBy(changes, serverKey)]
    .map(([key, of]) => ({
      key,
      shownServer: of[0]!.shownServer,
      isOlder: of[0]!.isOlder,
      changes: of.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status))
    }))
    .toSorted((one, other) => Number(one.isOlder) - Number(other.isOlder))

/** A text of which a part is missing cannot be judged here. */
export const mayApprove = ({ isCut }: PinsChange): boolean => !isCut

/** What is approved with all of a server: what was rejected stays so. */
export const approvable = (changes: ReadonlyArray<PinsChange>): ReadonlyArray<PinsChange> =>
  changes.filter((change) => mayApprove(change) && change.status !== "rejected")

/** The decision about definitions of one server, exactly as they were shown. */
export const decisionOf = (changes: ReadonlyArray<PinsChange>, verdict: Verdict) => {
  const { configuration, launch, server } = changes[0]!
  return {
    server,
    launch,
    ...(configuration !== undefined && { configuration }),
    verdict,
    tools: changes.map(({ hash, tool }) => ({ name: tool, hash }))
  }
}

/** What there is to know besides the texts. */
export const notesOf = (change: PinsChange): ReadonlyArray<string> => [
  ...(change.status === "approved" ? ["Its definition is approved, and there is something else to look at."] : []),
  ...(change.status === "gone" ? ["The server does not list it any more. Approving that deletes its pin."] : []),
  ...(change.renamedFrom === undefined
    ? []
    : [`It was called ${change.renamedFrom} before, with the same definition.`]),
  ...(change.shadows === undefined ? [] : [`It has the name of an older tool: ${change.shadows}.`]),
  ...(change.isCut ? ["Its texts are too long to be shown here. Decide at the terminal, with mcp-live pins diff."] : [])
]
