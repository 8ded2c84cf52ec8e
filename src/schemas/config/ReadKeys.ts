/**
 * Decodes values with their schemas, and reports each error with its own path. One wrong value does not affect others:
 * decoding continues, so that all errors are reported at once.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { nearest } from "../call/Names.ts"
import { closed, kindOf, member, show } from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import { notesOf } from "./Notes.ts"
import { type Report, unknownKey } from "./Report.ts"

/** A schema that needs nothing but the value. */
export type Readable = Schema.Codec<unknown, unknown>
export type Keys = Readonly<Record<string, Readable>>

type Values<K extends Keys> = { readonly [Name in keyof K]?: K[Name]["Type"] }

const OPTIONS = { errors: "all", onExcessProperty: "error", reportInput: true } as const

const usualProblem = ({ _tag }: SchemaAST.AST, value: unknown): string | undefined => {
  if (_tag === "Boolean") return `must be true or false, is ${show(value)}`
  return _tag === "Objects" ? `must be an object, is ${kindOf(value)}` : undefined
}

const problemOf = (issue: SchemaIssue.Issue): string | undefined => {
  if (!("ast" in issue) || issue._tag === "UnexpectedKey") return undefined
  const value = "input" in issue ? issue.input : undefined
  const problem = notesOf(issue.ast).problem?.(value)
  return problem ?? (issue._tag === "InvalidType" ? usualProblem(issue.ast, value) : undefined)
}

const isOf = (tag: SchemaIssue.Issue["_tag"]) => (issue: SchemaIssue.Issue) =>
  issue._tag === "Pointer" && issue.issue._tag === tag

/** A missing key is probably the misspelt one next to it. */
const withoutFollowing = (issues: ReadonlyArray<SchemaIssue.Issue>): ReadonlyArray<SchemaIssue.Issue> =>
  issues.some(isOf("UnexpectedKey")) ? issues.filter((issue) => !isOf("MissingKey")(issue)) : issues

const tell = (report: Report, path: KeyPath, issue: SchemaIssue.Issue): void => {
  const problem = problemOf(issue)
  if (problem !== undefined) return report.error(path, problem)
  switch (issue._tag) {
    case "Pointer":
      return tell(report, [...path, ...(issue.path as KeyPath)], issue.issue)
    case "Encoding":
    case "Filter":
      return tell(report, path, issue.issue)
    case "Composite":
    case "AnyOf":
      for (const inner of withoutFollowing(issue.issues)) tell(report, path, inner)
      return
    case "UnexpectedKey":
      return report.error(path, unknownIn(issue.ast, String(path.at(-1))))
    case "MissingKey":
      return report.error(path, "is missing")
    default:
      return report.error(path, "is not a known key")
  }
}

const unknownIn = (ast: SchemaAST.AST, key: string): string => {
  const known = SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const { synonyms = {}, unknown: there } = notesOf(ast)
  if (Object.hasOwn(synonyms, key)) return `unknown key, did you mean "${synonyms[key]!}"?`
  return there === undefined || nearest(key, known) !== null ? unknownKey(key, known) : there
}

/** The decoded value, or `undefined` after an error was reported. */
export const readValue = <S extends Readable>(
  schema: S,
  report: Report,
  path: KeyPath,
  value: unknown
): S["Type"] | undefined => {
  const read = Schema.decodeUnknownResult(schema, OPTIONS)(value)
  if (Result.isFailure(read)) {
    tell(report, path, read.failure.issue)
    return undefined
  }
  const advice = notesOf(schema.ast).advice?.(value)
  if (advice !== undefined) report.warn(path, advice)
  return read.success
}

/** The valid members of an object. Unknown ones are errors. */
export const readKeys = <K extends Keys>(keys: K, report: Report, path: KeyPath, value: unknown): Values<K> => {
  const names = Object.keys(keys)
  const raw = closed(report, path, value, names)
  const read = names.flatMap((name) => {
    const given = member(raw, name)
    const result = given === undefined ? undefined : readValue(keys[name]!, report, [...path, name], given)
    return result === undefined ? [] : [[name, result] as const]
  })
  return Object.fromEntries(read) as Values<K>
}
