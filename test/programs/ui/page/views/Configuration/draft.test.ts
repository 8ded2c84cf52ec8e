import { assert, describe, it } from "@effect/vitest"
import { signal } from "@preact/signals"
import { afterEach, beforeEach, vi } from "vitest"
import { makeDraft } from "../../../../../../src/programs/ui/page/views/Configuration/draft.ts"
import { AnswerLost, type Link } from "../../../../../../src/programs/ui/page/store/Gateway.ts"
import type { ConfigFileValue } from "../../../../../../src/schemas/control/ConfigFile.ts"
import type { ConfigState } from "../../../../../../src/schemas/config/ConfigState.ts"
import { fakeGateway, type Answers } from "../../fakeGateway.ts"

const STATE: ConfigState = { file: "/c.json", readAt: 1, watched: true, fault: null, pending: [], unread: [] }
const LOST: Link = { state: "lost", retryAt: 0 }
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
    link.value = LOST
    link.value = { state: "open" }
    await settle()
    assert.deepStrictEqual([draft.text.value, draft.isEdited.value], ["{ mine: 1 }", true])
  })

  it("is checked again when the connection is back, and says nothing of what could not be asked meanwhile", async () => {
    const { draft, gateway, link, settle } = await start()
    gateway.setLink(LOST)
    link.value = LOST
    draft.edit("{ mine: 1 }")
    await settle()
    assert.deepStrictEqual([draft.checked.value, draft.told.value], [undefined, undefined])
    gateway.setLink({ state: "open" })
    link.value = { state: "open" }
    await settle()
    assert.deepStrictEqual(draft.checked.value?.problems, [])
  })

  it("says that it may be saved when the answer is lost, until the file tells", async () => {
    for (const isSaved of [true, false]) {
      const disk = { text: "{}" }
      const { draft, gateway, link, settle } = await start({
        ConfigFile: () => fileOf(disk.text),
        SaveConfig: ({ text }) => {
          if (isSaved) disk.text = text
          gateway.setLink(LOST)
          throw new AnswerLost()
        }
      })
      draft.edit("{ mine: 1 }")
      await draft.save()
      link.value = LOST
      await settle()
      assert.deepStrictEqual(draft.told.value, { kind: "unsure" })
      gateway.setLink({ state: "open" })
      link.value = { state: "open" }
      await settle()
      assert.deepStrictEqual(
        [draft.told.value, draft.isEdited.value, draft.newer.value],
        [undefined, !isSaved, undefined]
      )
    }
  })

  it("gets the marks of the gateway that is there now, if only those of the file differ", async () => {
    const [old, fresh] = ["[MASKED-00000001]", "[MASKED-00000002]"]
    const file = (mark: string) => `{ a: "${mark}", b: "[MASKED-0000000a]" }`
    for (const [now, mine, base] of [
      [file(fresh), `{ a: "${fresh}", c: 1 }`, file(fresh)],
      ['{ a: "shown", b: "[MASKED-0000000a]" }', `{ a: "${old}", c: 1 }`, '{ a: "shown", b: "[MASKED-0000000a]" }']
    ] as const) {
      let said = file(old)
      const { draft, link, settle } = await start({ ConfigFile: () => ({ ...fileOf(said), hash: "the same" }) })
      draft.edit(`{ a: "${old}", c: 1 }`)
      said = now
      link.value = LOST
      link.value = { state: "open" }
      await settle()
      assert.strictEqual(draft.text.value, mine)
      draft.revert()
      assert.strictEqual(draft.text.value, base)
    }
  })

  it("is checked again against the configuration that runs when it is kept", async () => {
    const { draft, gateway, settle, writtenByOthers } = await start()
    draft.edit("{ mine: 1 }")
    await writtenByOthers("{ theirs: 1 }")
    const before = gateway.asked.filter(({ tag }) => tag === "CheckConfig").length
    draft.keepMine()
    assert.isUndefined(draft.checked.value)
    await settle()
    assert.deepStrictEqual(
      gateway.asked
        .filter(({ tag }) => tag === "CheckConfig")
        .map(({ payload }) => payload)
        .slice(before),
      [{ text: "{ mine: 1 }" }]
    )
  })
})
