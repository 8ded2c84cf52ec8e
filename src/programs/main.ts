/** The `mcp-live` program: parses the command line, runs one command, and turns its outcome into an exit code. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { ConfigError } from "../schemas/config/ConfigError.ts"
import { UnknownAgent } from "../schemas/call/UnknownAgent.ts"
import { nearest } from "../schemas/call/Names.ts"
import { VERSION } from "../schemas/data/Version.ts"
import { acp } from "./cli/serving/acp.ts"
import { audit } from "./cli/audit/command.ts"
import { forget } from "./cli/people/forget.ts"
import { usage } from "./cli/usage/command.ts"
import { ask } from "./cli/questions/attend.ts"
import { add } from "./cli/getting/add.ts"
import { disable, enable, remove } from "./cli/getting/changing.ts"
import { approvals } from "./cli/questions/approvals.ts"
import { call } from "./cli/servers/call.ts"
import { exportServers } from "./cli/clients/export.ts"
import { importServers } from "./cli/clients/import.ts"
import { init } from "./cli/getting/init.ts"
import { EXIT_FAILED, EXIT_USAGE, ExitWith, root, UsageError, warned } from "./cli/command.ts"
import { complete } from "./cli/servers/complete.ts"
import { completionsFlag } from "./cli/servers/completions.ts"
import { withBareFlags } from "./cli/doctor/bareFlags.ts"
import { doctor } from "./cli/doctor/command.ts"
import { execHelp } from "./cli/exec.ts"
import { completed, fitted } from "./cli/help.ts"
import { login, logout } from "./cli/setup/login.ts"
import { columns, complain, guardStdout, loggerLayer, printJsonLine, realConsole, usesColour } from "./cli/output.ts"
import { withPort } from "./cli/serving/listening.ts"
import { fleet } from "./cli/fleet/command.ts"
import { logs } from "./cli/logs/command.ts"
import { LogFormat } from "./cli/logFormat.ts"
import { mcpServer } from "./cli/serving/mcpServer.ts"
import { pins } from "./cli/pins/command.ts"
import { ui } from "./cli/page/command.ts"
import { withUi } from "./cli/page/flag.ts"
import { plan } from "./cli/configuration/plan.ts"
import { plugin } from "./cli/setup/plugin.ts"
import { reload } from "./cli/configuration/reload.ts"
import { prompt, prompts } from "./cli/servers/prompts.ts"
import { context, read, resources } from "./cli/servers/resources.ts"
import { listenForSignals, Stopped } from "./cli/signals.ts"
import { serve } from "./cli/serving/serve.ts"
import { schema } from "./cli/setup/schema.ts"
import { sessions } from "./cli/setup/sessions.ts"
import { start } from "./cli/servers/start.ts"
import { status } from "./cli/servers/status.ts"
import { reset, stop } from "./cli/servers/steer.ts"
import { tools } from "./cli/servers/tools.ts"
import { mayTell, TellsWaiting } from "./cli/servers/waiting.ts"
import { top } from "./cli/top/command.ts"
import { validate } from "./cli/setup/validate.ts"
import { splitWords, Words } from "./cli/afterDashes.ts"

/** `--version` without `-v`, which means `--verbose` for users of `openclaw mcp-server`. */
const LongVersion = GlobalFlag.Action({
  flag: Flag.Boolean("version").pipe(Flag.withDescription("Show version information"), Flag.withDefault(false)),
  run: GlobalFlag.Version.run
})

/** The flags of every command. Without the wizard, whose questions would mix with results on stdout. */
const builtInsFor = (args: ReadonlyArray<string>) => [
  GlobalFlag.Help,
  args.includes("mcp-server") ? LongVersion : GlobalFlag.Version,
  completionsFlag,
  GlobalFlag.LogLevel
]

