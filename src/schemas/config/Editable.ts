/** Which files are edited: files of other programs are left to them, because they have other words, and other programs rely on them. Pure. */
import { openclawConfigFile } from "../agent/openclaw/Places.ts"
import { TITLES } from "./clients/ClientNames.ts"
import { recognise } from "./clients/Recognise.ts"
import type { Environment } from "./Interpolation.ts"

export interface EditableFile {
  readonly path: string
  /** The file as a person sees it. */
  readonly shown: string
  /** `undefined` without a file. */
  readonly value: unknown
}

/** `undefined` for a file that may be edited, else the reason in words. */
export const whyNotEdited = (
  { path, shown, value }: EditableFile,
  { env, home }: { readonly env: Environment; readonly home: string }
): string | undefined => {
  if (path === openclawConfigFile(env, home)) {
    return `${shown} is OpenClaw's own file, which does not know all keys of mcp-live: run 'mcp-live import' first, or name another file with --config`
  }
  const owner = recognise(path, value)
  return owner === undefined || owner === "openclaw"
    ? undefined
    : `${shown} is a file of ${TITLES[owner]}, which mcp-live does not edit: change it there, or name a file of mcp-live with --config`
}
