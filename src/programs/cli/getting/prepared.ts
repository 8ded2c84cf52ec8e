/** A server that is about to be added, whatever it comes from. */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Entry } from "../../../schemas/config/clients/ImportPlan.ts"
import type { Answers, Question } from "../../../schemas/config/Question.ts"
import type { BundleFailed } from "../../../services/config/Bundles.ts"

export interface Prepared {
  /** Its name, unless the person gives another one. */
  readonly name: string
  /** What it is, for the person. May have a stranger's words. */
  readonly about: ReadonlyArray<string>
  /** What the person should agree to before it is started; completes "it …". */
  readonly unusual: ReadonlyArray<string>
  readonly questions: ReadonlyArray<Question>
  /** Somebody else says how it is started, so the person is asked before that. */
  readonly isForeign: boolean
  readonly build: (answers: Answers) => Result.Result<Entry, string>
  /** Puts its files in place. Returns what undoes that. */
  readonly install?: Effect.Effect<Effect.Effect<void>, BundleFailed>
}
