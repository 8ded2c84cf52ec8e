/** What each server does, as it crosses the control contract. */
import * as Schema from "effect/Schema"
import { CallFigures, ProcessUsage } from "./Figures.ts"
import { StatusValue } from "./Values.ts"

/** By the name of the server. `usage` is missing without a process, and on systems that do not tell. */
export const FiguresValue = Schema.Record(
  Schema.String,
  Schema.Struct({ status: StatusValue, calls: CallFigures, usage: Schema.optionalKey(ProcessUsage) })
)
export type FiguresValue = typeof FiguresValue.Type

/** A server that runs for one client or session alone. Its calls are among those of the server of that name. */
export const OwnServerValue = Schema.Struct({
  server: Schema.String,
  /** In words: `client ada`. */
  whose: Schema.String,
  status: StatusValue,
  usage: Schema.optionalKey(ProcessUsage)
})
export type OwnServerValue = typeof OwnServerValue.Type