const program = root.pipe(
  Command.withSubcommands([
    start,
    acp,
    serve,
    mcpServer,
    tools,
    call,
    resources,
    read,
    context,
    prompts,
    prompt,
    complete,
    status,
    top,
    fleet,
    ui,
    reset,
    stop,
    plan,
    reload,
    login,
    logout,
    ask,
    warned(approvals),
    warned(sessions),
    warned(pins),
    warned(audit),
    warned(usage),
    warned(forget),
    logs,
    validate,
    schema,
    init,
    add,
    remove,
    enable,
    disable,
    importServers,
    exportServers,
    doctor,
    plugin,
    execHelp
  ]),
  Command.withGlobalFlags([LogFormat])
)

/** How the server that a stray word names is given. */
const placeOf = (error: CliError.CliError, command: string): string => {
  const before = `mcp-live ${command === "add" ? "add NAME" : command}`
  return error._tag === "UnexpectedArgument" && error.arguments.some((word) => /^https?:/i.test(word))
    ? `; an address must follow --url: ${before} --url URL`
    : `; the command of a server must follow --: ${before} -- COMMAND ARGS…`
}

/** The most similar flag of the command, including shared ones, or one that has the same beginning. */
const flagMeant = (
  option: string,
  { flags, globalFlags = [], inheritedFlags = [] }: HelpDoc.HelpDoc
): string | null => {
  const wanted = option.replace(/^-+/, "").replace(/=.*$/s, "")
  if (wanted.length < 2) return null
  // It is what others have; --version is only written like it.
  if (wanted === "person") return flags.some(({ name }) => name === "as") ? "as" : null
  const names = [...flags, ...inheritedFlags, ...globalFlags].map(({ name }) => name)
  const related = names.find((name) => name.startsWith(wanted) || (name.length > 3 && wanted.startsWith(name)))
  return nearest(wanted, names) ?? related ?? null
}

/** The command's own flags come first. */
const flagsOf = ({ flags, globalFlags = [], inheritedFlags = [] }: HelpDoc.HelpDoc): string =>
  [...flags, ...inheritedFlags, ...globalFlags].map(({ name }) => `--${name}`).join(", ")

const commandsOf = ({ subcommands = [] }: HelpDoc.HelpDoc): ReadonlyArray<string> =>
  subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))

/** What to use instead of a mistyped word: the one that was probably meant, or all of them. */
const instead = (error: CliError.CliError, doc: HelpDoc.HelpDoc): string => {
  if (error._tag === "UnrecognizedOption") {
    const meant = flagMeant(error.option, doc)
    return meant === null ? `; its flags are ${flagsOf(doc)}` : `; did you mean --${meant}`
  }
  if (error._tag !== "UnknownSubcommand") return ""
  const commands = commandsOf(doc)
  const { subcommand, suggestions } = error
  const [begun] =
    subcommand.length < 2
      ? []
      : commands.filter((name) => name.startsWith(subcommand)).toSorted((one, other) => one.length - other.length)
  const meant = begun ?? suggestions[0]
  if (meant !== undefined) return `; did you mean ${meant}`
  // Other programs have `completion` and `version` as commands.
  const flag = flagMeant(subcommand, doc)
  return flag === null ? `; there are ${commands.join(", ")}` : `; did you mean --${flag}`
}

/** A value that is none of a choice: the one that was probably meant stands in place of all of them. */
const valueMeant = (error: CliError.CliError): string | null =>
  error._tag === "InvalidValue" && error.expected.includes('" | "')
    ? nearest(
        error.value,
        [...error.expected.matchAll(/"([^"]+)"/g)].map(([, choice = ""]) => choice)
      )
    : null

/** An error in one line; with a hint for those who pass the command of a server as other programs take it. */
const explain = (error: CliError.CliError, doc: HelpDoc.HelpDoc, command: string | undefined): string => {
  const value = valueMeant(error)
  const told = (value === null ? error.message : error.message.replace(/\. Expected[^]*/, `; did you mean ${value}`))
    .replace(/\. Expected (?:an integer|a string representing a finite number)$/, ". Expected a whole number")
    .replace(/\s*\n\s*Did you mean this\?[^]*/, "")
    .replace(/\s*\n\s*/g, " ")
  const isStray =
    error._tag === "UnexpectedArgument" ||
    (error._tag === "UnrecognizedOption" && flagMeant(error.option, doc) === null)
  return `${told}${instead(error, doc)}${(command === "serve" || command === "add") && isStray ? placeOf(error, command) : ""}`
}

