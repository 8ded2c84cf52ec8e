/**
 * URIs of resources: which ones a filter allows, and which template one may come from. A server's URI is never changed and
 * only sent back to that server; the normalized forms are only compared. Linear for a given filter, because servers and
 * models choose the texts.
 */
import { URI_MAX_CHARS } from "../defaults/Texts.ts"
import { matchesGlob } from "../data/Glob.ts"

export interface UriFilter {
  /**
   * Whether a glob allows the URI. URIs are compared as in RFC 3986: scheme and host ignore case, and unneeded escapes are
   * removed. A URI that servers may read in different ways (dot segments, control characters, invalid escapes, however often
   * they are nested) passes no filter: no honest server needs one.
   */
  readonly admits: (uri: string) => boolean
  /** Whether any URI from the template may pass. */
  readonly admitsTemplate: (uriTemplate: string) => boolean
}

const EVERYTHING: UriFilter = { admits: (uri) => uri.length <= URI_MAX_CHARS, admitsTemplate: () => true }

/** Without globs everything is allowed. */
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

// ---- normal forms --------------------------------------------------------------------------------------------------

/** Scheme and authority, which ignore case. */
const URI_ORIGIN = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i
/** For a glob, only up to its first wildcard, which may extend into the path. */
const GLOB_ORIGIN = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#*]*)?/i

/** The normal form that all equivalent URIs, or globs, share. `undefined` when there is none. */
const comparable = (text: string, origin: RegExp): string | undefined =>
  unescape(text, (plain) => plain.replace(RESERVED, escapeOne))?.replace(origin, (part) => part.toLowerCase())

const ESCAPES = /(?:%[0-9a-f]{2})+/gi
/** The escaped form of these characters has another meaning. */
const RESERVED = /[%:/?#[\]@!$&'()*+,;=\\]/g

const escapeOne = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** `undefined` for invalid escapes. */
const unescape = (text: string, keep: (plain: string) => string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return text.replace(ESCAPES, (run) => keep(decodeURIComponent(run)))
  } catch {
    return undefined
  }
}

// ---- ambiguous URIs ------------------------------------------------------------------------------------------------

/** Levels of nested escapes; a deeper nesting hides something. */
const ROUNDS_MAX = 4

/** As the most lenient server would read it; `undefined` when the nesting is too deep. */
const unescapeAll = (uri: string): string | undefined => {
  let text: string | undefined = uri
  for (let round = 0; text !== undefined && round <= ROUNDS_MAX; round++) {
    const before: string = text
    text = unescape(before, (plain) => plain)
    if (text === before) return text
  }
  return undefined
}

/** Only dots between two possible path separators. */
const DOT_SEGMENT = /(?:^|[/\\?#&=;:,@|\s])\.+(?=$|[/\\?#&;,@|\s])/
/** What URI parsers skip, and what ends a C string. */
const SKIPPED = /[\p{Cc}\p{Zl}\p{Zp}]|^\s|\s$/u

const isUnequivocal = (uri: string): boolean => {
  const text = unescapeAll(uri)
  // Also checks full-width forms and others that are compatible with a dot or a slash.
  return (
    text !== undefined && !SKIPPED.test(text) && ![text, text.normalize("NFKC")].some((one) => DOT_SEGMENT.test(one))
  )
}

// ---- templates -----------------------------------------------------------------------------------------------------

/** The text around the expressions of a template (RFC 6570). */
const literalsOf = (uriTemplate: string): ReadonlyArray<string> => uriTemplate.split(/\{[^{}]*\}/)

/**
 * Whether a URI may come from a template: its literals occur in order. An expression matches anything: this only decides
 * which server to ask.
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

/** As `indexOf` of a string, but linear also for repetitive texts (Knuth, Morris and Pratt). */
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
