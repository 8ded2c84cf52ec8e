/** The directory of this package, whether its sources or one of its builds run. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const PROGRAM = join("bin", "mcp-live.js")

const above = (folder: string): string | undefined => {
  if (existsSync(join(folder, PROGRAM))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : above(parent)
}

const OWN = dirname(fileURLToPath(import.meta.url))

/** A path in the package. It is looked up at each call, because it is rarely needed twice. */
export const inPackage = (path: string, from: string = OWN): string => join(above(from) ?? from, path)

/** The file that clients start. */
export const ownProgram = (): string => inPackage(PROGRAM)
