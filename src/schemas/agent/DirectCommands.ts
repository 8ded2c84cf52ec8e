/** What a person can type instead of a question, in every front, with or without a model. */

export interface DirectCommand {
  readonly name: string
  /** What follows the name. */
  readonly usage: string
  readonly about: string
}

const command = (name: string, usage: string, about: string): DirectCommand => ({ name, usage, about })

export const DIRECT_COMMANDS: ReadonlyArray<DirectCommand> = [
  command("tools", "[filter]", "list the tools, or those that match"),
  command("call", '<tool> {"key": "value"}', "call a tool; key=value words work too"),
  command("resources", "[filter]", "list what the servers have to read"),
  command("read", "<uri> [server]", "read one resource"),
  command("context", "", "show what a model reads of the resources"),
  command("prompts", "[filter]", "list the prompts that the servers offer"),
  command("prompt", "<name> key=value …", "fill a prompt in and ask the model with it"),
  command("status", "", "show every MCP server"),
  command("reset", "<server>", "start a server over"),
  command("new", "", "forget this conversation"),
  command("help", "", "show this")
]
