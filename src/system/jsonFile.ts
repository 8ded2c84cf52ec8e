/** JSON files for this user only (ownFiles.ts), decoded by a Schema and replaced as a whole. */
import * as Schema from "effect/Schema"
import { dirname } from "node:path"
import { reader } from "../schemas/data/Lenient.ts"
import { makeOwnDirectory, NotOurs, readOwn, replaceFile } from "./ownFiles.ts"

export interface JsonFile<A> {
  /** `undefined` if there is no file, or if its content is not valid. Rejects if the file is not ours. */
  readonly read: (path: string) => Promise<A | undefined>
  /** Also makes the directory. Rejects if the file would be too large to be read. */
  readonly replace: (path: string, value: A) => Promise<void>
}

/** `space` indents the text, for people who read it. */
export const jsonFile = <A>(
  schema: Schema.Codec<A, unknown>,
  maxBytes: number,
  { space = 0, tooLarge = "the file would be too large" } = {}
): JsonFile<A> => {
  const decode = reader(Schema.fromJsonString(schema))
  return {
    read: async (path) => decode((await readOwn(path, maxBytes))?.text),
    replace: async (path, value) => {
      const text = `${JSON.stringify(value, undefined, space)}\n`
      if (Buffer.byteLength(text) > maxBytes) throw new NotOurs(tooLarge)
      makeOwnDirectory(dirname(path))
      await replaceFile(path, text)
    }
  }
}
