/** `secret://env/NAME`: a variable in the environment of this process. */
import * as Effect from "effect/Effect"
import type { SecretProvider } from "./SecretProvider.ts"

export const make = (env: Readonly<Record<string, string | undefined>>): SecretProvider => ({
  read: (name, version) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return Effect.fail("that is not the name of an environment variable")
    if (version !== undefined) return Effect.fail("environment variables have no versions")
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    return value === undefined ? Effect.fail("the environment variable is not set") : Effect.succeed(value)
  }
})
