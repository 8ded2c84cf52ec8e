/** `mcp-live resources`, `read` and `context`: the resources of servers. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderFailures, renderResources, renderTemplates } from "../../../schemas/content/Rendering.ts"
import { listedSoon, serverSoon, settled, tellMissing, waitFlag } from "./arrival.ts"
import { chosenServer, explained, root, serverFlag, withRuntime } from "../command.ts"
import { columns, complain, print, printContent, printJson, visible } from "../output.ts"
import { statusOf } from "./once.ts"
import { connectingIn, tellingWait } from "./waiting.ts"

export const resources = Command.make(
  "resources",
  {
    templates: Flag.Boolean("templates").pipe(
      Flag.withDescription(
        "List only templates: addresses with {variables}. Without it --json lists both, in one document"
      ),
      Flag.withDefault(false)
    ),
    server: serverFlag("Only resources of this server"),
    wait: waitFlag
  },
  Effect.fnUntraced(function* ({ server: flag, templates: wantsTemplates, wait }) {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        const server = yield* chosenServer(runtime, flag)
        yield* server === undefined ? listedSoon(runtime, wait) : serverSoon(runtime, server)
        const ofServer = <A extends { readonly server: string }>(all: ReadonlyArray<A>) =>
          server === undefined ? all : all.filter((one) => one.server === server)
        const listed = ofServer(yield* runtime.resources)
        const templates = ofServer(yield* runtime.resourceTemplates)
        const servers = yield* runtime.status
        // When one server was asked for, the others are not missing.
        const missed = server === undefined ? servers : {}
        if (json) {
          const { agent } = runtime
          const document = {
            agent,
            ...(wantsTemplates ? {} : { resources: listed }),
            resourceTemplates: templates,
            connecting: connectingIn(servers)
          }
          return yield* Effect.andThen(printJson(document), tellMissing(missed))
        }
        yield* print(wantsTemplates ? renderTemplates(templates, columns()) : renderResources(listed, columns()))
        if (!wantsTemplates && templates.length > 0) {
          yield* complain(`there are templates, too (${templates.length}): mcp-live resources --templates`)
        }
        for (const failure of renderFailures(statusOf(runtime, servers))) yield* complain(failure)
        yield* tellMissing(missed)
      })
    )
  })
).pipe(
  Command.withDescription("List the resources that servers offer"),
  Command.withExamples([
    { command: "mcp-live resources --server files", description: "Of one server" },
    { command: "mcp-live resources --templates", description: "Addresses with variables to fill in" }
  ])
)

export const read = Command.make(
  "read",
  {
    uri: Argument.String("uri").pipe(Argument.withDescription("The resource: listed, or from a template")),
    server: serverFlag("The server to ask; needed when several have the resource")
  },
  Effect.fnUntraced(function* ({ server: flag, uri }) {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        const server = yield* chosenServer(runtime, flag)
        // Without --server, every server's list is needed to find the one that has the resource.
        if (server === undefined) yield* settled(runtime)
        const words = Effect.succeed(`Reading ${visible(uri)}`)
        const reading = yield* tellingWait(explained(runtime.readResource(uri, server)), words)
        yield* json ? printJson(reading) : printContent(reading.content)
      })
    )
  })
).pipe(
  Command.withDescription("Read one resource"),
  Command.withExamples([
    { command: "mcp-live read file:///srv/notes.md", description: "A listed resource" },
    { command: "mcp-live read demo://text/7 --server everything --json", description: "From a template, as JSON" }
  ])
)

export const context = Command.make(
  "context",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* settled(runtime)
        const block = yield* runtime.resourceContext
        if (json) return yield* printJson({ agent: runtime.agent, context: block })
        yield* block === "" ? complain("no server has a resource for the context") : print(block)
        for (const failure of renderFailures(statusOf(runtime, yield* runtime.status))) yield* complain(failure)
      })
    )
  })
).pipe(
  Command.withDescription("Print the block of resources that goes into an agent's context"),
  Command.withShortDescription("Print the block of resources for an agent's context")
)
