/** The help text of `mcp-live exec`. The command itself starts before any of this is loaded (programs/exec.ts). */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { UsageError } from "./command.ts"

export const execHelp = Command.make(
  "exec",
  {
    unset: Flag.String("unset").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Leave a variable out of the command's environment; may be repeated"),
      Flag.atLeast(0)
    ),
    command: Argument.String("command").pipe(Argument.variadic())
  },
  () =>
    new UsageError({ message: "exec must come first: mcp-live exec [--config FILE] [--unset NAME] -- COMMAND ARGS…" })
).pipe(
  Command.withDescription(
    "Replace this process by another command, with secret:// references in its environment and arguments resolved: mcp-live exec -- COMMAND ARGS…"
  ),
  Command.withShortDescription("Run a command with secret:// references resolved"),
  Command.withExamples([
    {
      command: "TOKEN=secret://file/run/secrets/token mcp-live exec -- npx -y some-server",
      description: "A server that gets its token from a file"
    },
    {
      command: "mcp-live exec --unset VAULT_TOKEN -- npx -y some-server",
      description: "A variable that only the secret provider needs"
    }
  ])
)
