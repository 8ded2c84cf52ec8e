/** What `doctor` concludes from facts: one test for each check, beside facts with which nothing is wrong. */
import { assert, describe, it } from "@effect/vitest"
import { NO_CALLS } from "../../../src/schemas/control/Figures.ts"
import { countsOf, isWrong } from "../../../src/schemas/doctor/Finding.ts"
import {
  answers,
  down,
  facts,
  files,
  found,
  http,
  NOW,
  ofFiles,
  ofTickets,
  only,
  READY,
  stdio,
  tickets
} from "../../support/doctorFacts.ts"

describe("doctor", () => {
  it("finds nothing where nothing is wrong", () => {
    assert.deepStrictEqual(found({}), [])
    assert.strictEqual(countsOf([]), "")
  })

  it("says what is wrong with the configuration, and that there is none", () => {
    assert.deepInclude(only(found({ faults: ["openclaw.json:3 is wrong"] })), {
      id: "configuration-fault",
      severity: "error",
      what: "openclaw.json:3 is wrong"
    })
    assert.deepInclude(only(found({ warnings: ["odd"] })), { id: "configuration-warning", severity: "warning" })
    assert.deepInclude(only(found({ file: undefined, servers: [] })), { id: "no-configuration", severity: "info" })
  })

  it("names the server whose entry is at fault", () => {
    const fault = { file: "a.json", line: 3, path: "mcp.servers.files.env.A", message: "is not set" }
    const config = stdio("files", { fault })
    const [first] = ofFiles({ config, status: undefined }, { faults: ["a.json:3: mcp.servers.files.env.A is not set"] })
    assert.strictEqual(first?.id, "configuration-fault")
  })

  it("names the package of a command that is missing, for each system", () => {
    const missing = { program: { name: "npx", found: undefined }, runtime: undefined, fetched: undefined }
    const status = down("MCP server 'files': cannot start 'npx'")
    const linux = only(ofFiles({ ...missing, status }))
    assert.deepInclude(linux, { id: "command-missing", severity: "error", server: "files" })
    assert.include(linux.mend, "npx is part of Node.js")
    const mac = only(ofFiles({ ...missing, status }, { platform: "darwin" }))
    assert.include(mac.mend, "brew install node")
    for (const [name, holder] of [
      ["uvx", "uv"],
      ["docker", "Docker"],
      ["bunx", "Bun"],
      ["deno", "Deno"],
      ["python3", "Python"]
    ]) {
      const { mend } = only(ofFiles({ ...missing, status, program: { name: name!, found: undefined } }))
      assert.include(mend, `${name} is part of ${holder}`)
    }
    const own = only(ofFiles({ ...missing, status, program: { name: "./run.sh", found: undefined } }))
    assert.include(own.mend, "chmod +x ./run.sh")
    // The gateway has another PATH.
    assert.deepStrictEqual(ofFiles(missing), [])
  })

  it("finds runtimes that are too old for the package, or for any server", () => {
    const node = (version: string, needs?: string) =>
      ofFiles({ runtime: { name: "node", version, needs }, status: down("MCP server 'files': x") })
    assert.deepInclude(only(node("18.19.1", "20.10")), { id: "runtime-old", severity: "error" })
    assert.deepInclude(only(node("16.20.0")), { id: "runtime-old" })
    assert.notInclude(
      node("20.10.0", "20.10").map(({ id }) => id),
      "runtime-old"
    )
    const python = ofFiles({ runtime: { name: "python", version: "3.9.6", needs: undefined } })
    assert.deepInclude(only(python), { id: "runtime-old", severity: "warning" })
  })

  it("tells of packages that will be downloaded, and how a version is fixed", () => {
    const fetched = { runner: "npx", name: "x", pinned: true, cached: false, version: undefined }
    assert.deepInclude(only(ofFiles({ fetched })), { id: "package-download", severity: "info" })
    const floating = only(ofFiles({ fetched: { ...fetched, pinned: false, cached: true, version: "1.2.3" } }))
    assert.strictEqual(floating.id, "package-unpinned")
    assert.include(floating.mend, 'x@1.2.3 in "args"')
    const uv = only(ofFiles({ fetched: { ...fetched, runner: "uvx", pinned: false, cached: true } }))
    assert.include(uv.mend, "x==VERSION")
    // It may be there.
    assert.deepStrictEqual(ofFiles({ fetched: { ...fetched, cached: undefined } }), [])
  })

  it.each([
    ["ECONNREFUSED", "address-refused"],
    ["ENOTFOUND", "address-unknown"],
    ["TIMEOUT", "address-silent"],
    ["EHOSTUNREACH", "address-unreachable"],
    ["CERT_HAS_EXPIRED", "certificate-expired"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate-untrusted"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate-name"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "address-no-tls"],
    ["EWHATEVER", "address-failed"]
  ])("says what %s means", (code, id) => {
    const address = { ...answers, code, status: undefined, clockOffMs: undefined }
    const status = down("MCP server 'tickets' cannot be reached: connection refused; is it running?")
    const finding = only(ofTickets({ address, status }))
    assert.deepInclude(finding, { id, severity: "error", server: "tickets" })
    assert.include(finding.what, "https://x.example")
  })

  it("says that proxies are not used, where one is set and the address is silent", () => {
    const address = { ...answers, code: "ENOTFOUND", clockOffMs: undefined }
    assert.include(only(ofTickets({ address }, { proxies: ["HTTPS_PROXY"] })).mend, "HTTPS_PROXY is set")
    assert.notInclude(only(ofTickets({ address })).mend, "PROXY")
    assert.strictEqual(only(ofTickets({ address: { ...answers, status: 407 } })).id, "address-proxy")
  })

  it("finds logins that have expired, unless they are renewed without a person", () => {
    const login = { _tag: "Stored", expiresAt: NOW - 1, renewable: false } as const
    assert.deepInclude(only(ofTickets({ login })), { id: "login-expired", mend: "mcp-live login tickets" })
    assert.deepStrictEqual(ofTickets({ login: { ...login, renewable: true } }), [])
    assert.deepStrictEqual(ofTickets({ login: { _tag: "None" } }), [])
    assert.strictEqual(only(ofTickets({ login: { _tag: "Unreadable", detail: "no" } })).id, "login-unreadable")
  })

  it("finds secrets without a value; a running server has its own", () => {
    const missing = { server: "files", place: "env.A", reference: "secret://env/A", reason: "A is not set" }
    const status = down("MCP server 'files': secret is not available")
    const finding = only(ofFiles({ status }, { secrets: [missing] }))
    assert.deepInclude(finding, { id: "secret-missing", severity: "error", server: "files" })
    assert.include(finding.mend, "Set the variable A")
    assert.strictEqual(only(found({ secrets: [missing] })).severity, "info")
    const warnings = ["a.json:1: cannot start without secret://env/A"]
    assert.strictEqual(only(ofFiles({ status }, { secrets: [missing], warnings })).id, "secret-missing")
    const model = { ...missing, server: null, reference: "secret://file/k" }
    assert.include(only(found({ secrets: [model] })).mend, "file /k")
  })

  it("finds names that collide", () => {
    const other = { ...files, config: stdio("other", { toolPrefix: "files" }) }
    const tool = { ...facts.tools[0]!, server: "other", name: "mcp_files_read_12345678" }
    const ids = found({ servers: [files, other], tools: [facts.tools[0]!, tool] }).map(({ id }) => id)
    assert.deepStrictEqual(ids, ["prefix-shared", "names-collide"])
    const one = only(found({ servers: [files], tools: [facts.tools[0]!, { ...facts.tools[0]!, tool: "Read" }] }))
    assert.include(one.what, "files/read and files/Read")
  })

  it("finds definitions that were not approved", () => {
    const finding = only(ofFiles({ status: { ...READY, withheld: 1, unreviewed: 2 } }))
    assert.deepInclude(finding, { id: "definitions-changed", severity: "warning" })
    assert.include(finding.what, "2 tools should be reviewed: changed")
    assert.include(finding.what, "1 tool cannot be called")
  })

  it("tells which providers refuse a schema", () => {
    const tool = { ...facts.tools[0]!, parameters: { type: "object", anyOf: [{}] } }
    const finding = only(found({ tools: [tool] }))
    assert.deepInclude(finding, { id: "schema-refused", severity: "info", server: "files" })
    assert.include(finding.what, "openai and anthropic and gemini refuse")
  })

  it("says why a server is down, and what helps", () => {
    const told = (error: string) => only(ofFiles({ status: down(`MCP server 'files' ${error}`) }))
    assert.deepInclude(told("exited with code 1"), { id: "server-down", severity: "error" })
    assert.include(told("refused our credentials (HTTP 401)").mend, "Authorization")
    assert.strictEqual(told("needs a login").mend, "mcp-live login files")
    const theirs = down("MCP server 'files' waits for a login: ada has not connected an account yet")
    assert.isEmpty(ofFiles({ status: { ...theirs, waits: "login" } }))
    assert.include(told("answered HTTP 404").mend, "/mcp")
    assert.include(told("answered HTTP 405").mend, '"transport": "sse"')
    assert.include(told("exited; its last words: Cannot connect to the Docker daemon").mend, "Start Docker")
    assert.include(told("was not ready within 30000 ms").mend, '"timeout"')
    assert.include(told("exited; its last words: npm error 404 | npm error 404 Note").mend, "name and the version")
    assert.include(told("exited; its last words: Cannot find module '/a/x.js'").mend, "no such file")
    assert.include(told("exited; its last words: Cannot find module 'zod'").mend, "Install the packages")
    assert.include(told("exited; its last words: no database at /x").mend, "Mend what its last words say")
    assert.include(told("exited with code 1").mend, "Start its command by hand")
    const web = down("MCP server 'tickets' answered HTTP 501 (it failed on the request)")
    assert.include(only(ofTickets({ address: answers, status: web })).mend, '"url" is the address of an MCP server')
    const running = only(ofFiles({ status: down("MCP server 'files' exited") }, { running: true }))
    assert.include(running.mend, "mcp-live reset files")
  })

  it("finds servers that are slow, restart, are noisy, or whose calls fail", () => {
    assert.strictEqual(only(ofFiles({ status: { ...READY, connectMs: 30_000 } })).id, "server-slow")
    assert.strictEqual(only(ofFiles({ status: { ...READY, restarts: 2 } })).id, "server-restarts")
    assert.strictEqual(only(ofFiles({ log: { lines: 50, overMs: 60_000, last: [] } })).id, "server-noisy")
    assert.strictEqual(only(ofFiles({ log: { lines: 1_000, overMs: 3_600_000, last: [] } })).id, "server-noisy")
    assert.deepStrictEqual(ofFiles({ log: { lines: 50, overMs: 3_600_000, last: [] } }), [])
    const calls = { ...NO_CALLS, calls: 10, errors: 5 }
    assert.include(only(ofFiles({ calls })).what, "5 of its 10 calls")
    assert.deepStrictEqual(ofFiles({ calls: { ...calls, errors: 4 } }), [])
    assert.strictEqual(only(ofFiles({ status: { ...READY, circuit: { retryInMs: 5_000 } } })).id, "calls-fail")
  })

  it("finds a clock that is off: that of this machine if all others agree", () => {
    const off = { ...answers, clockOffMs: 600_000 }
    const ours = only(ofTickets({ address: off }))
    assert.deepInclude(ours, { id: "clock-off", server: null })
    assert.include(ours.what, "10 min behind")
    const third = { ...tickets, config: http("docs") }
    const theirs = only(found({ servers: [{ ...tickets, address: off }, third] }))
    assert.deepInclude(theirs, { id: "clock-off", server: "tickets" })
  })

  it("finds a port that is taken", () => {
    const port = { host: "127.0.0.1", port: 7730, code: "EADDRINUSE" }
    const finding = only(found({ port }))
    assert.strictEqual(finding.id, "port-taken")
    assert.include(finding.mend, "--port 7731")
    assert.strictEqual(only(found({ port: { ...port, port: 80, code: "EACCES" } })).id, "port-refused")
  })

  it("finds issuers that cannot be used", () => {
    const finding = only(found({ issuers: [{ issuer: "https://login.example.com", detail: "names no jwks_uri" }] }))
    assert.deepInclude(finding, {
      id: "issuer-unusable",
      severity: "error",
      what: "The issuer https://login.example.com names no jwks_uri."
    })
  })

  it("finds what others can use, own or fill of the data directory", () => {
    const open = [{ path: "/d/credentials", mode: 0o755, wanted: 0o700 }]
    const finding = only(found({ data: { ...facts.data, open } }))
    assert.deepInclude(finding, { id: "data-mode", fix: { _tag: "SetMode", path: "/d/credentials", mode: 0o700 } })
    assert.strictEqual(only(found({ data: { ...facts.data, othersOwn: true } })).id, "data-owner")
    const inside = only(found({ data: { ...facts.data, others: ["/d/gateways", "/d/gateways/a", "/d/logs"] } }))
    assert.strictEqual(inside.id, "data-owner")
    assert.strictEqual(inside.what, "/d/gateways and 2 more in /d belong to another user.")
    assert.strictEqual(only(found({ data: { ...facts.data, writable: false } })).id, "data-read-only")
    assert.strictEqual(only(found({ data: { ...facts.data, freeBytes: 1024 } })).severity, "warning")
    assert.strictEqual(only(found({ data: { ...facts.data, freeBytes: 0 } })).severity, "error")
  })

  it("finds what killed processes left, which is no reason to fail", () => {
    const left = { gateways: ["/d/g.sock"], locks: ["/d/a.lock"], temporary: ["/d/a.tmp"], processes: [7] }
    const findings = found({ left })
    assert.deepStrictEqual(
      findings.map(({ fix, id }) => [id, fix?._tag]),
      [
        ["left-sockets", undefined],
        ["left-locks", "BreakLocks"],
        ["left-files", "RemoveFiles"],
        ["left-processes", "EndOrphans"]
      ]
    )
    assert.isFalse(isWrong(findings))
  })

  it("includes the weaknesses of OpenClaw's own MCP, the worst first", () => {
    const weakness = { servers: ["docs"], paths: ["mcp.servers.docs"], what: "Open.", plugin: "Closes it." }
    const openclaw = {
      servers: [],
      plugin: { enabled: false, frames: false, agents: false },
      findings: [
        { ...weakness, id: "a", severity: "low" as const },
        { ...weakness, id: "b", severity: "high" as const }
      ],
      advice: null
    }
    assert.deepStrictEqual(
      found({ openclaw }).map(({ id, severity }) => [id, severity]),
      [
        ["openclaw-b", "warning"],
        ["openclaw-a", "info"]
      ]
    )
    assert.strictEqual(found({ openclaw })[0]?.what, "In OpenClaw: Open. At mcp.servers.docs.")
  })

  it("quotes names for the shell", () => {
    const config = stdio("my 'own'; rm")
    const { mend } = only(found({ servers: [{ ...files, config, status: { ...READY, restarts: 1 } }], tools: [] }))
    assert.strictEqual(mend, "mcp-live logs 'my '\\''own'\\''; rm' --since 1h")
  })

  it("counts findings in words", () => {
    const findings = found({ faults: ["a", "b"], warnings: ["c"] })
    assert.strictEqual(countsOf(findings), "2 errors, 1 warning")
  })
})
