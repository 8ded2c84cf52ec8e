import { assert, describe, it } from "@effect/vitest"
import { orphans, remains } from "../../../src/system/process/descent.ts"
import type { ProcessEntry } from "../../../src/system/process/procfs.ts"
import { makeMark, type Mark } from "../../../src/system/process/mark.ts"
import type { Survey } from "../../../src/system/process/survey.ts"
import { makeTag, parseTags, withTag, type Owner } from "../../../src/system/process/tag.ts"

/** All other numbers are larger than any that a system gives. */
const ME = process.pid
const here: Owner = { run: "0".repeat(16), pid: ME, started: 500, place: "1.1" }
const dead: Owner = { run: "1".repeat(16), pid: 9_000_077, started: 100, place: "1.1" }
const living: Owner = { run: "2".repeat(16), pid: 9_000_060, started: 9_000_060, place: "1.1" }

const tagOf = (owner: Owner, connection = 1) => makeTag(owner, connection, "x")

interface Row extends Partial<ProcessEntry> {
  readonly pid: number
  readonly tag?: string
  readonly mark?: Mark
}

/** Processes that started at the time of their number, in a session of their own unless told otherwise. */
const surveyOf = (...rows: ReadonlyArray<Row>): Survey => {
  const own: Row = { pid: ME, started: here.started, parent: 1 }
  const entries = [own, { pid: 9_000_060 }, ...rows].map(({ pid, ...row }): ProcessEntry => ({
    pid,
    started: pid,
    parent: 1,
    group: pid,
    session: pid,
    dead: false,
    ...row
  }))
  return {
    entries: new Map(entries.map((entry) => [entry.pid, entry])),
    marks: new Map(rows.flatMap(({ mark, pid }) => (mark === undefined ? [] : [[pid, mark] as const]))),
    tags: new Map(rows.flatMap(({ pid, tag }) => (tag === undefined ? [] : [[pid, parseTags(tag)] as const])))
  }
}

const pids = (entries: ReadonlyArray<ProcessEntry>) => entries.map(({ pid }) => pid).toSorted((a, b) => a - b)

describe("what remains of a connection", () => {
  const tag = tagOf(here, 9)
  const of = (survey: Survey, numberIsFree = false, known: ReadonlyArray<ProcessEntry> = []) =>
    pids(remains(survey, { tag, leader: { pid: 9_001_000, started: 9_001_000 }, numberIsFree }, known))

  it("is its session, with or without a leader", () => {
    const members = [
      { pid: 9_001_001, session: 9_001_000, group: 9_001_000 },
      { pid: 9_001_002, session: 9_001_000 },
      { pid: 9_001_003 }
    ]
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000 }, ...members)), [9_001_000, 9_001_001, 9_001_002])
    assert.deepStrictEqual(of(surveyOf(...members)), [9_001_001, 9_001_002])
  })

  it("is each process with its tag, and none with the tag of another connection", () => {
    const survey = surveyOf(
      { pid: 9_001_001, tag },
      { pid: 9_001_002, tag: withTag(tag, tagOf(living)) },
      { pid: 9_001_003, tag: tagOf(here, 8) }
    )
    assert.deepStrictEqual(of(survey), [9_001_001, 9_001_002])
  })

  it("is each process with its mark, also without a tag", () => {
    const mark = makeMark(here)
    const survey = surveyOf({ pid: 9_001_001, mark }, { pid: 9_001_002, mark: makeMark(here) })
    const leader = { pid: 9_001_000, started: 9_001_000 }
    assert.deepStrictEqual(pids(remains(survey, { tag, mark: mark.text, leader, numberIsFree: true })), [9_001_001])
    assert.deepStrictEqual(of(survey), [], "without a mark of its own")
  })

  it("is each descendant, also after it dropped its tag and its parent has ended", () => {
    const child = { pid: 9_001_001, parent: 9_001_000 }
    const survey = surveyOf({ pid: 9_001_000 }, child, { pid: 9_001_002, parent: 9_001_001 })
    assert.deepStrictEqual(of(survey), [9_001_000, 9_001_001, 9_001_002])
    const known = remains(survey, { tag, leader: { pid: 9_001_000, started: 9_001_000 }, numberIsFree: false })
    assert.deepStrictEqual(
      of(surveyOf({ pid: 9_001_001 }, { pid: 9_001_003, parent: 9_001_001 }), true, known),
      [9_001_001, 9_001_003]
    )
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_001, started: 2000 }), true, known), [], "a stranger by now")
  })

  it("is not a process of a stranger that has the leader's process ID", () => {
    assert.deepStrictEqual(
      of(surveyOf({ pid: 9_001_000, started: 5000 }, { pid: 9_001_001, session: 9_001_000, parent: 9_001_000 })),
      []
    )
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_001, session: 9_001_000 }), true), [])
  })

  it("is no dead process, not this process and none of its ancestors", () => {
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, dead: true })), [])
    const survey = surveyOf({ pid: 9_000_050, tag, parent: 1 }, { pid: ME, started: 500, parent: 9_000_050, tag })
    assert.deepStrictEqual(of(survey), [])
  })
})

