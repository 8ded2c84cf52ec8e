/**
 * Conditions of rules, in CEL (https://cel.dev). A condition has the parts of the language that cost no more than their length times the
 * size of the claims: comparisons, membership, and quantifiers that do not stand in each other. So nothing that an issuer writes into a
 * token makes one slow: there are no regular expressions, and nothing builds a longer value than it was given. The code of the language
 * is loaded with the first condition.
 */
import type { ASTNode, ParseResult } from "@marcbachmann/cel-js"
import { createRequire } from "node:module"
import { lazy } from "../data/Memo.ts"
import {
  CONDITION_DEPTH_MAX,
  CONDITION_LIST_MAX,
  CONDITION_MAX_CHARS,
  CONDITION_NODES_MAX
} from "../defaults/Clients.ts"
import type { Identity } from "./Identity.ts"

/** Whether it holds, or what went wrong: a code, and the part of the condition. No text of a token is in it. */
export type Held = boolean | { readonly failed: string }

export interface Condition {
  readonly holds: (identity: Identity) => Held
}

/** Why a text is no condition. */
export interface ConditionFault {
  readonly fault: string
}

const library = lazy(() => {
  const { Environment } = createRequire(import.meta.url)(
    "@marcbachmann/cel-js"
  ) as typeof import("@marcbachmann/cel-js")
  return new Environment({
    limits: {
      maxAstNodes: CONDITION_NODES_MAX,
      maxDepth: CONDITION_DEPTH_MAX,
      maxListElements: CONDITION_LIST_MAX,
      maxMapEntries: 0,
      maxCallArguments: 2
    }
  })
    .registerVariable({ name: "person", schema: { name: "string", issuer: "string", subject: "string" } })
    .registerVariable("client", "string")
    .registerVariable("groups", "list<string>")
    .registerVariable("roles", "list<string>")
    .registerVariable("scopes", "list<string>")
    .registerVariable("claims", "map<string, dyn>")
})

const QUANTIFIERS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter"])
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...QUANTIFIERS,
  "has",
  "size",
  "startsWith",
  "endsWith",
  "contains",
  "string",
  "int",
  "double",
  "bool"
])
const OPERATORS: ReadonlySet<string> = new Set(
  "value id . [] list ?: || && !_ -_ == != in < <= > >= call rcall".split(" ")
)

const isNode = (value: unknown): value is ASTNode => typeof value === "object" && value !== null && "op" in value

const partsOf = ({ args }: ASTNode): ReadonlyArray<ASTNode> => [args].flat(2).filter(isNode)

const shownAs = (name: string): string => (/^\w+$/.test(name) ? `${name}()` : `'${name}'`)

/** What of the language a condition must not use, if it does. */
const foreignIn = (node: ASTNode, within = false): string | undefined => {
  const called = node.op === "call" || node.op === "rcall" ? String(node.args[0]) : undefined
  if (!OPERATORS.has(node.op)) return `it must not use '${node.op.replace("_", "")}'`
  if (called !== undefined && !FUNCTIONS.has(called)) {
    const instead = called === "matches" ? ": use startsWith(), endsWith() or contains(), or a pattern in who" : ""
    return `it must not use ${shownAs(called)}${instead}`
  }
  const isQuantifier = called !== undefined && QUANTIFIERS.has(called)
  if (isQuantifier && within) return `${called}() must not stand within another one: use 'in' for the inner one`
  for (const part of partsOf(node)) {
    const found = foreignIn(part, within || isQuantifier)
    if (found !== undefined) return found
  }
  return undefined
}

/** Errors of the library quote the condition over several lines; the first says what is wrong. */
const said = (error: unknown): string => {
  const { range, summary } = error as { readonly summary?: string; readonly range?: { readonly start: number } }
  const what = (summary ?? String(error)).split("\n")[0]!.trim()
  return range === undefined ? what : `${what}, at character ${range.start + 1}`
}

const PART_MAX_CHARS = 80

/** What the library quotes may be of the token; the part of the condition where it failed is not. Of a name after a dot, all before it belongs to it. */
const failureOf = (text: string, error: unknown): string => {
  const { code = "unexpected", range } = error as {
    readonly code?: unknown
    readonly range?: { readonly start: number; readonly end: number }
  }
  if (range === undefined) return String(code)
  const before = /[\w.]*$/.exec(text.slice(0, range.start))![0]
  const part = before + text.slice(range.start, range.end)
  return part.length > PART_MAX_CHARS ? String(code) : `${String(code)}: ${part}`
}

const variablesOf = ({ claims, client, groups, person, roles, scopes }: Identity) => ({
  person: { name: person?.name ?? "", issuer: person?.issuer ?? "", subject: person?.subject ?? "" },
  client,
  groups,
  roles,
  scopes,
  ...(claims === undefined ? {} : { claims })
})

const conditionOf = (text: string, program: ParseResult): Condition => ({
  holds: (identity) => {
    try {
      const value: unknown = program(variablesOf(identity))
      return typeof value === "boolean" ? value : { failed: "no_boolean" }
    } catch (error) {
      return { failed: failureOf(text, error) }
    }
  }
})

/** The condition that a text is, or why it is none. */
export const compileCondition = (text: string): Condition | ConditionFault => {
  if (text.length > CONDITION_MAX_CHARS) return { fault: `has more than ${CONDITION_MAX_CHARS} characters` }
  try {
    const program = library().parse(text)
    const foreign = foreignIn(program.ast)
    if (foreign !== undefined) return { fault: foreign }
    const { error, type = "", valid } = program.check()
    if (!valid) return { fault: said(error) }
    return type === "bool" || type === "dyn"
      ? conditionOf(text, program)
      : { fault: `must be true or false, is of type ${type}` }
  } catch (error) {
    return { fault: said(error) }
  }
}
