/**
 * Our own URIs for resources, `mcp-live://SERVER/ENCODED-URI`: such a resource is read at that server only. If a server
 * itself lists such a URI, it is encoded again, so that it means a resource of that server.
 */

const SCHEME = "mcp-live://"

export const addressOf = (server: string, uri: string): string =>
  `${SCHEME}${encodeURIComponent(server)}/${encodeURIComponent(uri.toWellFormed())}`

/** Whether a URI looks like one of ours. */
export const isAddress = (uri: string): boolean => uri.startsWith(SCHEME)

/** The URI of a server's resource as clients see it. */
export const uriOf = (server: string, uri: string): string => (isAddress(uri) ? addressOf(server, uri) : uri)

export interface Place {
  readonly server: string | undefined
  readonly uri: string
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The server and resource that a client's URI means. A URI that is not one of ours belongs to a server. */
export const placeOf = (given: string): Place => {
  const plain = { server: undefined, uri: given }
  if (!isAddress(given)) return plain
  const [server, uri, ...rest] = given.slice(SCHEME.length).split("/").map(decoded)
  return server === undefined || server === "" || uri === undefined || rest.length > 0 ? plain : { server, uri }
}
