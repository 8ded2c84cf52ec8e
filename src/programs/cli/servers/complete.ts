/** `mcp-live complete`: what a server suggests for an argument of a prompt or a variable of a resource template. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { InvalidArguments } from "../../../schemas/call/CallError.ts"
import type { CompletionArgument, CompletionRef } from "../../../schemas/content/Prompt.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { settled } from "./arrival.ts"
import { chosenServer, explained, root, serverFlag, withRuntime } from "../command.ts"
import { complain, print, printJson } from "../output.ts"
import { promptNamed, waitForPrompt } from "./prompts.ts"

const value = Argument.String("value").pipe(
  Argument.withDescription("What has been typed so far"),
  Argument.withDefault("")
)

const given = Flag.KeyValuePair("given").pipe(
  Flag.withDescription("Another argument that is filled in already: --given key=value; may be repeated"),
  Flag.optional
)

/** One value per line; a note about further values goes to stderr. */
const show = Effect.fnUntraced(function* (runtime: McpRuntimeShape, ref: CompletionRef, argument: CompletionArgument) {
  const { json } = yield* root
  const completion = yield* explained(runtime.complete(ref, argument))
  if (json) return yield* printJson(completion)
  if (completion.values.length > 0) yield* print(completion.values.join("\n"))
  else yield* complain("there are no suggestions")
  if (completion.hasMore) {
    const of = completion.total === undefined ? "" : ` of ${completion.total}`
    yield* complain(`these are the first ${completion.values.length}${of}`)
  }
})

/** Otherwise a misspelled name would look like an argument without suggestions. */
const checkNames = (of: string, known: ReadonlyArray<string>, { name, others = {} }: CompletionArgument) => {
  const unknown = [name, ...Object.keys(others)].find((each) => !known.includes(each))
  if (unknown === undefined) return Effect.void
  const there = known.length === 0 ? "there are none" : `there are: ${known.map((each) => `'${each}'`).join(", ")}`
  const detail = `'${unknown.slice(0, LABEL_MAX_CHARS)}' is unknown; ${there}`
  return explained(Effect.fail(new InvalidArguments({ tool: of, detail })))
}

/** The names in `{id}`, `{?page,size}` and `{path*}`. */
const variablesOf = (template: string): ReadonlyArray<string> =>
  [...template.matchAll(/\{([^{}]*)\}/g)].flatMap(([, inside = ""]) =>
    inside
      .replace(/^[+#./;?&]/, "")
      .split(",")
      .map((variable) => variable.replace(/(\*|:\d+)$/, ""))
  )

const argumentOf = (
  name: string,
  typed: string,
  others: Option.Option<Record<string, string>>
): CompletionArgument => ({
  name,
  value: typed,
  others: Option.getOrUndefined(others)
})

const ofPrompt = Command.make(
  "prompt",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The prompt, as 'mcp-live prompts' shows it")),
    argument: Argument.String("argument").pipe(Argument.withDescription("Which of its arguments")),
    value,
    given
  },
  ({ argument, given: others, name, value: typed }) =>
    withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* waitForPrompt(runtime, name)
        const wanted = argumentOf(argument, typed, others)
        const known = promptNamed(yield* runtime.prompts, name)
        if (known !== undefined) {
          const names = known.arguments.map((each) => each.name)
          yield* checkNames(known.name, names, wanted)
        }
        yield* show(runtime, { type: "prompt", name }, wanted)
      })
    )
).pipe(
  Command.withDescription("Suggest values for an argument of a prompt"),
  Command.withExamples([
    {
      command: "mcp-live complete prompt everything/completable-prompt department S",
      description: "What begins with S"
    },
    {
      command: "mcp-live complete prompt everything/completable-prompt name --given department=Sales",
      description: "With another argument filled in"
    }
  ])
)

const ofResource = Command.make(
  "resource",
  {
    template: Argument.String("template").pipe(
      Argument.withDescription("The template, as 'mcp-live resources --templates' shows it")
    ),
    variable: Argument.String("variable").pipe(Argument.withDescription("Which of its variables")),
    value,
    given,
    server: serverFlag("The server that is asked; needed when several have the template")
  },
  ({ given: others, server: flag, template, value: typed, variable }) =>
    withRuntime(
      Effect.fnUntraced(function* (runtime) {
        const server = yield* chosenServer(runtime, flag)
        yield* settled(runtime)
        const wanted = argumentOf(variable, typed, others)
        const isListed = (yield* runtime.resourceTemplates).some(({ uriTemplate }) => uriTemplate === template)
        if (isListed) yield* checkNames(template, variablesOf(template), wanted)
        yield* show(runtime, { type: "resource", uriTemplate: template, server }, wanted)
      })
    )
).pipe(
  Command.withDescription("Suggest values for a variable of a resource template"),
  Command.withExamples([
    { command: "mcp-live complete resource 'demo://text/{id}' id", description: "All that it suggests" }
  ])
)

export const complete = Command.make("complete").pipe(
  Command.withDescription("Ask a server for suggestions"),
  Command.withSubcommands([ofPrompt, ofResource])
)
