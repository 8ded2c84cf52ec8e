/** What a case reports. */

export interface Row {
  readonly variant: string
  /** One value per column; `null` where there is nothing to say. */
  readonly values: ReadonlyArray<number | null>
}

export interface Verdict {
  readonly goal: string
  readonly measured: string
  readonly pass: boolean
}

export interface CaseResult {
  /** Names with their units. */
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly verdicts: ReadonlyArray<Verdict>
  /** How it was measured, and what could not be. */
  readonly notes: ReadonlyArray<string>
}

export interface BenchCase {
  readonly name: string
  readonly goal: string
  /** Left out where that is not installed. */
  readonly needs?: "postgres"
  readonly run: () => Promise<CaseResult>
}
