/** Flags that several commands have, in the same words. */
import * as Flag from "effect/cli/Flag"
import { COMMAND_LINE_WORDS_MAX } from "../../schemas/defaults/Serve.ts"
import type { Keeper } from "../../services/secret/SecretKeeper.ts"
import { existingDirectory } from "./command.ts"

export const yesOrNo = (name: string, about: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(about), Flag.withDefault(false))

export const optionalText = (name: string, metavar: string, about: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(about), Flag.optional)

export const severalTexts = (name: string, metavar: string, about: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`${about}; may be repeated`),
    Flag.between(0, COMMAND_LINE_WORDS_MAX)
  )

/** Answers the questions of a command before it asks. */
export const yesFlag = (about: string) => yesOrNo("yes", about).pipe(Flag.withAlias("y"))

/** For commands that start nothing. */
export const onlyShowFlag = yesOrNo("dry-run", "Only show what would be written")

/** Where credentials go; `what` they are in the words of the command. */
export const keepFlag = (what: string, usual: Keeper | "keep") =>
  Flag.ChoiceWithValue("secrets", [
    ["file", "file"],
    ["keychain", "keychain"],
    ["keep", "keep"]
  ] as const).pipe(
    Flag.withDescription(
      `Where ${what} go: into files that only you can read (file) or the system's keychain (keychain), with a secret:// reference in the configuration; or as they are into the configuration (keep)`
    ),
    Flag.withDefault(usual)
  )

/** A server that the command line describes: its address, or what its command needs. */
export const describedFlags = (words: { readonly url: string; readonly bareVariable: string }) => ({
  url: optionalText("url", "URL", words.url),
  header: severalTexts("header", "'NAME: VALUE'", "With --url: sent with each request; may hold secret:// references"),
  env: severalTexts(
    "env",
    "NAME[=VALUE]",
    `With a command: a variable for it; without a value, ${words.bareVariable}; may hold secret:// references`
  ),
  cwd: Flag.Path("cwd").pipe(
    Flag.mapEffect(existingDirectory("cwd")),
    Flag.withMetavar("DIR"),
    Flag.withDescription("With a command: the directory in which it is started"),
    Flag.optional
  ),
  allowPrivate: yesOrNo("allow-private", "With --url: allow a private address")
})
