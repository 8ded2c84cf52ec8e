/** What the answer to a request of ours means. Every answer has an outcome, whatever it contains. */
import { ERROR_TEXT_MAX_CHARS } from "../../../../schemas/defaults/Results.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { ProtocolError, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import { numberOf } from "../../../../schemas/content/ServerText.ts"
import { InputRequired } from "./InputRequired.ts"
import { saidBy, type Tidy } from "./tidy.ts"

export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  /** A caller that can give no input treats a demand for it as the error. */
  | { readonly ok: false; readonly error: RequestError; readonly input?: InputRequired }

type Failure = Extract<Outcome, { readonly ok: false }> & { readonly error: ProtocolError }

/** UnsupportedProtocolVersion (2026-07-28, Versioning): its data lists the versions. */
export const UNSUPPORTED_VERSION = -32022

/** For a request whose answer could not be read. */
export const notJson = (server: string): ProtocolError =>
  new ProtocolError({
    server,
    code: null,
    detail: "the server answered with something that is not JSON",
    isOurs: true,
    maybeExecuted: true
  })

export const malformed = (server: string, why: string): Failure => {
  const detail = `the answer cannot be used: ${why}`
  return { ok: false, error: new ProtocolError({ server, code: null, detail, isOurs: true, maybeExecuted: true }) }
}

const readError = (error: Readonly<Record<string, unknown>>, server: string, tidy: Tidy): Failure => {
  // It may be of any type, and a conversion could throw.
  const given = error["code"]
  const code = numberOf(typeof given === "string" ? Number(given) : given, tidy)
  const said = typeof error["message"] === "string" ? error["message"] : "an error without a message"
  return {
    ok: false,
    error: new ProtocolError({
      server,
      code: code ?? null,
      ...saidBy(tidy, said, ERROR_TEXT_MAX_CHARS),
      // It is passed on with the error, so it contains only versions.
      ...(code === UNSUPPORTED_VERSION ? { data: { supported: versionsOf(error["data"]) } } : undefined)
    })
  }
}

const VERSION = /^\d{4}-\d{2}-\d{2}$/
const VERSIONS_MAX = 64

/** The entries that look like a version; others have no meaning. */
const versionsOf = (data: unknown): ReadonlyArray<string> => {
  const supported = isObject(data) ? data["supported"] : undefined
  return Array.isArray(supported)
    ? supported.slice(0, VERSIONS_MAX).filter((entry) => typeof entry === "string" && VERSION.test(entry))
    : []
}

/** `modernUntil` is the total deadline of a request of revision 2026-07-28, whose results name their type. */
export const readAnswer = (
  message: Readonly<Record<string, unknown>>,
  server: string,
  tidy: Tidy,
  modernUntil: number | undefined
): Outcome => {
  const { error, result } = message
  if (isObject(error)) return readError(error, server, tidy)
  if (!isObject(result)) return malformed(server, "it has neither a result nor an error")
  if (modernUntil === undefined) return { ok: true, result }
  const type = result["resultType"]
  if (type === undefined || type === "complete") return { ok: true, result }
  return type === "input_required"
    ? { ...malformed(server, "it asks for input where it may not"), input: new InputRequired(result, modernUntil) }
    : malformed(server, "its resultType is unknown")
}
