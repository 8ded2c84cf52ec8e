/** The environment that a command gets: our own, without the variables that are only for this program. Pure. */
import { DEPTH_VARIABLE } from "../../schemas/agent/OrderChain.ts"
import { SECRET_SCHEME } from "../../schemas/secret/SecretReference.ts"

const OURS = /^MCP_LIVE_/
/** The depth of a chain of agent requests and the owner of a process; programs that are started below need both. */
const PASSED: ReadonlySet<string> = new Set([DEPTH_VARIABLE, "MCP_LIVE_TAG"])

export type Variables = Readonly<Record<string, string>>

export const environmentFor = (
  env: Readonly<Record<string, string | undefined>>,
  unset: ReadonlyArray<string>
): Variables => {
  const left = new Set(unset)
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !left.has(entry[0]) && (!OURS.test(entry[0]) || PASSED.has(entry[0]))
    )
  )
}

export const hasReference = (text: string): boolean => text.toLowerCase().includes(SECRET_SCHEME)
