/** What people read who have not logged in on the page. */
import { escaped, paged, paragraph, type Page } from "../../../system/plainPage.ts"

const TITLE = "Log in to mcp-live"

/** The button of an issuer says only its host: people know that, and no name of ours. */
const button = (issuer: string, i: number): string =>
  `<form method="post" action="sign-in"><input type="hidden" name="issuer" value="${i}"><p><button>Log in with ${escaped(new URL(issuer).host)}</button></p></form>`

/** 401, by which an open page learns that its session has ended. */
export const signInPage = (issuers: ReadonlyArray<string>): Page =>
  paged(
    401,
    TITLE,
    paragraph("You see your own calls and accounts here, and answer what waits for you.") + issuers.map(button).join("")
  )

/** 401 where nobody has logged in, whether there is something or not. */
export const nothingPage = (status: number, base: string): Page =>
  paged(status, "There is nothing to see at this address", `<p><a href="${escaped(base)}">Go on to the page</a></p>`)

const back = (base: string | undefined): string =>
  base === undefined ? "" : `<p><a href="${escaped(base)}">Back to the page</a></p>`

export const failedPage = (status: number, words: string, base?: string): Page =>
  paged(status, "You are not logged in", paragraph(words) + back(base))

/** The answer of an issuer to a login that was begun elsewhere, too long ago, or answered before. */
export const elsewherePage = (base: string): Page =>
  failedPage(
    403,
    "This login was not begun in this browser, or too long ago, or it was used before. Begin again on the page.",
    base
  )

export const notLetInPage = (): Page =>
  failedPage(403, "You have logged in, but no rule of this gateway lets you in. Ask whoever runs it.")