const formatterFor = (terminal: NodeJS.WriteStream): CliOutput.Formatter => {
  const usual = CliOutput.defaultFormatter({ colors: usesColour(terminal) })
  return { ...usual, formatHelpDoc: (doc) => fitted(usual.formatHelpDoc(doc), columns()) }
}

/** Wrong usage is one line on stderr instead of a page of help: stdout is for results. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      return complain(
        `${event.errors.map((error) => explain(error, event.helpDoc, event.commandPath.at(-1))).join("\n")} (see '${event.commandPath.join(" ")} --help')`
      )
    }
    const shown = CliOutput.defaultPresenter.present(
      event._tag === "Help" ? { ...event, helpDoc: completed(event.helpDoc, event.commandPath) } : event
    )
    const { stdout } = process
    return stdout.isTTY ? Effect.provideService(shown, CliOutput.Formatter, formatterFor(stdout)) : shown
  }
}

/** The message and the exit code for a failure. */
const verdict = (error: unknown): { readonly code: number; readonly message?: string } => {
  if (error instanceof ExitWith) return { code: error.code }
  if (error instanceof Stopped) return { code: error.exitCode }
  // The presenter has shown it already. Requested help, or help for a missing command, is not an error.
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return { code: error.errors.length > 0 ? EXIT_USAGE : 0 }
  const message = error instanceof Error ? error.message : String(error)
  const isUsage =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof UnknownAgent ||
    CliError.isCliError(error)
  return { code: isUsage ? EXIT_USAGE : EXIT_FAILED, message }
}

/** Without a gateway there is no other document. */
const OF_GATEWAYS: ReadonlySet<string> = new Set(["NoGateway", "GatewayLost"])

const asDocument = (
  error: unknown
): { readonly error: { readonly tag: string; readonly message: string } } | undefined =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string" && OF_GATEWAYS.has(error._tag)
    ? { error: { tag: error._tag, message: error.message } }
    : undefined

/** A bug of ours is printed completely. */
const settle = (cause: Cause.Cause<unknown>, json: boolean): Effect.Effect<number> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed(EXIT_FAILED)
  const expected = cause.reasons.find(Cause.isFailReason)
  if (expected === undefined) return Effect.as(complain(`internal error: ${Cause.pretty(cause)}`), EXIT_FAILED)
  const { code, message } = verdict(expected.error)
  const document = json ? asDocument(expected.error) : undefined
  if (document !== undefined) return Effect.as(printJsonLine(document), code)
  return message === undefined ? Effect.succeed(code) : Effect.as(complain(message), code)
}

/** Runs one command line and returns the exit code. */
export const runCli = (given: ReadonlyArray<string>): Effect.Effect<number> => {
  const { own: args, words } = splitWords(given)
  return Command.runWith(program, { version: VERSION, renderErrors: true })(withUi(withBareFlags(withPort(args)))).pipe(
    Effect.provideService(Words, words),
    Effect.provideService(TellsWaiting, mayTell(args, process.env)),
    Effect.as(0),
    Effect.catchCause((cause) => settle(cause, args.includes("--json"))),
    Effect.provide([NodeServices.layer, loggerLayer]),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: builtInsFor(args) })),
    Effect.provideService(Console.Console, realConsole)
  )
}

/** Called by the launcher. Keeps the process alive while the command runs, and then ends it, whatever may still be open. */
export const main = (args: ReadonlyArray<string>): void => {
  guardStdout()
  listenForSignals()
  const run = Runtime.makeRunMain(({ fiber, teardown }) => {
    fiber.addObserver((exit) => teardown(exit, (code) => process.exit(code)))
  })
  run(runCli(args), {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : EXIT_FAILED)
  })
}

if (import.meta.main) main(process.argv.slice(2))
