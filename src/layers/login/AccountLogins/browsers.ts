/** What the pages read of the requests of browsers. */
import type { IncomingMessage } from "node:http"

export const COOKIE = "mcp_live_login"

const COOKIE_VALUE = /^[A-Za-z0-9_-]{43}$/

export const cookieIn = (cookie: string, { headers }: IncomingMessage): string | undefined => {
  const values = (headers.cookie ?? "").split(";").flatMap((part) => {
    const [name, value] = part.trim().split("=", 2)
    return name === cookie && value !== undefined && COOKIE_VALUE.test(value) ? [value] : []
  })
  return values.length === 1 ? values[0] : undefined
}
