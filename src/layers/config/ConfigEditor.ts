/** Edits the file of the configuration that runs. Nothing leaves it that is a secret, and nothing is written that is not valid. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { CONFIG_SCHEMA } from "../../schemas/config/ConfigSchema.ts"
import { type CheckedConfig, ConfigRefused } from "../../schemas/control/ConfigFile.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { ClientFiles } from "../../services/config/ClientFiles.ts"
import { ConfigEditor } from "../../services/config/ConfigEditor.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { ServerRegistry } from "../../services/config/ServerRegistry.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { editSettings } from "../../system/settingsFile.ts"
import { proposeImport } from "./ConfigEditor/importing.ts"
import { makeMasks } from "./ConfigEditor/masks.ts"
import { editablePlace, hashOf, type Meaning, meaningOf, placeOf } from "./ConfigEditor/place.ts"
import { propose } from "./ConfigEditor/proposing.ts"

const BYTE_ORDER_MARK = "\ufeff"

const refused = (reason: ConfigRefused["reason"], detail: string) => new ConfigRefused({ reason, detail })

const make = Effect.gen(function* () {
  const live = yield* LiveConfig
  const { redact } = yield* Redactor
  const { clean } = yield* ContentSanitizer
  const files = yield* ClientFiles
  const registry = yield* ServerRegistry
  const { hide, reveal } = makeMasks(redact)

  const revealed = (text: string) =>
    Effect.mapError(Effect.fromResult(reveal(text)), (detail) => refused("invalid", detail))
  const hidden = (text: string) =>
    Effect.fromResult(hide(text)).pipe(
      Effect.map((found) => found.text),
      Effect.mapError((detail) => refused("locked", detail))
    )
  /** Words of strangers, and of the file. */
  const words = (text: string): string => clean(redact(text)).text

  const checked = ({ config, problems, warnings }: Meaning): CheckedConfig => {
    const said = (issues: Meaning["problems"]) =>
      issues.map(({ line, message, path }) => ({ line, path: words(path), message: words(message) }))
    const change = config === undefined ? {} : { change: live.changeTo(config) }
    return { problems: said(problems), warnings: said(warnings), ...change }
  }

  return ConfigEditor.of({
    file: Effect.gen(function* () {
      const { hash, isThere, locked, path, text } = yield* placeOf(live.current())
      const found = hide(text)
      const reason = locked ?? (Result.isFailure(found) ? found.failure : undefined)
      const shown = Result.getOrElse(found, () => ({ text: "", masked: 0 }))
      return {
        path,
        ...(reason === undefined ? {} : { locked: reason }),
        isThere,
        ...shown,
        hash,
        state: live.state(),
        schema: CONFIG_SCHEMA as JsonObject
      }
    }),

    check: Effect.fnUntraced(function* (text) {
      const { path } = yield* editablePlace(live.current())
      return checked(meaningOf(yield* revealed(text), path))
    }),

    save: Effect.fnUntraced(function* (text, hash) {
      const place = yield* editablePlace(live.current())
      const after = yield* revealed(text)
      const meaning = meaningOf(after, place.path)
      if (meaning.config === undefined) {
        const { problems } = checked(meaning)
        return yield* new ConfigRefused({ reason: "invalid", detail: "the text is no valid configuration", problems })
      }
      let isChanged = false
      const write = editSettings(place.path, (before) => {
        // Some editors write it; nobody sees it in the text that is edited.
        const mark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ""
        isChanged = hashOf(before.slice(mark.length)) !== hash
        return isChanged ? Result.fail("the file was changed meanwhile: read it again") : Result.succeed(mark + after)
      }).pipe(Effect.mapError((detail) => refused(isChanged ? "changed" : "failed", detail)))
      const { backup } = yield* Effect.uninterruptible(write)
      const reloaded = yield* Effect.result(live.reload)
      return {
        hash: hashOf(after),
        ...(backup === undefined ? {} : { backup }),
        ...(Result.isSuccess(reloaded) ? { reloaded: reloaded.success } : { fault: words(reloaded.failure.message) })
      }
    }),

    proposeServer: Effect.fnUntraced(function* (text, server) {
      const { path } = yield* editablePlace(live.current())
      const {
        about,
        questions,
        text: edited,
        unusual,
        ...rest
      } = yield* propose(yield* revealed(text), path, server, registry).pipe(
        Effect.mapError((error) => refused(error.reason, words(error.detail)))
      )
      return {
        ...rest,
        about: about.map(words),
        unusual: unusual.map(words),
        questions: questions.map((question) => ({ ...question, about: words(question.about) })),
        ...(edited === undefined ? {} : { text: yield* hidden(edited) })
      }
    }),

    proposeImport: Effect.fnUntraced(function* (text, take) {
      const { path } = yield* editablePlace(live.current())
      const proposal = yield* proposeImport(yield* revealed(text), path, take, files)
      const said = <A extends { readonly message: string }>(one: A): A => ({ ...one, message: words(one.message) })
      return {
        ...proposal,
        servers: proposal.servers.map((one) => ({
          ...one,
          launch: words(one.launch),
          remarks: one.remarks.map(words)
        })),
        left: proposal.left.map(said),
        broken: proposal.broken.map(said),
        text: yield* hidden(proposal.text)
      }
    })
  })
})

export const layer: Layer.Layer<
  ConfigEditor,
  never,
  LiveConfig | Redactor | ContentSanitizer | ClientFiles | ServerRegistry
> = Layer.effect(ConfigEditor, make)
