/** Finds older tools of other servers whose names look the same. */
import { readsAs } from "../../../schemas/call/LookAlikeName.ts"
import { memoUpTo } from "../../../schemas/data/Memo.ts"
import { SHADOW_NAME_KNOWN_MAX_CHARS, SHADOW_NAMES_KNOWN_MAX } from "../../../schemas/defaults/Pins.ts"

const readsKnown = memoUpTo(SHADOW_NAMES_KNOWN_MAX, readsAs)
/** The index is built for each list that is new, from the names of all servers. */
const readsOnce = (name: string) => (name.length > SHADOW_NAME_KNOWN_MAX_CHARS ? readsAs(name) : readsKnown(name))

interface Earlier {
  readonly server: string
  readonly tools: Iterable<string>
}

/** Returns the first match as `server/tool`. The index is built on first use. */
export const makeShadows = (earlier: () => ReadonlyArray<Earlier>) => {
  let index: Map<string, Array<{ readonly server: string; readonly tool: string }>> | undefined
  const build = () => {
    const fresh: NonNullable<typeof index> = new Map()
    for (const { server, tools } of earlier()) {
      for (const tool of tools) {
        const key = readsOnce(tool)
        const known = fresh.get(key)
        if (known === undefined) fresh.set(key, [{ server, tool }])
        // Two servers are enough: whichever asks, one of them is another.
        else if (known.length === 1 && known[0]!.server !== server) known.push({ server, tool })
      }
    }
    return fresh
  }
  return (server: string) =>
    (tool: string): string | undefined => {
      index ??= build()
      const found = index.get(readsOnce(tool))?.find((one) => one.server !== server)
      return found === undefined ? undefined : `${found.server}/${found.tool}`
    }
}
