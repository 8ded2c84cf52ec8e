/** Which files are edited: files of other programs are left to them, because they have other words, and other programs rely on them. Pure. */
import { TITLES } from "./clients/ClientNames.ts"
import { recognise } from "./clients/Recognise.ts"

export interface EditableFile {
  readonly path: string
  /** The file as a person sees it. */
  readonly shown: string
  /** `undefined` without a file. */
  readonly value: unknown
  /** Whether the path leads to OpenClaw's own file. */
  readonly isOpenclaws: boolean
}

/** `undefined` for a file that may be edited, else the reason in words. */
export const whyNotEdited = ({ isOpenclaws, path, shown, value }: EditableFile): string | undefined => {
  if (isOpenclaws) {
    return `${shown} is OpenClaw's own file, which does not know all keys of mcp-live: run 'mcp-live import' first, or name another file with --config`
  }
  const owner = recognise(path, value)
  return owner === undefined || owner === "openclaw"
    ? undefined
    : `${shown} is a file of ${TITLES[owner]}, which mcp-live does not edit: change it there, or name a file of mcp-live with --config`
}
