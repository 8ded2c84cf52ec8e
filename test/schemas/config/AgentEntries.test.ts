import { assert, describe, it } from "@effect/vitest"
import { TOOL_INDEX_THRESHOLD } from "../../../src/schemas/defaults/Catalogue.ts"
import { formatIssue } from "../../../src/schemas/config/ConfigIssue.ts"
import { decode, errorsOf, serverOf, warningsOf } from "./decoding.ts"

const X = `x: { command: "a" }`
const agentIds = (text: string) => decode(text).agents.map(({ id }) => id)
const listOf = (entries: string) => `{ mcpServers: { ${X} }, agents: { list: [${entries}] } }`
const idErrors = (id: string) => errorsOf(`{ agents: { list: [{ id: ${id} }] } }`)
const rulesOf = (text: string, agent = "main") => decode(text).agents.find(({ id }) => id === agent)?.rules
const modelOf = (text: string, env = {}) => decode(`{ agents: { defaults: { model: ${text} } } }`, env).agents[0]?.model
const modelErrors = (text: string) =>
  errorsOf(`{ agents: { defaults: { model: ${text} } } }`).map((line) => line.replace(/^.*?defaults\.model/, "model"))

describe("agents of the configuration", () => {
  it("are main alone when none is listed", () => {
    for (const text of ["{}", "{ agents: {} }", "{ agents: { list: [] } }"]) {
      assert.deepStrictEqual(agentIds(text), ["main"])
      assert.strictEqual(decode(text).defaultAgent, "main")
    }
  })

  it("are those of the list, in its order", () => {
    assert.deepStrictEqual(agentIds(`{ agents: { list: [{ id: "work" }, { id: "home" }] } }`), ["work", "home"])
  })

  it("may also be given by id under entries", () => {
    const text = `{ agents: { entries: { work: {}, home: { default: true, mcp: { servers: { ${X} } } } } } }`
    assert.deepStrictEqual(agentIds(text), ["work", "home"])
    assert.strictEqual(decode(text).defaultAgent, "home")
    assert.deepInclude(serverOf(decode(text), "x", "home"), { name: "x", enabled: true })
    assert.deepStrictEqual(errorsOf(`{ agents: { list: [{ id: "a" }], entries: { a: {}, "b c": {}, d: 1 } } }`), [
      'openclaw.json:1: agents.entries["b c"]: must be 1 to 64 letters, digits, "_" or "-", is "b c"',
      "openclaw.json:1: agents.entries.d: must be an object, is a number",
      'openclaw.json:1: agents.entries.a: an agent with the id "a" is there already'
    ])
  })

  it("have the first as default unless one is marked", () => {
    assert.strictEqual(decode(listOf(`{ id: "a" }, { id: "b" }`)).defaultAgent, "a")
    assert.strictEqual(decode(listOf(`{ id: "a" }, { id: "b", default: true }`)).defaultAgent, "b")
    const two = listOf(`{ id: "a", default: false }, { id: "b", default: true }, { id: "c", default: true }`)
    assert.strictEqual(decode(two).defaultAgent, "b")
    assert.deepStrictEqual(warningsOf(two), [
      "openclaw.json:1: agents.list[2].default: another agent is the default already; the first one counts"
    ])
  })

  it("have ids that are well formed and different", () => {
    for (const id of [`""`, `"a b"`, `"a.b"`, `"é"`, `"${"x".repeat(65)}"`, "3", "null", `"__proto__"`, `"a\\n"`]) {
      assert.match(idErrors(id).join("\n"), /^openclaw\.json:1: agents\.list\[0\]\.id: must be 1 to 64 letters.*$/, id)
    }
    for (const id of ["a", "A-b_9", "x".repeat(64)]) assert.deepStrictEqual(idErrors(`"${id}"`), [])
    assert.deepStrictEqual(errorsOf(`{ agents: { list: [{}, {}, "a", { id: "a" },\n{ id: "a" }] } }`), [
      'openclaw.json:1: agents.list[0]: needs an "id"',
      'openclaw.json:1: agents.list[1]: needs an "id"',
      "openclaw.json:1: agents.list[2]: must be an object, is a string",
      'openclaw.json:2: agents.list[4]: an agent with the id "a" is there already'
    ])
  })

  it("with misspelled keys are errors", () => {
    assert.deepStrictEqual(errorsOf(`{ agents: { default: {}, lst: [], list: {} } }`), [
      'openclaw.json:1: agents.default: unknown key, did you mean "defaults"?',
      'openclaw.json:1: agents.lst: unknown key, did you mean "list"?',
      "openclaw.json:1: agents.list: must be a list of agents, is an object"
    ])
  })
})

