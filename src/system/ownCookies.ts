/**
 * The cookies of a page of ours. Over https, their names begin with `__Host-`: a browser takes such a cookie only from this very host (RFC 6265bis,
 * section 4.1.3.2), so that no other host of the domain can give it one. It then belongs to all paths of the host. Over http, which is
 * for the loopback, there is no such name; there a cookie is for the page alone.
 */
import { createHash } from "node:crypto"

export interface OwnCookies {
  readonly nameOf: (name: string) => string
  /** Of each of them; `SameSite` and `Max-Age` are to be added. */
  readonly attributes: string
}

const MARK_CHARS = 8

/** Two gateways may be at one host, at different paths or ports: the cookies of one would replace those of the other. */
const markOf = ({ host, pathname }: URL): string =>
  createHash("sha256")
    .update(host + pathname)
    .digest("hex")
    .slice(0, MARK_CHARS)

/** `page`: the address of the page, as browsers know it. */
export const ownCookies = (page: URL): OwnCookies => {
  if (page.protocol !== "https:") {
    return { nameOf: (name) => name, attributes: `Path=${page.pathname}; HttpOnly` }
  }
  const mark = markOf(page)
  return { nameOf: (name) => `__Host-${name}_${mark}`, attributes: "Path=/; HttpOnly; Secure" }
}
