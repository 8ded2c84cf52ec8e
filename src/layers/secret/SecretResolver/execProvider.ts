/**
 * `secret://exec/NAME`: what the command of this name (`SecretsConfig.exec`) writes to stdout, without one line break at the end. It is started
 * without a shell, with the base environment and the configured variables.
 */
import * as Effect from "effect/Effect"
import type { SecretCommand, SecretsConfig } from "../../../schemas/secret/SecretsConfig.ts"
import { baseEnvironment, run } from "./secretCommand.ts"
import type { ProviderContext, SecretProvider } from "./SecretProvider.ts"

export const make = (commands: SecretsConfig["exec"], { env, reveal }: ProviderContext): SecretProvider => {
  const runCommand = Effect.fnUntraced(function* ({ args, command, env: own }: SecretCommand) {
    // A reference that is not resolved must not be passed on.
    if ([command, ...args].some((text) => /secret:\/\//i.test(text))) {
      return yield* Effect.fail("its command or its arguments contain a reference; only its env may contain references")
    }
    const variables = yield* Effect.forEach(Object.entries(own), ([name, text]) =>
      Effect.map(reveal(text), (value): [string, string] => [name, value])
    )
    const { code, stdout } = yield* run({
      command,
      args,
      env: { ...baseEnvironment(env), ...Object.fromEntries(variables) }
    }).pipe(Effect.mapError(({ detail }) => `its command ${detail}`))
    return code === 0
      ? stdout.replace(/\r?\n$/, "")
      : yield* Effect.fail(`its command ended with code ${code}: ${BY_HAND}`)
  })

  return {
    kept: true,
    read: (name, version) => {
      if (version !== undefined) return Effect.fail("commands have no versions")
      const command = Object.hasOwn(commands, name) ? commands[name] : undefined
      return command === undefined ? Effect.fail(unknownName(Object.keys(commands))) : runCommand(command)
    }
  }
}

/** Its stderr may contain a secret, and is not shown. */
const BY_HAND = "run it by hand to see why"

const NAMES_SHOWN = 10

const unknownName = (names: ReadonlyArray<string>): string => {
  if (names.length === 0) return "no commands are configured (secrets.exec)"
  const more = names.length > NAMES_SHOWN ? ", …" : ""
  return `there is no command of this name (there are ${names.slice(0, NAMES_SHOWN).join(", ")}${more})`
}