describe("tool rules of an agent", () => {
  it("exist only where they are written", () => {
    assert.deepStrictEqual(rulesOf(`{ gateway: { tools: {} }, agents: { defaults: { tools: { profile: "x" } } } }`), [])
    assert.deepStrictEqual(rulesOf(`{ gateway: { tools: { deny: ["a"] } } }`), [{ allow: undefined, deny: ["a"] }])
    assert.deepStrictEqual(rulesOf(`{ agents: { defaults: { tools: { allow: [] } } } }`), [{ allow: [], deny: [] }])
  })

  it("are the gateway's, then OpenClaw's for all agents, then the agent's own", () => {
    const text = `{
      gateway: { tools: { allow: ["g"] } }, tools: { deny: ["t"] }, agents: { defaults: { tools: { allow: ["d"] } } }
    }`
    assert.deepStrictEqual(rulesOf(text), [
      { allow: ["g"], deny: [] },
      { allow: undefined, deny: ["t"] },
      { allow: ["d"], deny: [] }
    ])
  })

  it("replace the allow list of the defaults, and add to their deny list", () => {
    const text = `{ agents: {
      defaults: { tools: { allow: ["a"], deny: ["b", "c"] } },
      list: [{ id: "main", tools: { allow: ["x"], deny: ["c", "d"] } }, { id: "deny", tools: { deny: [] } },
             { id: "allow", tools: { allow: ["*"] } }, { id: "none" }]
    } }`
    assert.deepStrictEqual(rulesOf(text), [{ allow: ["x"], deny: ["b", "c", "d"] }])
    for (const agent of ["deny", "none"])
      assert.deepStrictEqual(rulesOf(text, agent), [{ allow: ["a"], deny: ["b", "c"] }])
    assert.deepStrictEqual(rulesOf(text, "allow"), [{ allow: ["*"], deny: ["b", "c"] }])
  })

  it("add to the ask list of the defaults", () => {
    const text = `{
      gateway: { tools: { ask: ["g"] } }, tools: { ask: [] },
      agents: { defaults: { tools: { ask: ["a", "b"] } },
        list: [{ id: "main", tools: { ask: ["b", "c"] } }, { id: "none", tools: { ask: [], allow: ["*"] } }, { id: "as-is" }] }
    }`
    const shared = [
      { allow: undefined, deny: [], ask: ["g"] },
      { allow: undefined, deny: [], ask: [] }
    ]
    assert.deepStrictEqual(rulesOf(text), [...shared, { allow: undefined, deny: [], ask: ["a", "b", "c"] }])
    assert.deepStrictEqual(rulesOf(text, "none"), [...shared, { allow: ["*"], deny: [], ask: ["a", "b"] }])
    assert.deepStrictEqual(rulesOf(text, "as-is"), [...shared, { allow: undefined, deny: [], ask: ["a", "b"] }])
  })

  it("name approvers, to which those of the defaults are added", () => {
    const text = `{ mcp: { servers: {} }, agents: { defaults: { tools: { ask: ["a"], approvers: ["group:leads"] } },
      list: [{ id: "main", tools: { ask: ["b"], approvers: ["ada", "group:leads", "operator"] } }, { id: "as-is" }] } }`
    const approvers = ["group:leads", "ada", "operator"]
    assert.deepStrictEqual(rulesOf(text), [{ allow: undefined, deny: [], ask: ["a", "b"], approvers }])
    assert.deepStrictEqual(rulesOf(text, "as-is")?.at(-1)?.approvers, ["group:leads"])
    for (const [given, why] of [
      ['"ada"', "tools.approvers: must be a list of names, is a string"],
      ["[]", "tools.approvers: is empty, so that nobody could approve: leave it out, or name somebody"],
      [
        '["client:ci"]',
        'tools.approvers[0]: must be the name of a person, group:NAME, role:NAME or operator, is "client:ci"'
      ],
      ['["group:"]', 'tools.approvers[0]: must have a name after the colon, is "group:"']
    ]) {
      assert.deepStrictEqual(errorsOf(`{ tools: { approvers: ${given} } }`), [`openclaw.json:1: ${why}`])
    }
    assert.deepStrictEqual(errorsOf(`{ tools: { approver: ["a"] } }`), [
      'openclaw.json:1: tools.approver: unknown key, did you mean "approvers"?'
    ])
  })

  it('with a misspelled "ask" are errors', () => {
    for (const slip of ["asks", "ASK", "aks", "asking", "confirm", "confirmation", "approve", "requireApproval"]) {
      assert.deepStrictEqual(errorsOf(`{ gateway: { tools: { ${slip}: [] } } }`), [
        `openclaw.json:1: gateway.tools.${slip}: unknown key, did you mean "ask"?`
      ])
    }
    assert.deepStrictEqual(errorsOf(`{ tools: { ask: "always" } }`), [
      "openclaw.json:1: tools.ask: must be a list of names or patterns, is a string"
    ])
    const openClaws =
      "profile: 1, byProvider: 1, web: 1, media: 1, exec: { ask: 'on-miss' }, elevated: 1, sandbox: 1, fs: 1"
    assert.deepStrictEqual(errorsOf(`{ tools: { ${openClaws} } }`), [])
  })

  it("with misspelled keys or wrong types are errors", () => {
    const errors = errorsOf(`{ gateway: { tools: { denny: [] } }, tools: { allowed: [], denied: [] },
      agents: { list: [{ id: "a", tools: { deny: "exec", allow: [1, ""] } }] } }`)
    assert.deepStrictEqual(errors, [
      'openclaw.json:1: gateway.tools.denny: unknown key, did you mean "deny"?',
      'openclaw.json:1: tools.allowed: unknown key, did you mean "allow"?',
      'openclaw.json:1: tools.denied: unknown key, did you mean "deny"?',
      "openclaw.json:2: agents.list[0].tools.allow[0]: must be a string that is not empty, is a number",
      "openclaw.json:2: agents.list[0].tools.allow[1]: must be a string that is not empty, is empty",
      "openclaw.json:2: agents.list[0].tools.deny: must be a list of names or patterns, is a string"
    ])
  })

  it("warn that OpenClaw's alsoAllow has no effect", () => {
    assert.deepStrictEqual(warningsOf(`{ mcpServers: { ${X} }, tools: { alsoAllow: ["x"] } }`), [
      "openclaw.json:1: tools.alsoAllow: has no effect here"
    ])
  })
})

