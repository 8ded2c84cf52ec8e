/** Tools of other servers that were there before, and look like one by name. */
import { readsAs } from "../../../schemas/call/LookAlikeName.ts"

interface Earlier {
  readonly server: string
  readonly tools: Iterable<string>
}

/** The first that is found, as `server/tool`; nothing is compared before somebody asks. */
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
