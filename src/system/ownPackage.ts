/** Where this package lies, whether its sources run or one of its builds. */
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

/** A path in the package. Looked for at each call: few need it, and hardly ever twice. */
export const inPackage = (path: string, from: string = OWN): string => join(above(from) ?? from, path)

/** What clients start. */
export const ownProgram = (): string => inPackage(PROGRAM)
