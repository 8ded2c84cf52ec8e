/** Packages that only some installations need. They are loaded when a secret needs them; the error says what to install. */
import * as Effect from "effect/Effect"

/**
 * The module that `importer` loads (`() => import(name)`); `range` is the supported version. Other errors of the package are not quoted: a
 * module that fails while it is loaded may say anything.
 */
export const loadOptional = <Module>(
  name: string,
  importer: () => Promise<Module>,
  range?: string
): Effect.Effect<Module, string> =>
  Effect.suspend(() => {
    if (!isInstalled(name)) return Effect.fail(missing(name, range))
    return Effect.tryPromise({
      try: () => importer(),
      catch: () => `the package ${name} is installed, but cannot be loaded`
    })
  })

const missing = (name: string, range: string | undefined): string => {
  const wanted = range === undefined ? name : `${name}@${range}`
  return `it needs the package ${name}; beside mcp-live, run: npm install ${wanted} (with -g if mcp-live is installed with -g)`
}

const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