describe("the tool index", () => {
  const thresholdOf = (text: string, agent = "main") =>
    decode(text).agents.find(({ id }) => id === agent)?.toolIndexThreshold

  it("has a threshold from the agent, its defaults or the whole file", () => {
    assert.strictEqual(thresholdOf("{}"), TOOL_INDEX_THRESHOLD)
    assert.strictEqual(thresholdOf("{ mcp: { toolIndex: { threshold: 1 } } }"), 1)
    const text = `{ mcp: { toolIndex: { threshold: 1 } }, agents: {
      defaults: { mcp: { toolIndex: { threshold: 2 } } },
      list: [{ id: "main" }, { id: "own", mcp: { toolIndex: { threshold: 3 } } }, { id: "empty", mcp: { toolIndex: {} } }]
    } }`
    assert.deepStrictEqual(
      ["main", "own", "empty"].map((agent) => thresholdOf(text, agent)),
      [2, 3, 2]
    )
  })

  it("is off with 0 and false", () => {
    for (const never of ["false", "{ threshold: false }", "{ threshold: 0 }"]) {
      assert.strictEqual(thresholdOf(`{ mcp: { toolIndex: ${never} } }`), 0, never)
    }
  })

  it("refuses wrong types and unknown keys", () => {
    const problem = (value: string) =>
      errorsOf(`{ mcp: { toolIndex: ${value} } }`).map((line) => line.replace("openclaw.json:1: mcp.toolIndex", "x"))
    assert.deepStrictEqual(problem("60"), ["x: must be an object, is a number"])
    assert.deepStrictEqual(problem("{ treshold: 1 }"), ['x.treshold: unknown key, did you mean "threshold"?'])
    for (const value of ["-1", "1.5", "true", `"60"`]) {
      assert.match(
        problem(`{ threshold: ${value} }`).join(),
        /^x\.threshold: must be a number of tools, or 0 or false for never/,
        value
      )
    }
    assert.deepStrictEqual(errorsOf(`{ mcp: { toolindex: {} } }`), [
      'openclaw.json:1: mcp.toolindex: unknown key, did you mean "toolIndex"?'
    ])
  })
})

