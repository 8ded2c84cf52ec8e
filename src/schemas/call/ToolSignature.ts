/**
 * Describes a tool's arguments for people: names, types, defaults and descriptions, from its JSON Schema. Shows one level of
 * nesting; deeper values are `object`.
 */
import { isObject, type JsonObject } from "../data/Json.ts"
import { nearest } from "./Names.ts"
import { clip, renderTools, table } from "../content/Rendering.ts"
import { spelledName } from "../content/SpelledText.ts"
import { originMark, type AgentTool } from "./Tool.ts"
import type { Typing } from "./ToolArguments.ts"

const TYPE_MAX_CHARS = 60
const LACKING_MAX_CHARS = 300
const DEFAULT_MAX_CHARS = 40
const LITERALS_MAX = 12
/** Narrower descriptions are unreadable on any terminal. */
const NARROWEST = 30

export interface Argument {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** As JSON; `undefined` when there is none. */
  readonly default: string | undefined
}

const literals = (values: ReadonlyArray<unknown>): string => {
  const shown = values.slice(0, LITERALS_MAX).map((value) => JSON.stringify(value))
  return [...shown, ...(values.length > LITERALS_MAX ? ["…"] : [])].join(" | ")
}

const resolve = (schema: unknown, root: JsonObject): unknown => {
  const ref = isObject(schema) ? schema["$ref"] : undefined
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema
  const path = ref.slice(2).split("/")
  return path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root)
}

const membersOf = (schema: Record<string, unknown>): Record<string, unknown> =>
  isObject(schema["properties"]) ? schema["properties"] : {}

const requiredOf = (schema: Record<string, unknown>): ReadonlyArray<unknown> =>
  Array.isArray(schema["required"]) ? schema["required"] : []

const inUnion = (types: ReadonlyArray<string>): string => [...new Set(types)].join(" | ")

