/** Finds older tools of other servers whose names look the same. */
import { readsAs } from "../../../schemas/call/LookAlikeName.ts"

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
        const key = readsAs(tool)
        const known = fresh.get(key)
        if (known === undefined) fresh.set(key, [{ server, tool }])
        else if (known.every((one) => one.server !== server)) known.push({ server, tool })
      }
    }
    return fresh
  }
  return (server: string) =>
    (tool: string): string | undefined => {
      index ??= build()
      const found = index.get(readsAs(tool))?.find((one) => one.server !== server)
      return found === undefined ? undefined : `${found.server}/${found.tool}`
    }
}
