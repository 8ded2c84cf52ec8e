/** Edits the configuration file on behalf of a person who looks at it from elsewhere, such as a page. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  CheckedConfig,
  ConfigFileValue,
  ConfigRefused,
  ImportProposal,
  Proposal,
  ProposedServer,
  SavedConfig
} from "../../schemas/control/ConfigFile.ts"

/**
 * Edits the configuration file on behalf of a person who looks at it from elsewhere. Texts go out with every secret masked, each by a mark of
 * its own, and come in with these marks: their values are put back before a text is checked or saved. A mark is known for as long as the process
 * runs.
 */
export class ConfigEditor extends Context.Service<
  ConfigEditor,
  {
    readonly file: Effect.Effect<ConfigFileValue, ConfigRefused>
    /** What a text would mean in place of the file. */
    readonly check: (text: string) => Effect.Effect<CheckedConfig, ConfigRefused>
    /** Writes a valid text if the file is still the one of `hash`, with a backup beside it, and applies it. */
    readonly save: (text: string, hash: string) => Effect.Effect<SavedConfig, ConfigRefused>
    /** A text with one more server. Writes and starts nothing. */
    readonly proposeServer: (text: string, server: ProposedServer) => Effect.Effect<Proposal, ConfigRefused>
    /** A text with servers that other programs have: with all, or those of these names. Writes nothing. */
    readonly proposeImport: (
      text: string,
      take: ReadonlyArray<string> | undefined
    ) => Effect.Effect<ImportProposal, ConfigRefused>
  }
>()("mcp-live/services/ConfigEditor") {}
