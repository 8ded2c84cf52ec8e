/** What `mcp-live exec --help` shows. The command itself is begun before anything of this is loaded (programs/exec.ts). */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { UsageError } from "./command.ts"

export const execHelp = Command.make(
  "exec",
  {
    unset: Flag.String("unset").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Leave a variable out of the command's environment; as often as wanted"),
      Flag.atLeast(0)
    ),
    command: Argument.String("command").pipe(Argument.variadic())
  },
  () => new UsageError({ message: "exec stands first: mcp-live exec [--config FILE] [--unset NAME] -- COMMAND ARGS…" })
).pipe(
  Command.withDescription(
    "Become another command, with values in place of secret:// in its environment and arguments: mcp-live exec -- COMMAND ARGS…"
  ),
  Command.withShortDescription("Run a command with values in place of secret:// references"),
  Command.withExamples([
    {
      command: "TOKEN=secret://file/run/secrets/token mcp-live exec -- npx -y some-server",
      description: "A server that has its token from a file"
    },
    {
      command: "mcp-live exec --unset VAULT_TOKEN -- npx -y some-server",
      description: "A variable that is for the provider of secrets alone"
    }
  ])
)
