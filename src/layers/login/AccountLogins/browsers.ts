/** What the pages read of the requests of browsers, and how they answer them. */
import * as Effect from "effect/Effect"
import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { ACCOUNT_FORM_MAX_CHARS } from "../../../schemas/defaults/Clients.ts"
import type { Page } from "./html.ts"

export const COOKIE = "mcp_live_login"
const COOKIE_VALUE = /^[A-Za-z0-9_-]{43}$/

/** In constant time. */
export const same = (given: string | undefined, own: string | undefined): boolean => {
  if (given === undefined || own === undefined) return false
  const [one, other] = [Buffer.from(given), Buffer.from(own)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}

export const cookieIn = ({ headers }: IncomingMessage): string | undefined => {
  const values = (headers.cookie ?? "").split(";").flatMap((part) => {
    const [name, value] = part.trim().split("=", 2)
    return name === COOKIE && value !== undefined && COOKIE_VALUE.test(value) ? [value] : []
  })
  return values.length === 1 ? values[0] : undefined
}

export const answer = (response: ServerResponse, { body, headers, status }: Page, cookie?: string): void => {
  if (response.destroyed) return
  response.writeHead(status, { ...headers, ...(cookie === undefined ? {} : { "set-cookie": cookie }) }).end(body)
}

/** A form of ours is one short line. */
export const formOf = (incoming: IncomingMessage): Effect.Effect<URLSearchParams | undefined> =>
  Effect.promise(async () => {
    let text = ""
    try {
      for await (const chunk of incoming) {
        text += String(chunk)
        if (text.length > ACCOUNT_FORM_MAX_CHARS) return undefined
      }
    } catch {
      return undefined
    }
    return new URLSearchParams(text)
  })
