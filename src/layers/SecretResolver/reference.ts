/**
 * The grammar of secret references, and finding them in a text. Pure.
 *
 *     reference = "secret://" provider "/" path [ "#" version ]
 *     provider  = a lower-case letter, then lower-case letters, digits and dashes
 *     path      = segments between single slashes, of letters, digits and "_ . - ~ + @ ="; none of them "." or ".."
 *     version   = letters, digits and "_ . -"
 *
 * A reference stands alone, or inside a longer text where white space, a quote, a bracket, or one of , & : | ends it:
 * `Bearer secret://env/TOKEN`, `https://host/?key=secret://env/KEY&x=1`, `secret://env/USER:secret://env/PASSWORD`. Where
 * other text follows directly, braces say where it ends: `https://{secret://env/TENANT}.example/`. The name of an
 * environment variable also ends before an `@`.
 *
 * Whatever contains `secret://`, in any case, and is not such a reference is malformed; nothing of it is passed on.
 */
import { SECRET_REFERENCE_SHOWN_CHARS } from "../../schemas/Defaults.ts"

export interface Reference {
  /** As it was written, without braces. */
  readonly written: string
  readonly provider: string
  readonly path: string
  readonly version: string | undefined
}

export interface Malformed {
  /** The beginning of what was written, enough to find it. */
  readonly written: string
  readonly detail: string
}

/** A text taken apart: literal pieces and references, in order. */
export type Part = string | Reference

export const parse = (text: string): { readonly parts: ReadonlyArray<Part> } | { readonly malformed: Malformed } => {
  const parts: Array<Part> = []
  let end = 0
  for (const match of text.matchAll(/\$?\{?secret:\/\//gi)) {
    // The scheme may occur again inside a reference that was just read, but then that one was malformed.
    const read = readAt(text, match.index)
    if ("detail" in read) return { malformed: read }
    parts.push(text.slice(end, match.index), read.reference)
    end = read.end
  }
  parts.push(text.slice(end))
  return { parts: parts.filter((part) => part !== "") }
}

/** Where a bare reference may end. */
const ENDS = String.raw`(?=$|[\s"'\`,&:|()<>[\]{}])`
const SEGMENT = String.raw`(?!\.{1,2}(?:/|#|$|[\s"'\`,&:|()<>[\]{}]))[\w.~+@=-]+`
const PATH = `${SEGMENT}(?:/${SEGMENT})*`
const TAIL = String.raw`(?:#(?<version>[\w.-]+))?`

const ENV = new RegExp(
  String.raw`secret://(?<provider>env)/(?<path>[A-Za-z_]\w*)${TAIL}(?=$|[\s"'\`,&:|()<>[\]{}@])`,
  "y"
)
/** A drive may lead the path of a file: \`C:/secrets/token\`. */
const FILE = new RegExp(String.raw`secret://(?<provider>file)/(?<path>(?:[A-Za-z]:/)?${PATH})${TAIL}${ENDS}`, "y")
const OTHER = new RegExp(String.raw`secret://(?<provider>[a-z][a-z0-9-]*)/(?<path>${PATH})${TAIL}${ENDS}`, "y")

const readAt = (text: string, index: number): { readonly reference: Reference; readonly end: number } | Malformed => {
  const opening = /^\$?\{/.exec(text.slice(index, index + 2))?.[0] ?? ""
  const start = text[index] === "$" && opening === "" ? index + 1 : index + opening.length
  const match = [ENV, FILE, OTHER].map((grammar) => matchAt(grammar, text, start)).find((found) => found !== null)
  const written = shown(text, start)
  if (match === undefined) return { written, detail: complaint(text, start) }
  const { path = "", provider = "", version } = match.groups ?? {}
  if (provider === "env" && path.includes("/"))
    return { written, detail: "an environment variable has no slash in its name" }
  const end = start + match[0].length
  if (opening !== "" && text[end] !== "}") return { written, detail: "the closing brace is missing" }
  return { reference: { written: match[0], provider, path, version }, end: opening === "" ? end : end + 1 }
}
