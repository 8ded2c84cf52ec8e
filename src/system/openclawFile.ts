/** Which path is OpenClaw's own configuration. It may lead there through links, and the file may be one itself. */
import { realpathSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import { openclawConfigFile } from "../schemas/agent/openclaw/Places.ts"

/** A file that does not exist yet would be made in the real folder. */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(real(folder), basename(path))
  }
}

export const isOpenclaws = (path: string, env: NodeJS.ProcessEnv = process.env, home: string = homedir()): boolean =>
  real(path) === real(openclawConfigFile(env, home))
