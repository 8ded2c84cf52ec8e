/** Annotations of schemas: for messages, the reference page and the JSON Schema. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export interface Notes {
  readonly description?: string | undefined
  readonly default?: unknown
  /** The default in words, if it is not a value. */
  readonly fallback?: string | undefined
  /** The type on the reference page. */
  readonly written?: string | undefined
  /** Other names of the key. */
  readonly aliases?: ReadonlyArray<string> | undefined
  /** The choices. */
  readonly choices?: ReadonlyArray<string> | undefined
  /**
   * The error for a value that does not fit; `undefined` when the errors of its parts say it. Free text may be a secret, so
   * it is not shown.
   */
  readonly problem?: ((value: unknown) => string | undefined) | undefined
  /** The warning for a value that fits but is probably a mistake. */
  readonly advice?: ((value: unknown) => string | undefined) | undefined
  /** The error for an unknown key that is similar to no known one. */
  readonly unknown?: string | undefined
  /** What other words for its keys mean. */
  readonly synonyms?: Readonly<Record<string, string>> | undefined
  /** The schema as written, where the value with a default has another one. */
  readonly withoutDefault?: SchemaAST.AST | undefined
}

/** One common prefix, so that no other library can have the same key. */
const NAME = "mcp-live"

/** As an annotation of a schema or a check. */
export const notes = (said: Notes): Schema.Annotations.Annotations => ({ [NAME]: said })

export const notesOf = (ast: SchemaAST.AST): Notes => (SchemaAST.resolve(ast)?.[NAME] ?? {}) as Notes

/** The same schema with further annotations. */
export const noted = <S extends Schema.Constraint>(schema: S, said: Notes): S =>
  (schema as unknown as Schema.Top).annotate(notes({ ...notesOf(schema.ast), ...said })) as unknown as S
