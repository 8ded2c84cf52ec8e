/** Arguments of `call` and `prompt`: `key=value` words, or `--args` with one JSON object. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { UsageError } from "../command.ts"

export const pairsArgument = (description: string) =>
  Argument.String("key=value").pipe(Argument.withDescription(description), Argument.variadic())

export const argsFlag = Flag.String("args").pipe(
  Flag.withMetavar("JSON"),
  Flag.withDescription("Arguments as one JSON object; @file reads a file, - reads stdin"),
  Flag.optional
)

/** The text that `--args` names: itself, a file, or stdin. */
const readSource = Effect.fnUntraced(function* (source: string) {
  if (source === "-") {
    const { stdin } = yield* Stdio.Stdio
    return yield* Stream.mkString(Stream.decodeText(stdin))
  }
  if (!source.startsWith("@")) return source
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(source.slice(1)).pipe(
    Effect.mapError(({ reason }) => {
      const why = reason._tag === "NotFound" ? ": there is no such file" : ""
      return new UsageError({ message: `cannot read the arguments from '${source.slice(1)}'${why}` })
    })
  )
})

/** Reads the form that was given. Unreadable arguments are wrong usage. */
export const readArguments = <A>(
  parseObject: (text: string) => Result.Result<A, string>,
  parseWords: (words: ReadonlyArray<string>) => Result.Result<A, string>
) =>
  Effect.fnUntraced(function* (
    source: Option.Option<string>,
    words: ReadonlyArray<string>,
    explained: (fault: string) => string = (fault) => fault
  ) {
    if (Option.isSome(source) && words.length > 0) {
      return yield* new UsageError({ message: "give the arguments either with --args or as key=value, not both" })
    }
    const parsed = Option.isSome(source) ? parseObject(yield* readSource(source.value)) : parseWords(words)
    return yield* Effect.fromResult(parsed).pipe(
      Effect.mapError((fault) => new UsageError({ message: explained(fault) }))
    )
  })
