/** The flags that choose the agent, for the commands that serve one. */
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { BACKENDS, type Said } from "../../schemas/agent/GatewayChoice.ts"

export const backendFlags = {
  backend: Flag.ChoiceWithValue(
    "backend",
    BACKENDS.map((one) => [one, one] as const)
  ).pipe(
    Flag.withDescription(
      'Which agent answers. Default: as --gateway, acp.backend or gateway.mode "remote" say, in this order; else the built-in agent'
    ),
    Flag.optional
  ),
  gateway: Flag.String("gateway").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("The OpenClaw gateway whose agent answers: ws://… on this machine, wss://… elsewhere"),
    Flag.optional
  ),
  tokenFile: Flag.String("token-file").pipe(
    Flag.withMetavar("PATH"),
    Flag.withDescription("A file with the gateway's token"),
    Flag.optional
  )
}

export const saidBy = ({
  backend,
  gateway,
  tokenFile
}: {
  readonly [K in keyof Required<Said>]: Option.Option<NonNullable<Said[K]>>
}): Said => ({
  backend: Option.getOrUndefined(backend),
  gateway: Option.getOrUndefined(gateway),
  tokenFile: Option.getOrUndefined(tokenFile)
})
