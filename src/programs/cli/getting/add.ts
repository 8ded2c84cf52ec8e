/**
 * `mcp-live add`: adds one server to the configuration: a command, an address, a server of a registry, or a bundle. It is started once before
 * anything is written; what fails leaves nothing behind.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { OFFER_KINDS } from "../../../schemas/config/registry/OfferKinds.ts"
import { REGISTRY_URL } from "../../../schemas/defaults/Bundles.ts"
import { Words } from "../afterDashes.ts"
import { UsageError } from "../command.ts"
import { describedFlags, keepFlag, optionalText, severalTexts, yesFlag, yesOrNo } from "../commonFlags.ts"
import { untilStopped } from "../signals.ts"
import type { AddOptions } from "./adding.ts"

export const dryRunFlag = yesOrNo("dry-run", "Only show what would be written; starts nothing")
export const startFlag = yesFlag("Start and write without asking")
export const forceFlag = yesOrNo("force", "Write it even if the server does not start")
export const secretsFlag = keepFlag("secrets", "file")
export const registryFlag = optionalText(
  "registry",
  "URL",
  "The registry to ask; without it, MCP_LIVE_REGISTRY, or the official one"
)

/** The address of the registry: the flag, the variable, or the official one. */
export const registryUrl = Effect.fnUntraced(function* (flag: Option.Option<string>) {
  const given = Option.getOrUndefined(flag) ?? process.env["MCP_LIVE_REGISTRY"]
  if (given === undefined || given === "") return REGISTRY_URL
  const url = URL.parse(given)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return given
  return yield* new UsageError({
    message: "the address of the registry must be an http or https address, without a password"
  })
})

/** Loaded here, because only this command needs them. */
export const gettingLayers = (registry: string) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() =>
        Promise.all([
          import("../../../layers/config/Bundles.ts"),
          import("../../../layers/config/ServerRegistry.ts"),
          import("../../../layers/connection/NetworkGuard.ts"),
          import("../../../layers/secret/SecretKeeper.ts")
        ])
      ),
      ([bundles, registries, network, keeper]) =>
        Layer.mergeAll(
          bundles.layer(),
          keeper.layer(),
          Layer.provide(registries.layer({ url: registry }), network.layer())
        )
    )
  )

export const add = Command.make(
  "add",
  {
    what: Argument.String("server").pipe(
      Argument.withDescription(
        "A server of the registry, such as io.github.user/server or io.github.user/server@1.2.3; a bundle, such as ./server.mcpb; or the name for a server whose command follows -- or whose address is --url"
      )
    ),
    name: optionalText(
      "name",
      "NAME",
      "The name of the server in the configuration; without it, the last part of its own"
    ),
    ...describedFlags({ url: "The address of the server", bareVariable: "the one that is set when it starts" }),
    set: severalTexts(
      "set",
      "KEY[=VALUE]",
      "A value that the server asks for; without a value, that of the environment variable KEY"
    ),
    secrets: secretsFlag,
    registry: registryFlag,
    package: Flag.ChoiceWithValue(
      "package",
      OFFER_KINDS.map((one) => [one, one] as const)
    ).pipe(
      Flag.withDescription("Of a server that the registry has in several forms: which one; without it, the first"),
      Flag.optional
    ),
    allowUnusual: yesOrNo(
      "allow-unusual",
      "With --yes: also start a server whose description asks for something unusual"
    ),
    yes: startFlag,
    force: forceFlag,
    dryRun: dryRunFlag
  },
  Effect.fnUntraced(function* ({ cwd, env, header, name, package: wanted, registry, url, what, ...flags }) {
    const words = yield* Words
    if (words?.length === 0 || words?.[0]?.trim() === "")
      return yield* new UsageError({ message: "there is no command after --" })
    const options: AddOptions = {
      ...flags,
      what,
      name: Option.getOrUndefined(name),
      words: words ?? [],
      url: Option.getOrUndefined(url),
      headers: header,
      env,
      cwd: Option.getOrUndefined(cwd),
      wanted: Option.getOrUndefined(wanted)
    }
    const { addServer } = yield* Effect.promise(() => import("./adding.ts"))
    yield* addServer(options).pipe(Effect.provide(gettingLayers(yield* registryUrl(registry))), untilStopped)
  })
).pipe(
  Command.withDescription(
    "Add one server to the configuration: start it once, show its tools, and pin them. Comments and order of the file stay"
  ),
  Command.withShortDescription("Add a server: of a registry, a bundle, a command or an address"),
  Command.withExamples([
    { command: "mcp-live add io.github.user/server", description: "A server of the official registry" },
    { command: "mcp-live add notes -- npx -y some-server@1.2.3 ~/notes", description: "A command" },
    { command: "mcp-live add tickets --url https://mcp.example.com/mcp", description: "An address" },
    { command: "mcp-live add ./server.mcpb --set api_key", description: "A bundle; its api_key is in the environment" }
  ])
)
