/**
 * Every name that the package exports has a doc comment, which an editor shows from the `.d.ts`. Names are followed through
 * the entries of `package.json`, `export … from` and `export * from` to their declarations in `src`; those of `export * as`
 * count, too.
 */
import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const sources = new Map()
const source = (file) => {
  if (!sources.has(file)) sources.set(file, readFileSync(file, "utf8"))
  return sources.get(file)
}

const FROM = /^export (?:type )?(?:\{([^}]*)\}|\*(?: as (\w+))?) from "(\.[^"]+)"/gm
const LIST = /^export (?:type )?\{([^}]*)\}(?! from)/gm
const DECLARED = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm

/** `type A as B` is the name A there, B here. */
const named = (list) =>
  list
    .split(",")
    .map((one) => one.trim().replace(/^type /, ""))
    .filter((one) => one !== "")
    .map((one) => one.split(" as "))
    .map(([there, here = there]) => ({ there, here }))

/** Where a name that is imported, and exported again, is declared. */
const importOf = (file, name) => {
  const imports = [...source(file).matchAll(/^import (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm)]
  const found = imports.find(([, list]) => named(list).some(({ here }) => here === name))
  return found === undefined ? undefined : join(dirname(file), found[2])
}

const isDescribedIn = (file, name) => {
  const imported = importOf(file, name)
  return imported === undefined ? isDescribed(source(file), name) : isDescribedIn(imported, name)
}

const isDescribed = (text, name) => {
  const declaration = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:const|function\\*?|class|interface|type|enum) ${name}\\b`,
    "gm"
  )
  const found = [...text.matchAll(declaration)]
  return found.some(({ index }) => text.slice(0, index).endsWith("*/\n"))
}

/** `[name, file, is described]` of all that a module exports. */
const exportsOf = (file) => {
  const text = source(file)
  const own = [
    ...[...text.matchAll(DECLARED)].map(([, name]) => ({ there: name, here: name })),
    ...[...text.matchAll(LIST)].flatMap(([, list]) => named(list))
  ].map(({ here, there }) => [here, file, isDescribedIn(file, there)])
  const others = [...text.matchAll(FROM)].flatMap(([whole, list, namespace, from]) => {
    const target = join(dirname(file), from)
    const theirs = exportsOf(target)
    if (list === undefined) {
      if (namespace === undefined) return theirs
      const isHeaded = source(target).startsWith("/**")
      return [[namespace, target, isHeaded], ...theirs.map(([name, place, ok]) => [`${namespace}.${name}`, place, ok])]
    }
    return named(list).map(({ here, there }) => {
      const found = theirs.find(([name]) => name === there)
      if (found === undefined) throw new Error(`${whole}: there is no ${there} in ${relative(ROOT, target)}`)
      return [here, found[1], found[2]]
    })
  })
  return [...own, ...others]
}

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
const entries = Object.values(manifest.exports).flatMap(({ types }) =>
  types === undefined ? [] : [join(ROOT, types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"))]
)
const all = entries.flatMap(exportsOf)
const bare = [...new Set(all.filter(([, , ok]) => !ok).map(([name, file]) => `${relative(ROOT, file)}: ${name}`))]
for (const one of bare) process.stderr.write(`${one} is exported without a doc comment\n`)
if (all.length < 150) throw new Error(`only ${all.length} public names were found`)
process.exitCode = bare.length === 0 ? 0 : 1