const typeOf = (given: unknown, root: JsonObject, depth = 0): string => {
  const schema = resolve(given, root)
  if (!isObject(schema)) return "any"
  if (Array.isArray(schema["enum"])) return literals(schema["enum"])
  if ("const" in schema) return JSON.stringify(schema["const"])
  for (const key of ["anyOf", "oneOf"]) {
    const choices = schema[key]
    if (Array.isArray(choices) && depth < 2) return inUnion(choices.map((choice) => typeOf(choice, root, depth + 1)))
  }
  const { type } = schema
  if (Array.isArray(type)) return inUnion(type.map((one) => typeOf({ ...schema, type: one as unknown }, root, depth)))
  if (type === "array") {
    const item = depth < 2 ? typeOf(schema["items"], root, depth + 1) : "any"
    return item.includes(" ") ? `(${item})[]` : `${item}[]`
  }
  if (type !== "object") return typeof type === "string" ? type : "any"
  const members = Object.entries(membersOf(schema))
  if (members.length === 0 || depth >= 1) return "object"
  const required = requiredOf(schema)
  const inside = members.map(
    ([name, member]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(member, root, depth + 1)}`
  )
  return `{ ${inside.join(", ")} }`
}

/** The arguments of a tool, required ones first. */
export const argumentsOf = ({ parameters }: Pick<AgentTool, "parameters">): ReadonlyArray<Argument> => {
  const required = requiredOf(parameters)
  const all = Object.entries(membersOf(parameters)).map(([name, given]): Argument => {
    const schema = resolve(given, parameters)
    const said = isObject(schema) ? schema : {}
    const fallback = said["default"]
    return {
      name,
      type: typeOf(given, parameters),
      required: required.includes(name),
      description: typeof said["description"] === "string" ? said["description"] : "",
      default: fallback === undefined ? undefined : JSON.stringify(fallback)
    }
  })
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)]
}

/** Lines of at most `columns` characters, broken between words; a longer word gets its own line. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> =>
  text.split("\n").flatMap((paragraph) => {
    const lines = [""]
    for (const word of paragraph.split(/\s+/).filter((one) => one !== "")) {
      const last = lines.at(-1)!
      if (last === "") lines[lines.length - 1] = word
      else if (last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
      else lines.push(word)
    }
    return lines
  })

const indented = (text: string, columns: number, indent: number): ReadonlyArray<string> =>
  wrap(text, Math.max(columns - indent, NARROWEST)).map((line) => `${" ".repeat(indent)}${line}`.trimEnd())

const aboutArgument = ({ default: fallback, description }: Argument): string =>
  [description, ...(fallback === undefined ? [] : [`Default: ${clip(fallback, DEFAULT_MAX_CHARS)}`])]
    .filter((text) => text !== "")
    .join(" ")

/** One tool in full: signature, description and each argument. */
export const renderTool = (tool: AgentTool, columns: number): string => {
  const all = argumentsOf(tool)
  const signature = all.map(
    ({ name, required, type }) => `${name}${required ? "" : "?"}: ${clip(type, TYPE_MAX_CHARS)}`
  )
  const oneLine = `${tool.name}(${signature.join(", ")})`
  const head = oneLine.length <= columns ? [oneLine] : [`${tool.name}(`, ...signature.map((one) => `  ${one},`), ")"]
  const about = indented(tool.description.replace(originMark(tool.server), ""), columns, 2)
  const details = all.flatMap((one) => [
    `  ${one.name}  ${one.type}${one.required ? "" : ", optional"}`,
    ...(aboutArgument(one) === "" ? [] : indented(aboutArgument(one), columns, 6))
  ])
  const origin = table([
    ["  server", tool.server],
    ["  tool", tool.tool]
  ])
  return [head, about, origin.split("\n"), details]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")
}

/** Finds the tool with this exposed name or `server/tool`. */
export const toolNamed = <A extends Pick<AgentTool, "name" | "server" | "tool">>(
  tools: ReadonlyArray<A>,
  name: string
): A | undefined => tools.find((one) => one.name === name || `${one.server}/${one.tool}` === name)

/** The one tool of this name, or the tools whose name or description contains the text. */
export const toolsMeant = (tools: ReadonlyArray<AgentTool>, text: string): ReadonlyArray<AgentTool> => {
  const named = toolNamed(tools, text)
  if (named !== undefined) return [named]
  const wanted = text.toLowerCase()
  return tools.filter(({ description, name }) =>
    [name, description].some((each) => each.toLowerCase().includes(wanted))
  )
}

/** Describes the tools that match a word: the arguments of a single one, a line for each of several, or the most similar names. */
export const renderMeant = (tools: ReadonlyArray<AgentTool>, text: string, columns: number): string => {
  const meant = toolsMeant(tools, text)
  const [only] = meant
  if (only === undefined && tools.length > 0) return noneWords(tools, text)
  return meant.length === 1 && only !== undefined ? renderTool(only, columns) : renderTools(meant, columns)
}

const suggestion = (text: string, names: Iterable<string>): string => {
  const near = nearest(text, names)
  return near === null ? "" : `; did you mean '${spelledName(near)}'?`
}

const pathsOf = (tools: ReadonlyArray<AgentTool>) => tools.map(({ server, tool }) => `${server}/${tool}`)

const noneWords = (tools: ReadonlyArray<AgentTool>, text: string): string => {
  const names = tools.flatMap(({ name, server }) => [name, server])
  return `No tool has '${spelledName(clip(text, TYPE_MAX_CHARS))}' in its name or description${suggestion(text, new Set([...names, ...pathsOf(tools)]))}`
}

/** Where a person sees the tools and their arguments: in a shell, or at the prompt. */
type ShownBy = "mcp-live tools" | "/tools"

/** For a person who named an unknown tool, or a server in place of one. */
export const unknownWords = (tools: ReadonlyArray<AgentTool>, text: string, shownBy: ShownBy): string => {
  if (tools.some(({ server }) => server === text))
    return `'${spelledName(text)}' is a server: '${shownBy} ${spelledName(text)}' lists its tools`
  const names = text.includes("/") ? pathsOf(tools) : tools.map(({ name }) => name)
  const server = tools.find((tool) => text.startsWith(`${tool.server}/`))?.server
  return `no tool is called '${spelledName(clip(text, TYPE_MAX_CHARS))}'${suggestion(text, names) || `; '${shownBy}${server === undefined ? "" : ` ${spelledName(server)}`}' lists them`}`
}

/** For a person whose words are no arguments. */
export const unreadWords = (fault: string, name: string, shownBy: ShownBy): string =>
  `${fault}; '${shownBy} ${spelledName(clip(name, TYPE_MAX_CHARS))}' shows the arguments`

const inWords = (names: ReadonlyArray<string>): string =>
  clip(names.map((name) => spelledName(clip(name, TYPE_MAX_CHARS))).join(", "), LACKING_MAX_CHARS)

/**
 * For a person whose call failed: names the missing required arguments, those that the tool does not have, and the command
 * that shows them; `undefined` when none is missing.
 */
export const lackingWords = (
  { parameters, server, tool }: AgentTool,
  args: Readonly<Record<string, unknown>>,
  shownBy: ShownBy
): string | undefined => {
  const required = parameters["required"]
  const lacking = (Array.isArray(required) ? required : []).filter(
    (key): key is string => typeof key === "string" && !Object.hasOwn(args, key)
  )
  if (lacking.length === 0) return undefined
  const strange = Object.keys(args).filter((key) => !Object.hasOwn(membersOf(parameters), key))
  const path = `${spelledName(server)}/${spelledName(tool)}`
  const misspelt = strange.length === 0 ? "" : `, and has no argument ${inWords(strange)}`
  return `${path} needs ${inWords(lacking)}, which the call left out${misspelt}: '${shownBy} ${path}' shows its arguments`
}

// ---- values --------------------------------------------------------------------------------------------------------

type Kind = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object"

const kindOf = (value: unknown): ReadonlyArray<Kind> => {
  if (value === null) return ["null"]
  if (Array.isArray(value)) return ["array"]
  if (typeof value === "number") return Number.isInteger(value) ? ["integer", "number"] : ["number"]
  return [typeof value as Kind]
}

/** The types of value that an argument may have; empty when the schema does not say. */
const kindsAllowed = (given: unknown, root: JsonObject, depth = 0): ReadonlyArray<string> => {
  const schema = resolve(given, root)
  if (!isObject(schema) || depth > 3) return []
  if (Array.isArray(schema["enum"])) return schema["enum"].flatMap(kindOf)
  if ("const" in schema) return kindOf(schema["const"])
  const { type } = schema
  if (type !== undefined) return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string")
  const choices = [schema["anyOf"], schema["oneOf"]].find((one) => Array.isArray(one)) ?? []
  return choices.flatMap((choice) => kindsAllowed(choice, root, depth + 1))
}

/** Converts a typed value to what the tool's schema accepts: `5` stays text if the schema asks for text. */
export const typingOf =
  (tool: Pick<AgentTool, "parameters"> | undefined): Typing =>
  (name, text, read) => {
    const parameters = tool?.parameters ?? {}
    const members = membersOf(parameters)
    const allowed = Object.hasOwn(members, name) ? kindsAllowed(members[name], parameters) : []
    const isTaken = typeof read !== "string" && kindOf(read).some((kind) => allowed.includes(kind))
    return allowed.includes("string") && !isTaken ? text : read
  }
