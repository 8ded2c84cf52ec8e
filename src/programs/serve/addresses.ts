/**
 * Addresses of ours for resources, `mcp-live://SERVER/ENCODED-URI`: what stands there is read at that server and nowhere else.
 * A server that writes such an address itself means a resource of its own, whatever server the address names.
 */

const SCHEME = "mcp-live://"

export const addressOf = (server: string, uri: string): string =>
  `${SCHEME}${encodeURIComponent(server)}/${encodeURIComponent(uri.toWellFormed())}`

/** Whether it would be taken for one of ours. */
export const isAddress = (uri: string): boolean => uri.startsWith(SCHEME)

/** A URI of a server, as a client may be given it. */
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

/** What a client means by a URI; one that is none of our addresses is a server's own. */
export const placeOf = (given: string): Place => {
  const plain = { server: undefined, uri: given }
  if (!isAddress(given)) return plain
  const [server, uri, ...rest] = given.slice(SCHEME.length).split("/").map(decoded)
  return server === undefined || server === "" || uri === undefined || rest.length > 0 ? plain : { server, uri }
}
