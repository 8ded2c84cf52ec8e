/**
 * Writes a plugin folder whose manifest declares the tools of servers by name. It is written under another name and moved
 * into place when complete, because OpenClaw may read the old one at any time.
 */
import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isObject } from "../../schemas/data/Json.ts"
import { at } from "../../schemas/agent/openclaw/doctor/read.ts"
import { nameBeside } from "../../system/ownFiles.ts"
import { canDeclare, declaredIn, MANIFEST } from "./declared.ts"
import { TOOL } from "./metaTool.ts"
import { PLUGIN_ID } from "./plugin.ts"

/** The names that the manifest of this folder declares; `undefined` when the folder contains something else. */
export const declaredBefore = async (folder: string): Promise<ReadonlyArray<string> | undefined> => {
  if (!existsSync(folder)) return []
  const manifest: unknown = await readFile(join(folder, MANIFEST), "utf8")
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined)
  if (at(manifest, ["id"]) === PLUGIN_ID) return declaredIn(manifest)
  const names = await readdir(folder).catch(() => undefined)
  return names?.length === 0 ? [] : undefined
}

/** Returns the declared names, sorted. Names that OpenClaw could take for those of its own servers are left out. */
export const writeFolder = async (
  from: string,
  folder: string,
  tools: Iterable<string>
): Promise<ReadonlyArray<string>> => {
  const declared = [...new Set(tools)].filter(canDeclare).toSorted()
  const manifest: unknown = JSON.parse(await readFile(join(from, MANIFEST), "utf8"))
  const whole = isObject(manifest) ? manifest : {}
  const contracts = isObject(whole["contracts"]) ? whole["contracts"] : {}
  const [fresh, old] = [nameBeside(folder), nameBeside(folder)]
  await mkdir(dirname(folder), { recursive: true })
  try {
    await cp(from, fresh, { recursive: true })
    const written = { ...whole, contracts: { ...contracts, tools: [TOOL, ...declared] } }
    await writeFile(join(fresh, MANIFEST), `${JSON.stringify(written, null, 2)}\n`)
    if (existsSync(folder)) await rename(folder, old)
    await rename(fresh, folder)
  } finally {
    await Promise.all([fresh, old].map((path) => rm(path, { recursive: true, force: true })))
  }
  return declared
}
