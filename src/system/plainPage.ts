/** Small pages of ours for browsers, with forms and without scripts: nothing of anybody else is in them, and every text is escaped. */
import * as Effect from "effect/Effect"
import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  // The form has to say where it comes from; other origins see nothing of the address.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char]!)

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:12vh auto;padding:0 1em;color-scheme:light dark}button{font:inherit;padding:.5em 1.2em}"

/** `content` and `head` are markup. */
export const paged = (status: number, title: string, content: string, head = ""): Page => ({
  status,
  headers: HEADERS,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1>${content}</html>\n`
})

export const paragraph = (words: string): string => `<p>${escaped(words)}</p>`

/** Forms lead nowhere else (`form-action`), so a page leads on. */
export const onwardPage = (url: string, words = "Go on to the login"): Page =>
  paged(
    200,
    "One moment",
    `<p><a rel="noreferrer" href="${escaped(url)}">${escaped(words)}</a></p>`,
    `<meta http-equiv="refresh" content="0;url=${escaped(url)}">`
  )

export const answerPage = (
  response: ServerResponse,
  { body, headers, status }: Page,
  cookies: ReadonlyArray<string> = []
): void => {
  if (response.destroyed) return
  response.writeHead(status, { ...headers, ...(cookies.length === 0 ? {} : { "set-cookie": [...cookies] }) }).end(body)
}

/** In constant time. */
export const same = (given: string | undefined, own: string | undefined): boolean => {
  if (given === undefined || own === undefined) return false
  const [one, other] = [Buffer.from(given), Buffer.from(own)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}

/** A form of ours is one short line. */
export const formOf = (incoming: IncomingMessage, maxChars: number): Effect.Effect<URLSearchParams | undefined> =>
  Effect.promise(async () => {
    let text = ""
    try {
      for await (const chunk of incoming) {
        text += String(chunk)
        if (text.length > maxChars) return undefined
      }
    } catch {
      return undefined
    }
    return new URLSearchParams(text)
  })
