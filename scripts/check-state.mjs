/**
 * Fails where a module of `src/` keeps state. What changes belongs to an object that a layer makes, or to a `Context.Reference`.
 * It finds, outside of functions:
 * - `let` and `var`;
 * - a constant that a function of the same file changes: by assignment to its members, or by a method such as `set` or `push`;
 * - static fields that are not `readonly`;
 * - an instance of a class, but for the built-in ones that hold data alone;
 * - the result of a function of ours that keeps variables of its own.
 * `lazy`, `memoOf` and `memoUpTo` (src/schemas/data/Memo.ts) are allowed: they keep what a pure function returns. Any other exception has a comment directly before it that begins with "Module state:" and says why.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync } from "vite"

const src = fileURLToPath(new URL("../src", import.meta.url))
const DATA = new Set(
  "Console Map Set WeakMap WeakSet RegExp Error TextEncoder TextDecoder Date URL AbortController Intl Uint8Array Uint16Array Int32Array Uint32Array Float64Array".split(
    " "
  )
)
const CHANGES = new Set(
  "set add delete clear push pop shift unshift splice sort reverse fill copyWithin write".split(" ")
)
const ALLOWED = new Set(["lazy", "memoOf", "memoUpTo"])
const REASON = /^[\s*]*Module state: \S/

/** What runs later, and not when the module is loaded: also the value of a field of each instance. */
const isFunction = ({ static: isStatic, type }) =>
  /^(?:Arrow)?Function(?:Expression|Declaration)?/.test(type) || (type === "PropertyDefinition" && !isStatic)
const childrenOf = (node) =>
  Object.entries(node).flatMap(([key, value]) =>
    key === "parent" ? [] : [value].flat().filter((each) => typeof each?.type === "string")
  )

/** Calls `visit` for each node, with whether it is within a function that stands in `root`. */
const walk = (root, visit, within = false) => {
  for (const child of childrenOf(root)) {
    visit(child, within)
    walk(child, visit, within || isFunction(child))
  }
}

const rootOf = (node) =>
  node.type === "MemberExpression"
    ? rootOf(node.object)
    : node.type === "TSNonNullExpression"
      ? rootOf(node.expression)
      : node

/** The names that `root` changes within functions that stand in it: variables, and what belongs to them. */
const changedIn = (root) => {
  const variables = new Set()
  const members = new Set()
  const change = (target) => {
    const { name, type } = rootOf(target)
    // Who uses a regular expression from a place on sets this first.
    if (target.property?.name === "lastIndex") return
    if (type === "Identifier") (target.type === "Identifier" ? variables : members).add(name)
    else if (target.type === "ArrayPattern") for (const each of target.elements) if (each !== null) change(each)
  }
  walk(root, (node, within) => {
    if (!within) return
    if (node.type === "AssignmentExpression") change(node.left)
    else if (node.type === "UpdateExpression" || (node.type === "UnaryExpression" && node.operator === "delete"))
      change(node.argument)
    else if (
      node.type === "CallExpression" &&
      node.callee.type === "MemberExpression" &&
      CHANGES.has(node.callee.property.name)
    ) {
      change(node.callee)
    }
  })
  return { members, variables }
}

const declared = (statement) => (statement.type.startsWith("Export") ? statement.declaration : statement) ?? statement
const namesIn = ({ id }) =>
  id.type === "Identifier"
    ? [id.name]
    : id.type === "ArrayPattern"
      ? id.elements.flatMap((each) => (each?.type === "Identifier" ? [each.name] : []))
      : []

/** Whether what the function returns may remember: a function in it changes a variable that stands in it. */
const remembers = (made) => {
  const locals = new Set()
  const [kept] = [changedIn(made.body)]
  walk(made, (node, within) => {
    if (!within && node.type === "VariableDeclarator") for (const name of namesIn(node)) locals.add(name)
  })
  return [...kept.variables, ...kept.members].some((name) => locals.has(name))
}

const modules = readdirSync(src, { recursive: true })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => {
    const path = join(src, file)
    const text = readFileSync(path, "utf8")
    const { comments, program } = parseSync(path, text)
    return { path, name: `src/${file.split(sep).join("/")}`, text, comments, program }
  })

/** By file and name, the functions whose results remember. */
const remembering = new Set()
for (const { path, program } of modules) {
  for (const statement of program.body.map(declared)) {
    const functions =
      statement.type === "FunctionDeclaration"
        ? [[statement.id.name, statement]]
        : statement.type === "VariableDeclaration"
          ? statement.declarations.flatMap(({ id, init }) =>
              init !== null && isFunction(init) ? [[id.name, init]] : []
            )
          : []
    for (const [name, made] of functions) if (remembers(made)) remembering.add(`${path} ${name}`)
  }
}

const importsOf = ({ path, program }) =>
  new Map(
    program.body.flatMap((statement) =>
      statement.type === "ImportDeclaration" && statement.source.value.startsWith(".")
        ? statement.specifiers.map(({ imported, local }) => [
            local.name,
            `${resolve(dirname(path), statement.source.value)} ${imported?.name ?? "default"}`
          ])
        : []
    )
  )

const complaintsOf = (module) => {
  const { comments, name, path, program, text } = module
  const found = []
  const imported = importsOf(module)
  const changed = changedIn(program)
  const isExcused = (node) =>
    comments.some(({ end, value }) => REASON.test(value) && text.slice(end, node.start).trim() === "")
  for (const whole of program.body) {
    const statement = declared(whole)
    const complain = (node, why) => {
      if (!isExcused(whole) && !isExcused(node))
        found.push(`${name}:${text.slice(0, node.start).split("\n").length}: ${why}`)
    }
    if (statement.type === "ClassDeclaration") {
      for (const member of statement.body.body) {
        if (member.type === "PropertyDefinition" && member.static && !member.readonly)
          complain(member, "a static field that can change")
      }
    }
    if (statement.type === "VariableDeclaration") {
      if (statement.kind !== "const") complain(statement, `\`${statement.kind}\` in a module`)
      for (const each of statement.declarations) {
        for (const variable of namesIn(each))
          if (changed.members.has(variable)) complain(each, `\`${variable}\` is changed by a function`)
      }
    }
    const look = (node, within) => {
      if (within) return
      if (
        node.type === "NewExpression" &&
        node.callee.type === "Identifier" &&
        !DATA.has(node.callee.name) &&
        !/(?:Error|Refusal|Refused)$/.test(node.callee.name)
      ) {
        complain(node, `an instance of ${node.callee.name}`)
      }
      if (node.type !== "CallExpression") return
      const called = node.callee.type === "Identifier" ? node.callee.name : (node.callee.property?.name ?? "")
      if (called === "makeUnsafe") complain(node, `what ${called} makes`)
      if (!ALLOWED.has(called) && remembering.has(imported.get(called) ?? `${path} ${called}`))
        complain(node, `what ${called}() returns remembers`)
    }
    if (!isFunction(statement)) {
      look(statement, false)
      walk(statement, look)
    }
  }
  return found
}

const complaints = modules.flatMap(complaintsOf)
if (complaints.length > 0) {
  console.error(complaints.join("\n"))
  process.exit(1)
}
