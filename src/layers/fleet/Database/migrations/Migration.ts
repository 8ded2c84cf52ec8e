/** A step from the tables of one version to those of the next. */
export interface Migration {
  /** Stored: a step runs once. */
  readonly name: string
  /** One statement each, run in one transaction for all steps. */
  readonly statements: ReadonlyArray<string>
  /** After this step, nodes with a lower contract cannot use the database. */
  readonly oldestContract?: number
}
