/**
 * Variables in the texts of clients, translated from and into ours: `${NAME}`, `${NAME:-default}`, and `$${` for a literal `${`.
 */
import { basename, isAbsolute, join, sep } from "node:path"
import { isObject } from "../../data/Json.ts"
import { escapeReferences, mapReferences } from "../Interpolation.ts"
import { expandHome } from "../Resolve.ts"
import type { ClientContext } from "./ClientServer.ts"

/** An input that VS Code asks the person for. */
export interface Input {
  readonly id: string
  readonly description: string
  readonly isSecret: boolean
  readonly fallback: string | undefined
}

export interface Reading extends ClientContext {
  readonly inputs: ReadonlyMap<string, Input>
  /** Tells the person something about this text. */
  readonly remark: (message: string) => void
}

/** How a client writes variables. */
export interface VariableSyntax {
  /** Into our syntax; fails with the variable that only the client can know. */
  readonly read: (text: string, reading: Reading) => string
  /** One variable in the client's syntax; `undefined` if it has none, or none with a default. */
  readonly write: (name: string, fallback: string | undefined) => string | undefined
  /** Whether a literal text would be taken for a variable. */
  readonly seems: RegExp | undefined
}

/** A variable that only the client can know. */
export class OnlyTheirs extends Error {}

const NAME = /^[A-Za-z_]\w*$/
const PLAIN = /^[A-Za-z_]\w*(?::-[^}]*)?$/

/** A reference to a file or a variable, in braces if other text follows it. */
const secret = (path: string, isWhole: boolean): string => (isWhole ? `secret://${path}` : `{secret://${path}}`)

/** A relative path counts from `from`. */
const fileSecret = (given: string, from: string, { home }: ClientContext, isWhole: boolean): string => {
  const path = expandHome(given, home)
  const file = isAbsolute(path) ? path : join(from, path)
  const below = file.startsWith(home + sep) ? `~${file.slice(home.length)}` : file.replace(/^\//, "")
  return secret(`file/${below.replaceAll("\\", "/")}`, isWhole && !/[ ,:()[\]]/.test(below))
}

/** The name of the environment variable that stands for an input. */
export const variableOfInput = (id: string): string => {
  const name = id.toUpperCase().replace(/[^A-Z\d_]/g, "_")
  return NAME.test(name) ? name : `INPUT_${name}`
}

const ofInput = (id: string, { inputs, remark }: Reading, isWhole: boolean): string => {
  const { description, fallback, isSecret } = inputs.get(id) ?? UNKNOWN
  const name = variableOfInput(id)
  const asked = description === "" ? `the input "${id}"` : `"${description}"`
  remark(`asks for ${asked}: set the environment variable ${name}${fallback === undefined ? "" : "; it has a default"}`)
  if (isSecret) return secret(`env/${name}`, isWhole)
  return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback.replace(/[${}]/g, "")}}`
}

const UNKNOWN: Input = { id: "", description: "", isSecret: true, fallback: undefined }

/** `${kind:what}` and `${word}` of editors. */
const editorVariable = (inner: string, reading: Reading, isWhole: boolean): string => {
  const { home, remark, workspace } = reading
  const [, kind = "", what = ""] = /^([A-Za-z]+):(.*)$/s.exec(inner) ?? []
  if (kind === "env" && NAME.test(what)) return `\${${what}}`
  if (kind === "input") return ofInput(what, reading, isWhole)
  if (kind === "file") return fileSecret(what, reading.workspace, reading, isWhole)
  if (inner === "userHome") return escapeReferences(home)
  if (inner === "pathSeparator" || inner === "/") return sep
  if (inner === "workspaceFolderBasename") return escapeReferences(basename(workspace))
  if (/^(?:workspaceFolder|workspaceRoot|cwd)$/.test(inner) || kind === "workspaceFolder") {
    remark(`"\${${inner}}" is taken as ${workspace}`)
    return escapeReferences(workspace)
  }
  if (PLAIN.test(inner)) return `\${${inner}}`
  throw new OnlyTheirs(`\${${inner}}`)
}

const editor: VariableSyntax = {
  read: (text, reading) =>
    text.replace(/\$\{([^}]*)\}/g, (whole, inner: string) => editorVariable(inner, reading, whole === text)),
  write: (name, fallback) => (fallback === undefined ? `\${env:${name}}` : undefined),
  seems: /\$\{/
}

/** `${NAME}` and `${NAME:-default}`, as ours. */
const shell: VariableSyntax = {
  read: (text) => text,
  write: (name, fallback) => `\${${name}${fallback === undefined ? "" : `:-${fallback}`}}`,
  seems: /\$\{/
}

/** The same without a default, in capitals. */
const capitals: VariableSyntax = {
  ...shell,
  write: (name, fallback) => (fallback === undefined && /^[A-Z_][A-Z\d_]*$/.test(name) ? `\${${name}}` : undefined)
}

/** The same in any case. */
const plain: VariableSyntax = {
  ...shell,
  write: (name, fallback) => (fallback === undefined ? `\${${name}}` : undefined)
}

/** `$NAME` and `${NAME}`. */
const dollar: VariableSyntax = {
  read: (text) =>
    text.replace(/\$(?:([A-Za-z_]\w*)|\{([^}]*)\})/g, (whole, bare?: string, inner = "") =>
      bare === undefined ? (PLAIN.test(inner) ? whole : `$${whole}`) : `\${${bare}}`
    ),
  write: (name, fallback) => (fallback === undefined ? `\${${name}}` : undefined),
  seems: /\$[A-Za-z_{]/
}

/** `{env:NAME}` and `{file:path}`, whose path counts from the file that has it. */
const braces: VariableSyntax = {
  read: (text, reading) =>
    escapeReferences(text).replace(/\{(env|file):([^}]*)\}/g, (whole, kind: string, what: string) =>
      kind === "file"
        ? fileSecret(what, reading.folder, reading, whole === text)
        : NAME.test(what)
          ? `\${${what}}`
          : whole
    ),
  write: (name, fallback) => (fallback === undefined ? `{env:${name}}` : undefined),
  seems: /\{(?:env|file):/
}

/** No variables: every text is literal. */
const none: VariableSyntax = { read: escapeReferences, write: () => undefined, seems: undefined }

export const SYNTAXES = { editor, shell, plain, capitals, dollar, braces, none }

/** Every string in a value. */
export const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, map)]))
    : value
}

/** One of our texts in the client's syntax; throws `OnlyTheirs` with the variable that it cannot write. */
export const writeText = ({ seems, write }: VariableSyntax, text: string): string => {
  if (seems?.test(mapReferences(text, () => "\0")) === true) throw new OnlyTheirs("a text that looks like a variable")
  return mapReferences(text, (whole, name, fallback) => {
    if (name === undefined) {
      if (whole === "$${" && seems?.test("${") !== true) return "${"
      throw new OnlyTheirs("a literal ${")
    }
    const written = write(name, fallback)
    if (written === undefined) throw new OnlyTheirs(whole)
    return written
  })
}