describe("what gateways that have ended left behind", () => {
  const of = (survey: Survey, unseen = "ENOENT") =>
    pids(orphans(survey, here, [], (pid) => survey.entries.get(pid) ?? unseen))

  it("is each process tagged by an owner that has ended, is a zombie or had its process ID reused", () => {
    const row = { pid: 9_001_000, tag: tagOf(dead) }
    assert.deepStrictEqual(of(surveyOf(row)), [9_001_000])
    assert.deepStrictEqual(of(surveyOf(row, { pid: 9_000_077, started: 100, dead: true })), [9_001_000])
    assert.deepStrictEqual(of(surveyOf(row, { pid: 9_000_077, started: 101 })), [9_001_000])
  })

  it("leaves out processes whose owner could not be inspected", () => {
    const survey = surveyOf({ pid: 9_001_000, tag: tagOf(dead) })
    for (const code of ["EMFILE", "EACCES", "unknown"]) assert.deepStrictEqual(of(survey, code), [])
    for (const code of ["ENOENT", "ESRCH"]) assert.deepStrictEqual(of(survey, code), [9_001_000])
  })

  it("leaves out processes whose owner is alive, in another namespace or unknown", () => {
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, tag: tagOf(dead) }, { pid: 9_000_077, started: 100 })), [])
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, tag: tagOf({ ...dead, place: "1.2" }) })), [])
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, tag: tagOf({ ...dead, started: 0 }) })), [])
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, tag: tagOf(here) })), [])
  })

  it("includes descendants, but not those of a gateway that lives", () => {
    const survey = surveyOf(
      { pid: 9_001_000, tag: tagOf(dead) },
      { pid: 9_001_001, parent: 9_001_000 },
      { pid: 9_001_002, parent: 9_001_001, tag: withTag(tagOf(dead), tagOf(living)) },
      { pid: 9_001_003, parent: 9_001_002 }
    )
    assert.deepStrictEqual(of(survey), [9_001_000, 9_001_001])
  })

  it("is each process with the mark of an owner that has ended, whatever its tag says", () => {
    const mark = makeMark({ ...dead, pid: 900_077 })
    const survey = surveyOf(
      { pid: 9_001_000, mark },
      { pid: 9_001_001, mark, tag: tagOf(living) },
      { pid: 9_001_002, mark, tag: tagOf({ ...living, place: "9.9" }) },
      { pid: 9_001_003, mark: makeMark({ ...dead, pid: 900_077, place: "1.2" }) },
      { pid: 9_001_004, mark: makeMark({ ...dead, pid: 900_078, started: 900_078 }) },
      { pid: 900_078 }
    )
    assert.deepStrictEqual(of(survey), [9_001_000, 9_001_001, 9_001_002])
    assert.deepStrictEqual(of(survey, "EACCES"), [], "one that could not be looked at")
  })

  it("leaves out the servers of a gateway that lives and has the same mark", () => {
    const mark = makeMark({ ...dead, pid: 900_077 })
    const inner: Owner = { ...living, pid: 9_001_000, started: 9_001_000 }
    const survey = surveyOf(
      { pid: 9_001_000, mark, tag: tagOf(dead) },
      { pid: 9_001_001, mark, tag: withTag(tagOf(dead), tagOf(inner)) }
    )
    assert.deepStrictEqual(of(survey), [9_001_000])
  })

  it("goes by the last tag, which names the process that started it", () => {
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, tag: withTag(tagOf(living), tagOf(dead)) })), [9_001_000])
    assert.deepStrictEqual(of(surveyOf({ pid: 9_001_000, tag: withTag(tagOf(dead), tagOf(living)) })), [])
  })

  it("is not this process, nor its ancestors or children", () => {
    const survey = surveyOf(
      { pid: 9_000_040, tag: tagOf(dead) },
      { pid: 9_000_050, parent: 9_000_040, tag: tagOf(dead) },
      { pid: ME, started: 500, parent: 9_000_050, tag: tagOf(dead) },
      { pid: 9_001_000, parent: ME },
      { pid: 9_001_001, parent: 9_000_050, tag: tagOf(dead) }
    )
    assert.deepStrictEqual(of(survey), [9_001_001])
  })
})
