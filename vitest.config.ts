import type { Plugin } from "vite"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import manifest from "./package.json" with { type: "json" }

// unit: no process, no socket. integration: real servers and sockets. e2e: the program as a user runs it. alone: the same, for
// what needs the machine for itself. more: what takes long; more-programs: what of
// it starts programs, which share their modules; more-alone: what of it needs the machine for itself. ui: the page, in a
// real browser. interop: peers that are installed for it alone. openclaw: a real gateway, likewise.
const project = (name: string, include: Array<string>, options: Record<string, unknown> = {}) => ({
  extends: true as const,
  test: { name, include, ...options }
})

/** An optional peer that is not installed fails to import as it does in Node, not by a stand-in of Vite's. */
const optionalPeers = Object.keys(manifest.peerDependenciesMeta)
const asInNode: Plugin = {
  name: "optional-peers-as-in-node",
  enforce: "pre",
  resolveId: (id) => (optionalPeers.includes(id) ? { id, external: true } : null)
}

/** Where processes are started, some of them dozens in one test: more than that takes on a machine that has much else to do. */
const PATIENT_MS = 180_000
const patient = { testTimeout: PATIENT_MS, hookTimeout: PATIENT_MS }

/** What a killed program has left is ended by the next one that starts: by the one that is meant. */
const ALONE = ["test/e2e/leftovers.test.ts"]
const afterwards = { fileParallelism: false, sequence: { groupOrder: 1 } }

/** Only in `npm run test:more`: what waits for times that cannot be made shorter. */
const LONG = [
  "test/integration/mcpServer/links.test.ts",
  "test/integration/serve/long.test.ts",
  "test/layers/agent/AgentGateway/long.test.ts"
]

/** Only there too: floods, the largest sizes, and an installation and a start by npm, one file at a time. */
const LARGE = [
  "test/e2e/installed.test.ts",
  "test/e2e/npmStart.test.ts",
  "test/integration/floods.test.ts",
  "test/integration/largeLists.test.ts",
  "test/integration/largeParts.test.ts",
  "test/integration/manyServers.test.ts",
  "test/integration/acp/many.test.ts",
  "test/integration/mcpServer/largest.test.ts",
  "test/layers/content/Redactor/long.test.ts"
]

/** Only there too, one file at a time: the ends of programs with many servers. */
const MANY_ENDS = ["test/e2e/shutdown.test.ts"]

/** Only there too: fleets of several nodes. What one fleet is for its operator and its clients stays in `npm test` (test/e2e/fleet.test.ts). */
const NODES = [
  "test/e2e/{deploy,fleetAccounts,fleetAgain,fleetApprovals,fleetAsOne,fleetCancel,fleetDecisions,fleetOutage,fleetPeople,fleetRevoked}.test.ts",
  "test/integration/fleet/{approvals,audit,callPlaces,callTokens,conversations,credentials,database,endings,farServers,journal,leaving,nodes,outage,pageLogouts,pins,results,sessions,tasks,versions}.test.ts"
]

/** Only there too: attacks on what has its own tests in `npm test`. */
const ATTACKS = [
  "test/integration/listener/crowd.test.ts",
  "test/integration/page/peopleAttacks.test.ts",
  "test/integration/serve/{accountsAttacks,descriptors,together}.test.ts"
]

/** Only there too: more ways to use what has its own tests in `npm test`. */
const MORE_WAYS = [
  "test/e2e/{diagnosis,diagnosisGateways,examples,faults,oldNode,order,raw,resourceContext}.test.ts",
  "test/integration/{launchMemory,noSchema,telemetry}.test.ts",
  "test/integration/acp/{backends,messages,permission,tunnel}.test.ts",
  "test/integration/mcpServer/{docs,logins,published,rules,sounds,verbose}.test.ts",
  "test/integration/openclaw/{crossing,deleted,program}.test.ts",
  "test/integration/people/*.test.ts",
  "test/integration/serve/{clients,logins,own}.test.ts"
]

/** Only there too, with the programs that they start. */
const PROGRAMS = [...NODES, ...ATTACKS, ...MORE_WAYS]

/**
 * In part in `npm test`, and in full there: one revision of the protocol or one way in for each promise that is the same for all of
 * them, one of several ways to an end, and what waits for longest.
 */
