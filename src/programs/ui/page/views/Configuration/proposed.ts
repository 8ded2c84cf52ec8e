/** The fields of the form for one more server, and the server that they describe. */
import type { ProposedServer } from "../../../../../schemas/control/ConfigFile.ts"

export type ProposedKind = ProposedServer["_tag"]

export interface Fields {
  readonly kind: ProposedKind
  readonly name: string
  readonly command: string
  readonly cwd: string
  /** `NAME=VALUE`, one on each line. */
  readonly env: string
  readonly url: string
  /** `Name: value`, one on each line. */
  readonly headers: string
  readonly allowPrivate: boolean
  readonly listed: string
  /** What a server of the registry asks for. */
  readonly values: Readonly<Record<string, string>>
}

export const NO_FIELDS: Fields = {
  kind: "Command",
  name: "",
  command: "",
  cwd: "",
  env: "",
  url: "",
  headers: "",
  allowPrivate: false,
  listed: "",
  values: {}
}

/** A command as one types it: words between white space; quotes and a backslash keep white space together. No shell, no variables. */
export const splitWords = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.|[^\s"'\\])+/gs)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"?|'([^']*)'?|\\(.)/gs, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\])/g, "$1")
    )
  )

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** `undefined` while something is missing. */
export const serverOf = (fields: Fields): ProposedServer | undefined => {
  const [name, cwd, url, what] = [fields.name, fields.cwd, fields.url, fields.listed].map((each) => each.trim()) as [
    string,
    string,
    string,
    string
  ]
  const [first, ...rest] = splitWords(fields.command)
  switch (fields.kind) {
    case "Command":
      return first === undefined || name === ""
        ? undefined
        : { _tag: "Command", name, words: [first, ...rest], env: linesOf(fields.env), ...(cwd === "" ? {} : { cwd }) }
    case "Address":
      return url === "" || name === ""
        ? undefined
        : { _tag: "Address", name, url, headers: linesOf(fields.headers), allowPrivate: fields.allowPrivate }
    case "Listed": {
      const values = Object.fromEntries(Object.entries(fields.values).filter(([, value]) => value !== ""))
      return what === "" ? undefined : { _tag: "Listed", what, values, ...(name === "" ? {} : { name }) }
    }
  }
}
