/** Writes the files of an archive into a folder of their own. Names have been judged; no entry is a link, so none leads elsewhere. */
import { chmod, mkdir, open } from "node:fs/promises"
import { dirname, join, normalize } from "node:path"
import { permissionsOf } from "../../../schemas/config/bundle/EntryNames.ts"
import type { Archive } from "./archive.ts"

/** `program` becomes executable even where the archive does not say so. The folder must not exist. */
export const writeArchive = async (archive: Archive, folder: string, program: string | undefined): Promise<void> => {
  await mkdir(folder, { mode: 0o700 })
  const made = new Set<string>([folder])
  const make = async (path: string): Promise<void> => {
    if (made.has(path)) return
    await make(dirname(path))
    await mkdir(path, { mode: 0o700 })
    made.add(path)
  }
  const started = program === undefined ? undefined : normalize(program)
  for (const entry of archive.entries) {
    const path = join(folder, entry.name)
    if (entry.isFolder) {
      await make(join(folder, entry.name.slice(0, -1)))
      continue
    }
    await make(dirname(path))
    const file = await open(path, "wx", 0o600)
    try {
      await archive.read(entry, async (piece) => void (await file.writeFile(piece)))
    } finally {
      await file.close()
    }
    const permissions = normalize(entry.name) === started ? 0o700 : permissionsOf(entry.mode)
    if (permissions !== 0o600) await chmod(path, permissions)
  }
}
