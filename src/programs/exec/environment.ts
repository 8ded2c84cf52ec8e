/** The environment that a command gets: that of who started it, without what is for this program alone. Pure. */
import { DEPTH_VARIABLE } from "../../schemas/agent/OrderChain.ts"
import { SECRET_SCHEME } from "../../schemas/secret/SecretReference.ts"

const OURS = /^MCP_LIVE_/
/** How deep a chain of orders is, and whose process it is: what is started below must go on to say it. */
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
