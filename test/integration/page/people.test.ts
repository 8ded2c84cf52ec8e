/** People on the page of `serve --http`: each sees and answers what is theirs, and reaches nothing else. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Control } from "../../../src/schemas/control/Control.ts"
import type { NumberedEvent } from "../../../src/schemas/control/Events.ts"
import { FOR_PEOPLE, OwnRequests, Personal } from "../../../src/schemas/control/Personal.ts"
import type { PendingQuestion } from "../../../src/schemas/control/Question.ts"
import { pauses } from "../../support/pause.ts"
import { ask } from "../../support/ask.ts"
import { clientOf, dial, dialed, type Entered } from "../../support/page.ts"
import { cookiesOf, GATEWAY_CLIENT, peopleGateway } from "../../support/peoplePage.ts"
import { oidcProvider } from "../../support/oidcProvider.ts"
import { shared } from "../../support/shared.ts"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Loose } from "../serve/program.ts"

type Client = Effect.Success<ReturnType<typeof clientOf>>

/** What the page of somebody hears from now on. */
const hearing = (client: Client) => Stream.toQueue(client.Events({}), { capacity: 256 })

const until = <A>(
  events: Queue.Dequeue<NumberedEvent, unknown>,
  pick: (event: NumberedEvent["event"]) => A | undefined
) =>
  Effect.gen(function* () {
    while (true) {
      const found = pick((yield* Queue.take(events)).event)
      if (found !== undefined) return found
    }
  })

const open = (event: NumberedEvent["event"]): PendingQuestion | undefined =>
  event._tag === "Questions" ? event.questions[0] : undefined

const callsOf = (client: Client) =>
  Effect.map(client.PastCalls({ kind: "call", limit: 100 }), ({ records }) =>
    records.flatMap(({ record }) => (record.kind === "call" ? [record] : []))
  )

const written = (client: Client, count: number) =>
  callsOf(client).pipe(Effect.repeat({ schedule: pauses, until: (all) => all.length >= count }))

const readLines = (folder: string): ReadonlyArray<Loose> =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) =>
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        // Behind the last line end stands a line that is being written.
        .slice(0, -1)
    )
    .map((line) => JSON.parse(line))

const approvers = { tools: { ask: ["all/get-sum"], approvers: ["group:leads"] } }

/** For tests that need nothing else of it. */
const usual = shared(peopleGateway())

/** Another one, at which calls are approved by others. */
const approving = shared(peopleGateway({ gateway: approvers }))

/** One at which people approve their own calls and have quotas, and which lets one of them in. */
const adasAlone = shared(
  peopleGateway({
    gateway: { tools: { ask: ["all/get-sum"] } },
    rules: [{ who: ["ada@example.com"] }],
    limits: { perDay: 50, tools: { "all/echo": { perDay: 1 } } }
  })
)

const statusOf = (entered: Entered, headers: Record<string, string> = {}) =>
  Effect.map(
    Effect.promise(() => ask(entered.url, { cookie: entered.cookie, ...headers })),
    ({ status }) => status
  )

const dialing = (entered: Pick<Entered, "url"> & Partial<Entered>, headers?: Record<string, string>) =>
  Effect.map(
    Effect.promise(() => dial(entered, headers)),
    (socket) => {
      if (typeof socket === "number") return socket
      socket.terminate()
      return "open"
    }
  )

