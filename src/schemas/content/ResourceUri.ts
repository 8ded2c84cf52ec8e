/**
 * URIs of resources: which of them a filter lets through, and which template one may be made from. A URI stays what its
 * server wrote, and is only ever sent back there; what is compared here is never sent. All of it in linear time for a given
 * filter: servers and models choose the texts.
 */
import { URI_MAX_CHARS } from "../defaults/Texts.ts"
import { matchesGlob } from "../data/Glob.ts"

export interface UriFilter {
  /**
   * Whether a glob lets the URI through. URIs are compared as RFC 3986 does: scheme and host without case, nothing escaped
   * that needs no escape. One that servers may understand in different ways (dot segments, control characters, escapes
   * that are no text, however often they are escaped themselves) passes no filter: nobody who means well writes one.
   */
  readonly admits: (uri: string) => boolean
  /** Whether some URI made from the template may pass. */
  readonly admitsTemplate: (uriTemplate: string) => boolean
}

const EVERYTHING: UriFilter = { admits: (uri) => uri.length <= URI_MAX_CHARS, admitsTemplate: () => true }

/** A filter of no globs lets everything through. */
export const makeUriFilter = (globs: ReadonlyArray<string>): UriFilter => {
  if (globs.length === 0) return EVERYTHING
  const rules = globs.flatMap((glob) => comparable(glob, GLOB_ORIGIN) ?? [])
  const beginnings = rules.map((rule) => /^[^*?]*/.exec(rule)![0])
  return {
    admits: (uri) => {
      if (uri.length > URI_MAX_CHARS || !isUnequivocal(uri)) return false
      const own = comparable(uri, URI_ORIGIN)
      return own !== undefined && rules.some((rule) => matchesGlob(rule, own))
    },
    admitsTemplate: (uriTemplate) => {
      const own = comparable(literalsOf(uriTemplate)[0]!, URI_ORIGIN)
      return own !== undefined && beginnings.some((rule) => rule.startsWith(own) || own.startsWith(rule))
    }
  }
}

// ---- spellings -----------------------------------------------------------------------------------------------------

/** Scheme and authority, which have no case. */
const URI_ORIGIN = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i
/** Of a glob only up to its first wildcard: what a wildcard takes may go on into the path. */
const GLOB_ORIGIN = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#*]*)?/i

/** The one spelling of a URI, or of a glob, that all of the same meaning have. `undefined` when there is none. */
const comparable = (text: string, origin: RegExp): string | undefined =>
  unescape(text, (plain) => plain.replace(RESERVED, escapeOne))?.replace(origin, (part) => part.toLowerCase())

const ESCAPES = /(?:%[0-9a-f]{2})+/gi
/** An escape of one of these says something else than the character itself. */
const RESERVED = /[%:/?#[\]@!$&'()*+,;=\\]/g

const escapeOne = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** `undefined` when escapes are no text. */
const unescape = (text: string, keep: (plain: string) => string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return text.replace(ESCAPES, (run) => keep(decodeURIComponent(run)))
  } catch {
    return undefined
  }
}

// ---- what may be understood in different ways ----------------------------------------------------------------------

/** Escapes of escapes; who nests deeper is hiding something. */
const ROUNDS_MAX = 4

/** As the most lenient server reads it; `undefined` when there is no end to it. */
const unescapeAll = (uri: string): string | undefined => {
  let text: string | undefined = uri
  for (let round = 0; text !== undefined && round <= ROUNDS_MAX; round++) {
    const before: string = text
    text = unescape(before, (plain) => plain)
    if (text === before) return text
  }
  return undefined
}

/** Nothing but dots between two things that may divide a path. */
const DOT_SEGMENT = /(?:^|[/\\?#&=;:,@|\s])\.+(?=$|[/\\?#&;,@|\s])/
/** What parsers of URIs skip, and what ends a C string. */
const SKIPPED = /[\p{Cc}\p{Zl}\p{Zp}]|^\s|\s$/u

const isUnequivocal = (uri: string): boolean => {
  const text = unescapeAll(uri)
  // Also in full width, and in the other forms that are compatible with a dot or a slash.
  return (
    text !== undefined && !SKIPPED.test(text) && ![text, text.normalize("NFKC")].some((one) => DOT_SEGMENT.test(one))
  )
}

// ---- templates -----------------------------------------------------------------------------------------------------

/** What stands around the expressions of a template (RFC 6570). */
const literalsOf = (uriTemplate: string): ReadonlyArray<string> => uriTemplate.split(/\{[^{}]*\}/)

/**
 * Whether a URI may have been made from a template: its literals are there, in order. An expression may have become
 * anything; the server knows better, this only tells which server to ask.
 */
export const mayComeFrom = (uriTemplate: string, uri: string): boolean => {
  const literals = literalsOf(uriTemplate)
  if (literals.length === 1) return uri === uriTemplate
  const [first, last] = [literals[0]!, literals.at(-1)!]
  const end = uri.length - last.length
  if (end < first.length || !uri.startsWith(first) || !uri.endsWith(last)) return false
  let at = first.length
  for (const literal of literals.slice(1, -1)) {
    const found = indexOf(uri, literal, at)
    if (found < 0 || found + literal.length > end) return false
    at = found + literal.length
  }
  return true
}

/** As `indexOf` of a string, but linear also for what repeats itself (Knuth, Morris and Pratt). */
const indexOf = (text: string, piece: string, from: number): number => {
  const borders = new Int32Array(piece.length)
  for (let i = 1, k = 0; i < piece.length; i++) {
    while (k > 0 && piece[i] !== piece[k]) k = borders[k - 1]!
    if (piece[i] === piece[k]) k++
    borders[i] = k
  }
  let matched = 0
  for (let i = from; i < text.length && matched < piece.length; i++) {
    while (matched > 0 && text[i] !== piece[matched]) matched = borders[matched - 1]!
    if (text[i] === piece[matched]) matched++
    if (matched === piece.length) return i - piece.length + 1
  }
  return piece.length === 0 ? from : -1
}