describe("the model of an agent", () => {
  it("is a name, or an object with id or primary", () => {
    const plain = { baseUrl: undefined, apiKey: undefined }
    assert.deepStrictEqual(modelOf(`"openai/gpt"`), { id: "openai/gpt", ...plain })
    assert.deepStrictEqual(modelOf(`{ primary: "openai/gpt" }`), { id: "openai/gpt", ...plain })
    assert.deepStrictEqual(
      modelOf(`{ id: "\${M}", baseUrl: "http://\${H:-localhost}:1/v1", apiKey: "secret://env/K" }`, { M: "m" }),
      {
        id: "m",
        baseUrl: "http://localhost:1/v1",
        apiKey: "secret://env/K"
      }
    )
    assert.isUndefined(decode("{}").agents[0]?.model)
  })

  it("replaces the default model as a whole, with its address and key", () => {
    const text = `{ agents: {
      defaults: { model: { id: "a", baseUrl: "https://a.example", apiKey: "\${ONLY_DEFAULT}" } },
      list: [{ id: "own", model: { id: "b", baseUrl: "https://b.example" } }]
    } }`
    assert.deepStrictEqual(decode(text).agents[0]?.model, { id: "b", baseUrl: "https://b.example", apiKey: undefined })
  })

  it("has the fault itself when it refers to an unset variable or unknown provider", () => {
    for (const [model, expected] of [
      [`{ id: "a", apiKey: "\${UNSET}" }`, /model\.apiKey: environment variable UNSET is not set/],
      [`{ id: "a", apiKey: "secret://vualt/a" }`, /model\.apiKey: there is no secret provider 'vualt'/],
      [`"openai/\${UNSET}"`, /model: environment variable UNSET is not set/]
    ] as const) {
      const config = decode(`{ mcpServers: { x: { command: "a" } }, agents: { defaults: { model: ${model} } } }`)
      assert.match(formatIssue(config.agents[0]!.model!.fault!), expected)
      assert.deepStrictEqual(config.faults, [config.agents[0]!.model!.fault!])
      assert.isUndefined(config.agents[0]!.servers[0]!.fault)
    }
  })

  it("refuses a missing id, a bad address and unknown keys", () => {
    assert.deepStrictEqual(modelErrors("3"), ['model: must be "provider/model" or an object with "id", is a number'])
    assert.deepStrictEqual(modelErrors(`""`), ["model: must be a string that is not empty, is empty"])
    assert.deepStrictEqual(modelErrors(`{ apiKey: "\${K:-}" }`), [
      'model: needs an "id": "provider/model", or the name of a model at "baseUrl"'
    ])
    assert.deepStrictEqual(modelErrors(`{ id: "a", primary: "b" }`), [
      'model.primary: means the same as "id": keep one'
    ])
    assert.deepStrictEqual(modelErrors(`{ id: "a", baseURL: "https://a.example" }`), [
      'model.baseURL: unknown key, did you mean "baseUrl"?'
    ])
    assert.deepStrictEqual(modelErrors(`{ id: 1, baseUrl: "localhost:11434" }`), [
      "model.id: must be a string that is not empty, is a number"
    ])
    assert.deepStrictEqual(modelErrors(`{ id: "a", baseUrl: "localhost:11434" }`), [
      "model.baseUrl: must be an http:// or https:// address"
    ])
    assert.deepStrictEqual(modelErrors(`"\${UNSET:-}"`), ["model: must not be empty"])
    assert.match(modelErrors(`"\${UNSET}"`).join(), /^model: environment variable UNSET is not set/)
  })
})
