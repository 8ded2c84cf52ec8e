/** The token that lets a client in over HTTP. */
import { CLIENT_TOKEN_MIN_CHARS } from "../defaults/Serve.ts"

/** What can stand in a header, and is not guessed. */
export const isUsableToken = (token: string): boolean =>
  token.length >= CLIENT_TOKEN_MIN_CHARS && /^[\x21-\x7e]+$/.test(token)

export const USABLE_TOKEN = `at least ${CLIENT_TOKEN_MIN_CHARS} characters of ASCII without blanks`