describe("people on the page", () => {
  it("have the requests that are named for them, and none that is added to the contract of the operator", () => {
    assert.deepStrictEqual(
      [...Personal.requests.keys()].toSorted(),
      [...FOR_PEOPLE, ...OwnRequests.requests.keys()].toSorted()
    )
    assert.deepStrictEqual([...FOR_PEOPLE], ["Hello", "Events", "PastCalls", "Trace", "AnswerQuestion"])
  })

  it.live("never see each other's calls, live or past, nor how many there are", () =>
    Effect.gen(function* () {
      const gateway = yield* usual
      const ada = yield* clientOf(yield* gateway.signIn("ada"))
      const bob = yield* clientOf(yield* gateway.signIn("bob"))
      assert.deepInclude(yield* ada.Hello({}), { person: "ada@example.com", pid: 0, agents: [], configuration: null })
      const [heardByAda, heardByBob] = [yield* hearing(ada), yield* hearing(bob)]
      const adas = yield* gateway.clientOf("ada")
      const bobs = yield* gateway.clientOf("bob")
      const call = (of: typeof adas, message: string) =>
        Effect.promise(() => of.call("mcp_all_echo", { message })).pipe(
          Effect.repeat({ schedule: pauses, until: (text) => text.includes(message) })
        )
      yield* call(bobs, "of bob")
      yield* call(bobs, "of bob again")
      yield* call(adas, "of ada")
      const first = yield* until(heardByAda, (event) => (event._tag === "Call" ? event : undefined))
      assert.deepInclude(first.record, { person: "ada@example.com", tool: "echo" })
      // An id that counts calls would tell how many others there are.
      assert.notMatch(first.id!, /-\d+$/)
      const other = yield* until(heardByBob, (event) => (event._tag === "Call" ? event : undefined))
      assert.deepInclude(other.record, { person: "bob@example.com" })

      const past = yield* written(ada, 1)
      assert.isTrue(past.every(({ person }) => person === "ada@example.com"))
      assert.isTrue((yield* written(bob, 2)).every(({ person }) => person === "bob@example.com"))
      // Asking for somebody else finds nothing.
      const asked = yield* ada.PastCalls({ person: "bob@example.com", limit: 100 })
      assert.deepStrictEqual(asked.records, [])
      assert.isNull(yield* ada.Trace({ call: other.id! }))
      assert.deepInclude((yield* bob.Trace({ call: other.id! }))!, { id: other.id! })
      // Files of the audit log are written in the background.
      const count = (yield* callsOf(ada)).filter(({ server }) => server === "all").length
      const mine = yield* ada.Mine().pipe(
        Effect.repeat({
          schedule: pauses,
          until: ({ usage }) => usage.some(({ calls, tool }) => tool === "all/echo" && calls === count)
        })
      )
      assert.isTrue(mine.usage.every(({ tool }) => tool.endsWith("echo")))
      assert.lengthOf(mine.sessions, 1)
      assert.deepStrictEqual(mine.accounts, [])
    }).pipe(Effect.scoped)
  )

  it.live("are refused every request of the contract that is not theirs", () =>
    Effect.gen(function* () {
      const gateway = yield* usual
      const entered = yield* gateway.signIn("ada")
      const others = [...Control.requests.keys()].filter((tag) => !(FOR_PEOPLE as ReadonlyArray<string>).includes(tag))
      assert.isAbove(others.length, 30)
      const socket = yield* dialed(entered)
      for (const [i, tag] of others.entries()) {
        const answered = once(socket, "message")
        socket.send(JSON.stringify({ _tag: "Request", id: String(i), tag, payload: {}, headers: [] }))
        const answer = String((yield* Effect.promise(() => answered))[0])
        const said = JSON.parse(answer) as { readonly _tag: string; readonly exit?: { readonly _tag: string } }
        assert.isTrue(said._tag === "Exit" && said.exit?._tag === "Failure", `${tag}: ${answer}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("answer as approvers on their own page, the call goes on, and the record names them", () =>
    Effect.gen(function* () {
      const gateway = yield* approving
      const ada = yield* clientOf(yield* gateway.signIn("ada"))
      const lea = yield* clientOf(yield* gateway.signIn("lea"))
      const bob = yield* clientOf(yield* gateway.signIn("bob"))
      const [byAda, byLea, byBob] = [yield* hearing(ada), yield* hearing(lea), yield* hearing(bob)]
      const adas = yield* gateway.clientOf("ada")
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => adas.call("mcp_all_get-sum", { a: 2, b: 3 })).pipe(
          Effect.repeat({ schedule: pauses, until: (text) => text.includes("is 5") })
        )
      )
      const question = yield* until(byLea, open)
      assert.deepInclude((question as { readonly question: object }).question, { approvers: ["group:leads"] })
      // Nobody else can answer it: not another person, and not the one whose call it is.
      const answer = { _tag: "Approval", answer: "once" } as const
      assert.isFalse(yield* bob.AnswerQuestion({ id: question.id, answer }))
      assert.isFalse(yield* ada.AnswerQuestion({ id: question.id, answer }))
      assert.isTrue(yield* lea.AnswerQuestion({ id: question.id, answer }))
      assert.include(yield* Fiber.join(waiting), "is 5")
      // A call of each of them comes after any question that they might have been shown.
      const bobs = yield* gateway.clientOf("bob")
      yield* Effect.promise(() => bobs.call("mcp_all_echo", { message: "of bob" })).pipe(
        Effect.repeat({ schedule: pauses, until: (text) => text.includes("of bob") })
      )
      for (const queue of [byAda, byBob]) {
        yield* until(queue, (event) => {
          assert.isTrue(event._tag !== "Questions" || event.questions.length === 0)
          return event._tag === "Call" && event.record.kind === "call" && event.record.outcome === "ok"
            ? true
            : undefined
        })
      }
      const records = yield* Effect.sync(() => readLines(join(gateway.home, "audit"))).pipe(
        Effect.repeat({ schedule: pauses, until: (all) => all.some((one) => one["answer"] === "given") })
      )
      const given = records.find((one) => one["answer"] === "given")!
      assert.deepInclude(given, { person: "ada@example.com", answeredBy: "lea@example.com" })
      // Ada learns that it was approved, and not by whom.
      const { records: seen } = yield* ada.PastCalls({ kind: "approval", limit: 10 })
      assert.isNotEmpty(seen)
      assert.isTrue(seen.every(({ record }) => !("answeredBy" in record)))
      // A search finds nothing by it either.
      for (const text of ["lea@example.com", "answeredBy"]) {
        assert.deepStrictEqual((yield* ada.PastCalls({ kind: "approval", limit: 10, text })).records, [], text)
      }
      assert.isNotEmpty((yield* ada.PastCalls({ kind: "approval", limit: 10, text: "ada@example.com" })).records)
    }).pipe(Effect.scoped)
  )

  it.live("approve their own calls there, if no rule names somebody else", () =>
    Effect.gen(function* () {
      const gateway = yield* adasAlone
      const ada = yield* clientOf(yield* gateway.signIn("ada"))
      const adas = yield* gateway.clientOf("ada")
      const sum = Effect.promise(() => adas.call("mcp_all_get-sum", { a: 2, b: 3 }))
      // Nobody is at the page yet.
      const told = yield* Effect.repeat(sum, { schedule: pauses, until: (text) => text.includes("needs the approval") })
      assert.include(told, `Ask the user to open ${gateway.page}, where they are asked`)
      const heard = yield* hearing(ada)
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => adas.call("mcp_all_get-sum", { a: 2, b: 3 })).pipe(
          Effect.repeat({ schedule: pauses, until: (text) => text.includes("is 5") })
        )
      )
      const question = yield* until(heard, open)
      assert.isTrue(yield* ada.AnswerQuestion({ id: question.id, answer: { _tag: "Approval", answer: "once" } }))
      assert.include(yield* Fiber.join(waiting), "is 5")
      const given = yield* ada.PastCalls({ kind: "approval", limit: 10 }).pipe(
        Effect.map(({ records }) => records.find(({ record }) => "answer" in record && record.answer === "given")),
        Effect.repeat({ schedule: pauses, until: (one) => one !== undefined })
      )
      assert.deepInclude(given!.record, { answeredBy: "ada@example.com" })
    }).pipe(Effect.scoped)
  )
})

describe("the quotas of a person", () => {
  it.live("are on their page as they are counted", () =>
    Effect.gen(function* () {
      const gateway = yield* adasAlone
      const ada = yield* clientOf(yield* gateway.signIn("ada"))
      const shown = Effect.map(ada.Mine(), ({ quotas }) =>
        quotas.map(({ counts, limit, period }) => [counts, period, limit])
      )
      assert.deepStrictEqual(yield* shown, [
        ["calls of tools 'all/echo'", "day", 1],
        ["calls", "day", 50]
      ])
      const used = Effect.map(ada.Mine(), ({ quotas }) => quotas.map((one) => one.used))
      const [, before = 0] = yield* used
      const adas = yield* gateway.clientOf("ada")
      const echoed = Effect.promise(() => adas.call("mcp_all_echo", { message: "counted" }))
      yield* Effect.repeat(echoed, { schedule: pauses, until: (text) => text.includes("counted") })
      assert.deepStrictEqual(yield* used, [1, before + 1])
      assert.include(yield* echoed, "are used up")
      const refused = yield* callsOf(ada).pipe(
        Effect.map((all) => all.find(({ outcome }) => outcome === "RateLimited")),
        Effect.repeat({ schedule: pauses, until: (one) => one !== undefined })
      )
      assert.deepInclude(refused!, { tool: "echo", quota: "calls of tools 'all/echo' a day" })
    }).pipe(Effect.scoped)
  )
})

describe("the login on the page", () => {
  it.live("ends with the token, with its revocation, and when the person leaves", () =>
    Effect.gen(function* () {
      // Its end is waited for beside the rest.
      const short = yield* peopleGateway({ tokenS: 20 })
      const brief = yield* short.signIn("ada")
      const socket = yield* Effect.promise(() => dial(brief))
      assert.isObject(socket)
      const closed = new Promise((resolve) => typeof socket === "number" || socket.once("close", resolve))

      const introspection = { clientId: GATEWAY_CLIENT.clientId, clientSecret: GATEWAY_CLIENT.clientSecret }
      const gateway = yield* peopleGateway({ format: "opaque", issuer: { introspection } })
      const entered = yield* gateway.signIn("ada")
      assert.strictEqual(yield* statusOf(entered), 200)
      const left = yield* Effect.promise(() => gateway.post("sign-out", gateway.origin, entered.cookie))
      assert.strictEqual(left.status, 204)
      assert.strictEqual(cookiesOf(left), "")
      // A copy of its cookie is worth nothing either.
      for (const cookie of [entered.cookie, `${entered.cookie}=`, `${entered.cookie}.`]) {
        assert.strictEqual(yield* statusOf({ ...entered, cookie }), 401)
        assert.strictEqual(yield* dialing({ ...entered, cookie }), 401)
      }

      yield* Effect.promise(() => closed)
      assert.strictEqual(yield* statusOf(brief), 401)
    }).pipe(Effect.scoped)
  )

  it.live("is refused to whoever no rule lets in", () =>
    Effect.gen(function* () {
      const gateway = yield* adasAlone
      assert.strictEqual(yield* statusOf(yield* gateway.signIn("ada")), 200)
      gateway.comes("bob")
      const begun = yield* Effect.promise(() => gateway.begin())
      const params = yield* Effect.promise(() => gateway.answered(begun))
      const answer = yield* Effect.promise(() => gateway.back(params, begun.cookie))
      assert.strictEqual(answer.status, 403)
      assert.notInclude(cookiesOf(answer), "mcp_live_page=")
    }).pipe(Effect.scoped)
  )

  it.live("lets nobody in by a forged state, another browser, another issuer, or an answer that was used", () =>
    Effect.gen(function* () {
      const gateway = yield* usual
      const other = yield* oidcProvider({ person: () => "eve" })
      const refusedWith = (params: Record<string, string>, cookie: string) =>
        Effect.map(
          Effect.promise(() => gateway.back(params, cookie)),
          (answer) => {
            assert.strictEqual(answer.status, 403, answer.text)
            assert.notInclude(cookiesOf(answer), "mcp_live_page=")
          }
        )
      const begun = Effect.promise(async () => {
        const one = await gateway.begin()
        return { ...one, params: await gateway.answered(one) }
      })

      const forged = yield* begun
      yield* refusedWith({ ...forged.params, state: "x".repeat(43) }, forged.cookie)
      yield* refusedWith(forged.params, "")
      // The browser of somebody who was sent the address of an attacker's answer.
      yield* refusedWith(forged.params, (yield* begun).cookie)

      const mixed = yield* begun
      yield* refusedWith({ ...mixed.params, iss: other.issuer }, mixed.cookie)
      const nameless = yield* begun
      const { iss: _, ...withoutIssuer } = nameless.params
      yield* refusedWith(withoutIssuer, nameless.cookie)

      const good = yield* begun
      const first = yield* Effect.promise(() => gateway.back(good.params, good.cookie))
      assert.include(cookiesOf(first), "mcp_live_page=")
      yield* refusedWith(good.params, good.cookie)
      // The code of one login in another one.
      const fresh = yield* begun
      yield* refusedWith({ ...fresh.params, code: good.params["code"]! }, fresh.cookie)
    }).pipe(Effect.scoped)
  )

  it.live("that a person does not agree to is told to them, and logged by the code of the answer alone", () =>
    Effect.gen(function* () {
      const gateway = yield* usual
      const refused = Effect.fnUntraced(function* (error: string) {
        const begun = yield* Effect.promise(() => gateway.begin())
        const state = begun.authorization.searchParams.get("state")!
        const params = { error, error_description: "words of anybody", iss: gateway.issuer, state }
        return (yield* Effect.promise(() => gateway.back(params, begun.cookie))).text
      })
      assert.include(yield* refused("access_denied"), "You did not agree to the login.")
      assert.include(yield* refused("words-of-anybody"), "The log of the gateway says why.")
      yield* gateway.logged(/the issuer did not log anybody in \(access_denied\)/)
      yield* gateway.logged(/the issuer did not log anybody in$/m)
      assert.notMatch(gateway.stderr(), /words.of.anybody/)
    }).pipe(Effect.scoped)
  )

  it.live("is found by browsers that are given another address; other clients get the same as without the page", () =>
    Effect.gen(function* () {
      const gateway = yield* usual
      const asked = (path: string, headers: Record<string, string> = {}, method = "GET") =>
        Effect.promise(() => ask(gateway.origin + path, headers, method))
      const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
      const root = yield* asked("/", browser)
      assert.strictEqual(root.status, 303)
      assert.strictEqual(root.headers["location"], "/page/")
      const { cookie } = yield* gateway.signIn("ada")
      const stranger = yield* asked("/page/xyz", browser)
      for (const [found, status] of [
        [stranger, 401],
        [yield* asked("/page/xyz", { ...browser, cookie }), 404]
      ] as const) {
        assert.strictEqual(found.status, status)
        assert.include(found.text, '<a href="/page/">')
      }
      // Whether there is such a file is not told to strangers.
      assert.strictEqual((yield* asked("/page/LICENSES.txt", browser)).text, stranger.text)
      assert.strictEqual((yield* asked("/page/LICENSES.txt", { ...browser, cookie })).status, 200)
      for (const [path, status] of [
        ["/", 404],
        ["/page/xyz", 401]
      ] as const) {
        assert.deepInclude(yield* asked(path, { accept: "application/json, text/event-stream" }), { status, text: "" })
      }
      assert.strictEqual((yield* asked("/", browser, "POST")).status, 404)
      assert.strictEqual((yield* asked("/elsewhere", browser)).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("gives a cookie that no script, no other site and no other gateway can use", () =>
    Effect.gen(function* () {
      const gateway = yield* usual
      const begun = yield* Effect.promise(() => gateway.begin())
      const params = yield* Effect.promise(() => gateway.answered(begun))
      const answer = yield* Effect.promise(() => gateway.back(params, begun.cookie))
      const set = [answer.headers["set-cookie"] ?? []].flat().find((line) => line.startsWith("mcp_live_page="))!
      for (const attribute of ["HttpOnly", "SameSite=Strict", "Path=/page/"]) assert.include(set, attribute)
      const entered = { url: gateway.page, origin: gateway.origin, cookie: cookiesOf(answer) }
      assert.strictEqual(yield* dialing(entered), "open")
      assert.strictEqual(yield* dialing({ ...entered, origin: "http://evil.example" }), 403)
      assert.strictEqual(yield* dialing({ url: entered.url, cookie: entered.cookie }), 403)
      assert.strictEqual(yield* dialing(entered, { "sec-fetch-site": "cross-site" }), 403)
      assert.strictEqual(yield* dialing({ ...entered, cookie: "mcp_live_page=AAAA" }), 401)
      // Each is for one purpose.
      const [ofLogin, ofSession] = [begun.cookie, entered.cookie].map((cookie) => cookie.slice(cookie.indexOf("=") + 1))
      assert.strictEqual(yield* dialing({ ...entered, cookie: `mcp_live_page=${ofLogin}` }), 401)
      const swapped = yield* Effect.promise(() => gateway.back(params, `mcp_live_page_login=${ofSession}`))
      assert.strictEqual(swapped.status, 403)
      assert.strictEqual(yield* statusOf(entered, { origin: "http://evil.example" }), 403)
      assert.strictEqual(yield* statusOf(entered, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }), 403)
      const left = yield* Effect.promise(() => gateway.post("sign-out", "http://evil.example", entered.cookie))
      assert.strictEqual(left.status, 403)
      assert.strictEqual(yield* statusOf(entered), 200)
      // It opens neither the door of MCP clients nor another gateway.
      const mcp = yield* Effect.promise(() => ask(gateway.resource, { cookie: entered.cookie }, "POST"))
      assert.strictEqual(mcp.status, 401)
      const second = yield* approving
      assert.strictEqual(yield* statusOf({ ...entered, url: second.page }), 401)
    }).pipe(Effect.scoped)
  )

  it.live("over https, gives cookies that no other host can give, and takes no others", () =>
    Effect.gen(function* () {
      const gateway = yield* peopleGateway({ host: "mcp.acme.test" })
      const begun = yield* Effect.promise(() => gateway.begin())
      const params = yield* Effect.promise(() => gateway.answered(begun))
      const answer = yield* Effect.promise(() => gateway.back(params, begun.cookie))
      const set = [answer.headers["set-cookie"] ?? []].flat()
      assert.isAtLeast(set.length, 2)
      for (const line of set) {
        const [pair = "", ...attributes] = line.split("; ")
        assert.match(pair, /^__Host-mcp_live_page/)
        assert.includeMembers(attributes, ["Path=/", "Secure", "HttpOnly"])
        assert.notMatch(line, /domain/i)
      }
      assert.match(begun.cookie, /^__Host-mcp_live_page_login_/)
      const cookie = cookiesOf(answer)
      const entered = { url: gateway.page, origin: gateway.origin, cookie }
      assert.strictEqual(yield* statusOf(entered), 200)
      assert.strictEqual(yield* dialing(entered), "open")
      // What another host of the domain could have given the browser.
      const value = cookie.slice(cookie.indexOf("=") + 1)
      for (const name of ["mcp_live_page", "__host-mcp_live_page", "__Host-mcp_live_page"]) {
        const planted = { ...entered, cookie: `${name}=${value}` }
        assert.strictEqual(yield* statusOf(planted), 401, name)
        assert.strictEqual(yield* dialing(planted), 401, name)
      }
      const login = begun.cookie.slice(begun.cookie.indexOf("=") + 1)
      const back = yield* Effect.promise(() => gateway.back(params, `mcp_live_page_login=${login}`))
      assert.strictEqual(back.status, 403)
      // Browsers send them to all of the host: they open nothing else there.
      for (const path of ["mcp", "mcp/all", "sse", "health/nothing"]) {
        const { status } = yield* Effect.promise(() => ask(`${gateway.origin}/${path}`, { cookie }, "POST"))
        assert.include([401, 404, 405], status, path)
      }
      const left = yield* Effect.promise(() => gateway.post("sign-out", gateway.origin, cookie))
      assert.strictEqual(left.status, 204)
      for (const line of [left.headers["set-cookie"] ?? []].flat()) {
        assert.match(line, /^__Host-mcp_live_page.*=; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=0$/)
      }
      assert.strictEqual(yield* statusOf(entered), 401)
    }).pipe(Effect.scoped)
  )
})
