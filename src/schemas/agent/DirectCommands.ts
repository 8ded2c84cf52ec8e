/** The direct commands that a person can type in every entry point, with or without a model. */

export interface DirectCommand {
  readonly name: string
  /** The arguments after the name. */
  readonly usage: string
  readonly about: string
}

const command = (name: string, usage: string, about: string): DirectCommand => ({ name, usage, about })

export const DIRECT_COMMANDS: ReadonlyArray<DirectCommand> = [
  command("tools", "[filter]", "list the tools; of one, show its arguments"),
  command("call", '<tool> {"key": "value"}', "call a tool; key=value words work too"),
  command("resources", "[filter]", "list the resources of the servers"),
  command("read", "<uri> [server]", "read one resource"),
  command("context", "", "show the resources as the model reads them"),
  command("prompts", "[filter]", "list the prompts that the servers offer"),
  command("prompt", "<name> key=value …", "fill in a prompt and send it to the model"),
  command("status", "", "show every MCP server"),
  command("reset", "<server>", "restart a server"),
  command("new", "", "forget this conversation"),
  command("help", "", "show this")
]
