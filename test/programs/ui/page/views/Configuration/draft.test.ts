import { assert, describe, it } from "@effect/vitest"
import { signal } from "@preact/signals"
import { afterEach, beforeEach, vi } from "vitest"
import { makeDraft } from "../../../../../../src/programs/ui/page/views/Configuration/draft.ts"
import type { Link } from "../../../../../../src/programs/ui/page/store/Gateway.ts"
import type { ConfigFileValue } from "../../../../../../src/schemas/control/ConfigFile.ts"
import type { ConfigState } from "../../../../../../src/schemas/config/ConfigState.ts"
import { fakeGateway, type Answers } from "../../fakeGateway.ts"

const STATE: ConfigState = { file: "/c.json", readAt: 1, watched: true, fault: null, pending: [], unread: [] }
const fileOf = (text: string): ConfigFileValue => ({
  path: "/c.json",
  isThere: true,
  text,
  hash: `hash of ${text}`,
  masked: 0,
  state: STATE,
  schema: {}
})

/** A draft over a file that others write, too. */
const start = async (answers: Answers = {}) => {
  const disk = { text: "{}" }
  const gateway = fakeGateway({
    ConfigFile: () => fileOf(disk.text),
    CheckConfig: ({ text }) =>
      text.includes("bad")
        ? { problems: [{ line: 1, path: "bad", message: "no" }], warnings: [] }
        : { problems: [], warnings: [] },
    SaveConfig: ({ hash, text }) => {
      if (hash !== `hash of ${disk.text}`) throw new Error("the file is another one by now")
      disk.text = text
      return { hash: `hash of ${text}` }
    },
    ...answers
  })
  const link = signal<Link>({ state: "open" })
  const configuration = signal<ConfigState | undefined>(STATE)
  const draft = makeDraft({ configuration, gateway, link })
  const settle = () => vi.runAllTimersAsync()
  await settle()
  /** Somebody else writes the file, and the gateway reads it. */
  const writtenByOthers = async (text: string) => {
    disk.text = text
    configuration.value = { ...STATE, readAt: configuration.value!.readAt + 1 }
    await settle()
  }
  return { disk, draft, gateway, link, settle, writtenByOthers }
}

describe("the draft of the configuration", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("is the file at first, and checked when somebody has stopped typing", async () => {
    const { draft, gateway, settle } = await start()
    assert.deepStrictEqual([draft.text.value, draft.isEdited.value], ["{}", false])
    draft.edit("{ b }")
    draft.edit("{ bad }")
    assert.isUndefined(draft.checked.value)
    await settle()
    assert.lengthOf(draft.checked.value!.problems, 1)
    const checks = gateway.asked.filter(({ tag }) => tag === "CheckConfig").map(({ payload }) => payload)
    assert.deepStrictEqual(checks, [{ text: "{}" }, { text: "{ bad }" }])
  })

  it("is saved over the file that it was made from", async () => {
    const { disk, draft, settle } = await start()
    draft.edit("{ a: 1 }")
    await draft.save()
    await settle()
    assert.deepStrictEqual([disk.text, draft.isEdited.value, draft.told.value?.kind], ["{ a: 1 }", false, "saved"])
  })

  it("follows a file that changes while nobody edits it", async () => {
    const { draft, writtenByOthers } = await start()
    await writtenByOthers("{ theirs: 1 }")
    assert.deepStrictEqual([draft.text.value, draft.newer.value], ["{ theirs: 1 }", undefined])
  })

  it("stays when the file changes meanwhile, and is not saved until a person has chosen", async () => {
    const { disk, draft, settle, writtenByOthers } = await start()
    draft.edit("{ mine: 1 }")
    await writtenByOthers("{ theirs: 1 }")
    assert.deepStrictEqual([draft.text.value, draft.newer.value?.text], ["{ mine: 1 }", "{ theirs: 1 }"])
    await draft.save()
    assert.strictEqual(disk.text, "{ theirs: 1 }")
    draft.keepMine()
    await draft.save()
    await settle()
    assert.deepStrictEqual([disk.text, draft.newer.value], ["{ mine: 1 }", undefined])
  })

  it("is dropped for the file as it is now when a person says so", async () => {
    const { draft, writtenByOthers } = await start()
    draft.edit("{ mine: 1 }")
    await writtenByOthers("{ theirs: 1 }")
    draft.takeNewer()
    assert.deepStrictEqual([draft.text.value, draft.isEdited.value], ["{ theirs: 1 }", false])
  })

  it("finds the newer file when a save is refused, and says why", async () => {
    const { disk, draft, settle } = await start()
    draft.edit("{ mine: 1 }")
    // Nobody has told the page.
    disk.text = "{ theirs: 1 }"
    await draft.save()
    await settle()
    assert.deepStrictEqual(draft.told.value, { kind: "failed", words: "the file is another one by now" })
    assert.strictEqual(draft.newer.value?.text, "{ theirs: 1 }")
    assert.strictEqual(draft.text.value, "{ mine: 1 }")
  })

  it("outlives a connection that is lost", async () => {
    const { draft, link, settle } = await start()
    draft.edit("{ mine: 1 }")
    link.value = { state: "lost", retryAt: 0 }
    link.value = { state: "open" }
    await settle()
    assert.deepStrictEqual([draft.text.value, draft.isEdited.value], ["{ mine: 1 }", true])
  })
})