const PROGRAMS_IN_PART = [
  "test/e2e/{audit,cli,firstScreen,fleet,import,largeResults,login,pageDoor,running,serve,start,terminal,verbs,youngGeneration}.test.ts",
  "test/integration/{channels,processes,runtime}.test.ts",
  "test/integration/acp/{lifecycle,servers,turns,wire}.test.ts",
  "test/integration/listener/{attacks,logs}.test.ts",
  "test/integration/mcpServer/{http,openclaw,orders}.test.ts",
  "test/integration/openclaw/killed.test.ts",
  "test/integration/serve/{accounts,life,logs,oneLiner,reload,rules}.test.ts"
]

/** In part in `npm test` and in full in `npm run test:more` (test/support/full.ts). */
const IN_PART = [
  "test/integration/{hostile,hostileClients}/*.test.ts",
  "test/integration/page/entrance.test.ts",
  "test/layers/call/CallQuotas.test.ts",
  "test/layers/call/McpRuntime/{longArguments,readMore}.test.ts",
  "test/layers/call/ResultStore/parts.test.ts",
  "test/layers/call/ToolBridge/results.test.ts",
  "test/layers/content/ContentSanitizer.test.ts",
  "test/layers/content/ContentSanitizer/{linear,long,injection/rough}.test.ts",
  "test/layers/content/Redactor/{forms,windows}.test.ts",
  "test/programs/acp/malformed.test.ts",
  "test/schemas/secret/{MaskedText,Masks}.test.ts",
  "test/system/rewriteLines.test.ts"
]

/**
 * Regular expressions as V8 compiles them in a process that has many of them already: each repetition takes room on a stack then, and
 * an expression that repeats without a bound overflows it on some millions of characters.
 */
const unoptimized = { execArgv: ["--no-regexp-optimization"] }

/** Tests that start the program have the built one. */
const builds = { globalSetup: "test/support/build.ts" }

/** Of `npm run test:more`. */
const full = { ...builds, ...unoptimized, env: { MCP_LIVE_TESTS: "full" } }

export default defineConfig({
  plugins: [asInNode],
  test: {
    // Most tests wait for processes, so there are more workers than cores.
    maxWorkers: 2 * availableParallelism(),
    // What tests keep stays out of the home directory of who runs them.
    setupFiles: ["test/support/home.ts"],
    // Counting what runs makes it slower.
    testTimeout: process.argv.includes("--coverage") ? PATIENT_MS : 60_000,
    hookTimeout: 60_000,
    coverage: {
      include: ["src/**/*.{ts,tsx}"],
      reporter: ["json"],
      reportOnFailure: true
    },
    projects: [
      // No test may leave anything behind in a module: all files of a worker share theirs.
      project("unit", ["test/{schemas,system,layers,programs}/**/*.test.ts"], {
        isolate: false,
        exclude: [...LONG, ...LARGE],
        ...unoptimized
      }),
      project("integration", ["test/integration/**/*.test.ts"], {
        ...builds,
        isolate: false,
        exclude: [...LONG, ...LARGE, ...PROGRAMS],
        ...patient
      }),
      project("e2e", ["test/e2e/**/*.test.ts"], {
        ...builds,
        isolate: false,
        exclude: [...ALONE, ...LARGE, ...MANY_ENDS, ...PROGRAMS],
        ...patient
      }),
      project("alone", ALONE, { ...builds, ...afterwards, ...patient }),
      project("more", [...LONG, ...IN_PART], { ...full, ...patient }),
      project("more-programs", [...PROGRAMS, ...PROGRAMS_IN_PART], {
        ...builds,
        isolate: false,
        env: { MCP_LIVE_TESTS: "full" },
        ...patient
      }),
      project("more-alone", [...LARGE, ...MANY_ENDS, ...ALONE], { ...full, ...afterwards, ...patient }),
      // One browser at a time: it and the gateway of a test take a core each.
      project("ui", ["test/ui/**/*.test.ts"], {
        ...builds,
        isolate: false,
        ...patient,
        fileParallelism: false,
        sequence: { groupOrder: 2 }
      }),
      project("interop", ["test/interop/**/*.test.ts"], { globalSetup: "test/interop/install.ts" }),
      project("openclaw", ["test/openclaw/**/*.test.ts"], {
        globalSetup: "test/openclaw/gateway.ts",
        fileParallelism: false,
        testTimeout: 240_000,
        hookTimeout: 240_000
      })
    ]
  }
})
