/** Finds the credentials of an entry, and puts references in their places. Pure: somebody else stores them. */
import { memberAt, withMember } from "../../data/Members.ts"
import { interpolate } from "../Interpolation.ts"
import { noLines } from "../KeyLines.ts"
import { makeReport } from "../Report.ts"
import { type PlainCredential, plainCredentials } from "../ServerCredentials.ts"
import { readServerEntry } from "../ServerEntry.ts"
import type { Entry } from "./ImportPlan.ts"

/** A credential that can be moved. */
export interface Movable {
  /** Of the variable, header, parameter or option. */
  readonly name: string
  readonly secret: string
  /** The entry with a reference in its place. */
  readonly replacedBy: (reference: string) => Entry
}

const SCHEME_WORD = /^(?:bearer|basic|token|apikey)\s+/i
const ASSIGNED = /^-{0,2}[A-Za-z][\w-]{0,127}=/

/** The text before, in and after the credential; `undefined` if it cannot be cut out. */
const cut = ({ kind, name, value }: PlainCredential, text: string) => {
  if (kind === "url") {
    const start = ["?", "&"].map((mark) => text.indexOf(`${mark}${name}=${value}`)).find((at) => at !== -1)
    if (start === undefined) return undefined
    const from = start + name.length + 2
    return { before: text.slice(0, from), inner: value, after: text.slice(from + value.length) }
  }
  // A credential within an address that is an argument is left where it is.
  if (kind === "args" && name === "url") return undefined
  const before = (kind === "args" ? ASSIGNED : SCHEME_WORD).exec(text)?.[0] ?? ""
  return { before, inner: text.slice(before.length), after: "" }
}

/** In braces where text follows, and where the path has characters that would end it. */
const written = (reference: string, after: string): string =>
  after === "" && !/[\s,&:|()<>[\]{}]/.test(reference.slice("secret://".length)) ? reference : `{${reference}}`

/** Those of an entry in the words of openclaw.json. A part that comes from the environment is no credential of the file. */
export const movableIn = (entry: Entry): ReadonlyArray<Movable> => {
  const decoded = readServerEntry(makeReport("", noLines), "openclaw", [], entry)
  return (decoded === undefined ? [] : plainCredentials(decoded)).flatMap((credential): ReadonlyArray<Movable> => {
    const { name, path } = credential
    const text = memberAt(entry, path)
    const parts = typeof text === "string" ? cut(credential, text) : undefined
    if (parts === undefined) return []
    const { after, before, inner } = parts
    const { missing, text: secret } = interpolate(inner, {})
    if (missing.length > 0 || secret === "") return []
    const replacedBy = (reference: string) =>
      withMember(entry, path, `${before}${written(reference, after)}${after}`) as Entry
    return [{ name, secret, replacedBy }]
  })
}
