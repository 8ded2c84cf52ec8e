/** What is said of a schema besides what it takes: in messages, on the reference page, in the JSON Schema. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export interface Notes {
  readonly description?: string | undefined
  readonly default?: unknown
  /** The default in words, where it is no value. */
  readonly fallback?: string | undefined
  /** The type, as the reference page has it. */
  readonly written?: string | undefined
  /** Other names of the same key. */
  readonly aliases?: ReadonlyArray<string> | undefined
  /** The words that one is chosen of. */
  readonly choices?: ReadonlyArray<string> | undefined
  /** What is wrong with a value that does not fit; nothing where its parts say it. Free text may be a secret: it is not shown. */
  readonly problem?: ((value: unknown) => string | undefined) | undefined
  /** The warning for a value that fits, and is most likely a slip. */
  readonly advice?: ((value: unknown) => string | undefined) | undefined
  /** Said of a key that is none of an object's, and near to none. */
  readonly unknown?: string | undefined
  /** What is written, where a default stands in for what is not. */
  readonly withoutDefault?: SchemaAST.AST | undefined
}

/** One name for all of them, so that none can be another library's. */
const NAME = "mcp-live"

/** As an annotation of a schema or of a check. */
export const notes = (said: Notes): Schema.Annotations.Annotations => ({ [NAME]: said })

export const notesOf = (ast: SchemaAST.AST): Notes => (SchemaAST.resolve(ast)?.[NAME] ?? {}) as Notes

/** The same schema, with more said of it. */
export const noted = <S extends Schema.Constraint>(schema: S, said: Notes): S =>
  (schema as unknown as Schema.Top).annotate(notes({ ...notesOf(schema.ast), ...said })) as unknown as S
