/** Roots for servers: `file:` URIs of this machine, normalized, without duplicates. */
import { fileURLToPath } from "node:url"
import type { Root } from "../../../schemas/content/HostRequest.ts"

export interface Roots {
  readonly values: ReadonlyArray<Root>
  /** Why others were left out. */
  readonly problems: ReadonlyArray<string>
}

export const readRoots = (given: ReadonlyArray<Root>): Roots => {
  const values = new Map<string, Root>()
  const problems: Array<string> = []
  for (const { name, uri } of given) {
    const read = readUri(uri)
    if (typeof read === "string") problems.push(`a root was left out: ${read}`)
    else if (!values.has(read.href)) {
      values.set(read.href, name === undefined ? { uri: read.href } : { uri: read.href, name })
    }
  }
  return { values: [...values.values()], problems }
}

export const sameRoots = (a: ReadonlyArray<Root> | undefined, b: ReadonlyArray<Root>): boolean =>
  a?.length === b.length && a.every(({ name, uri }, i) => uri === b[i]!.uri && name === b[i]!.name)

/** Parsing resolves `.` and `..`, also encoded ones, so that each place has one URI. Or why it is invalid. */
const readUri = (uri: unknown): URL | string => {
  const url = typeof uri === "string" ? URL.parse(uri) : null
  if (url === null) return "it is no URI"
  if (url.protocol !== "file:") return "its URI is not a file: URI"
  if (url.search !== "" || url.hash !== "")
    return "its URI has a query or a fragment; '?' and '#' in a path are encoded"
  try {
    // Rejects encoded slashes, and hosts where there are none.
    return fileURLToPath(url).includes("\0") ? "its path holds a NUL character" : url
  } catch {
    return "its URI is not the path of a file here"
  }
}
