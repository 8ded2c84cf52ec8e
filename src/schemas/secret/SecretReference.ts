/**
 * The grammar of secret references, and how they are found in a text. Pure.
 *
 *     reference = "secret://" provider "/" path [ "#" version ]
 *     provider  = a lower-case letter, then lower-case letters, digits and dashes
 *     path      = segments between single slashes, of letters, digits and _ . ~ + @ = -, none of them "." or ".."
 *     version   = letters, digits and _ . -
 *
 * White space, a quote, a bracket, and each of , & : | ends a reference, so that it may be part of a longer text: `Bearer
 * secret://env/TOKEN`, `https://host/?key=secret://env/KEY&x=1`, `secret://env/USER:secret://env/PASSWORD`. The name of an
 * environment variable also ends before an `@`; the path of a file may begin with a drive (`C:`). Use braces where other text
 * follows directly, and for paths with other characters: `https://{secret://env/TENANT}.example/`.
 *
 * Anything else with `secret://`, in upper or lower case, is malformed, and the text is not used at all.
 */
import { SECRET_REFERENCE_SHOWN_CHARS } from "../defaults/Secrets.ts"

/** The built-in providers. */
export const SECRET_PROVIDERS = ["env", "file", "exec", "gcp", "aws", "vault", "op", "keychain"] as const

/** They need no configuration. */
const PLAIN_PROVIDERS: ReadonlySet<string> = new Set(["env", "file", "keychain"])

/** Whether a text refers to a provider that only a configuration describes. What follows the provider may still be a variable. */
export const needsConfig = (text: string): boolean =>
  [...text.matchAll(/secret:\/\/([a-z0-9-]*)/g)].some(([, provider = ""]) => !PLAIN_PROVIDERS.has(provider))

export interface Reference {
  /** As written, without braces. */
  readonly written: string
  readonly provider: string
  readonly path: string
  readonly version: string | undefined
}

export interface Malformed {
  /** The beginning of the written text, enough to find it. */
  readonly written: string
  readonly detail: string
}

/** A parsed text: literal parts and references in order, or the first malformed reference. */
export type Parsed = { readonly parts: ReadonlyArray<string | Reference> } | { readonly malformed: Malformed }

export const SECRET_SCHEME = "secret://"

export const parse = (text: string): Parsed => {
  const parts: Array<string | Reference> = []
  let end = 0
  for (const { index } of text.matchAll(/secret:\/\//gi)) {
    const outcome =
      index < end ? complain(text, index, "two references need something between them") : readAt(text, index)
    if ("detail" in outcome) return { malformed: outcome }
    parts.push(text.slice(end, outcome.start), outcome.reference)
    end = outcome.end
  }
  parts.push(text.slice(end))
  return { parts }
}

interface Found {
  readonly reference: Reference
  readonly start: number
  readonly end: number
}

const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[\p{L}\p{N}\p{M}_.~+@=-]+`
const BRACED_SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[\p{L}\p{N}\p{M}_.~+@=\- ,:()[\]]+`
const grammar = (segment: string) =>
  new RegExp(`^(?<provider>[a-z][a-z0-9-]*)/(?<path>${segment}(?:/${segment})*)(?:#(?<version>[A-Za-z0-9_.-]+))?$`, "u")

const BARE = grammar(SEGMENT)
const BRACED = grammar(BRACED_SEGMENT)
/** How far a reference without braces extends, valid or not. */
const BARE_EXTENT = /(?:env\/[^\s"'`,&:|()<>[\]{}@]*|(?:file\/[A-Za-z]:(?=\/))?[^\s"'`,&:|()<>[\]{}]*)/y

const readAt = (text: string, index: number): Found | Malformed => {
  if (!text.startsWith(SECRET_SCHEME, index)) return complain(text, index, "the scheme is written in lower case")
  const isBraced = text[index - 1] === "{"
  if (isBraced && text[index - 2] === "$") return complain(text, index, "its braces must not have a dollar sign")
  const bodyStart = index + SECRET_SCHEME.length
  const bodyEnd = isBraced ? text.indexOf("}", bodyStart) : endOfBare(text, bodyStart)
  if (bodyEnd === -1) return complain(text, index, "its closing brace is missing")

  const body = text.slice(bodyStart, bodyEnd)
  const { groups } = (isBraced ? BRACED : BARE).exec(body.replace(DRIVE, "$1")) ?? {}
  if (groups === undefined) return complain(text, index, reasonOf(body))
  const drive = DRIVE.exec(body)?.[2] ?? ""
  const reference = {
    written: SECRET_SCHEME + body,
    provider: groups["provider"] ?? "",
    path: drive + (groups["path"] ?? ""),
    version: groups["version"]
  }
  return isBraced ? { reference, start: index - 1, end: bodyEnd + 1 } : { reference, start: index, end: bodyEnd }
}

const DRIVE = /^(file\/)([A-Za-z]:\/)/

const endOfBare = (text: string, start: number): number => {
  BARE_EXTENT.lastIndex = start
  return start + (BARE_EXTENT.exec(text)?.[0].length ?? 0)
}

const complain = (text: string, index: number, detail: string): Malformed => ({
  written: /^[^\s\p{C}"'`,;&]*/u.exec(text.slice(index, index + SECRET_REFERENCE_SHOWN_CHARS))?.[0] ?? SECRET_SCHEME,
  detail
})

const reasonOf = (body: string): string => {
  if (/^[A-Za-z0-9-]+\//.test(body) && !/^[^A-Z]+\//.test(body)) {
    return "it is not of the form secret://provider/path: a provider is written in lower case"
  }
  if (/^[^/]*$/.test(body)) return "it names no provider and path (secret://provider/path)"
  if (body.includes("%")) return "it must not be percent-encoded"
  if (/(?:^|\/)\.{1,2}(?:[/#]|$)/.test(body)) return "its path must not contain . or .."
  if (/^\/|\/\/|\/$/.test(body.replace(/#.*/, ""))) return "it has an empty part between its slashes"
  if (/#/.test(body) && BARE.test(body.replace(/#.*/, ""))) return "what follows # is not a version"
  return "it is not of the form secret://provider/path; where other text follows it directly, put it in braces: {secret://…}"
}
