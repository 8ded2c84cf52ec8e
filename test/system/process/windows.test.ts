import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { windowsTree } from "../../../src/system/process/tree.ts"
import { quoteForBatch, windowsSpawn, type WindowsFiles } from "../../../src/system/process/windows.ts"
import { BATCH_LINE_MAX_CHARS } from "../../../src/schemas/defaults/Processes.ts"

// ---- Windows, as far as it reads command lines ---------------------------------------------------------------------

const VARIABLES: Record<string, string> = { PATH: "C:\\secret", CD: "C:\\here", A: "a", "": "never" }

/** cmd.exe, first phase of a line that is no batch file's: variables, and parts of them. */
const expand = (line: string): string => {
  let out = ""
  for (let at = 0; at < line.length; at++) {
    const end = line[at] === "%" ? line.indexOf("%", at + 1) : -1
    const [, name, part] = /^([^:]+)(:.*)?$/.exec(end === -1 ? "" : line.slice(at + 1, end)) ?? []
    const value = name === undefined ? undefined : VARIABLES[name.toUpperCase()]
    if (value === undefined) out += line[at]
    else {
      const [, from = "0", length] = /^:~(-?\d*),?(-?\d*)$/.exec(part ?? "") ?? []
      out += part === undefined ? value : part === ":~," ? "" : value.substr(Number(from), Number(length))
      at = end
    }
  }
  return out
}

/** cmd.exe, second phase: what is special outside of quotes, and would be an operator, or an escape. */
const specials = (line: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let quoted = false
  for (const char of line) {
    if (char === '"') quoted = !quoted
    else if ((!quoted && /[&|<>()^;,=]/.test(char)) || /[\0\r\n]/.test(char)) found.push(char)
  }
  return quoted ? [...found, "an open quote"] : found
}

/** The C runtime: a command line as the arguments of a program. */
const toArguments = (line: string): ReadonlyArray<string> => {
  const args: Array<string> = []
  let [arg, quoted, started] = ["", false, false]
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))![0].length
    const next = line[at + slashes]
    if (slashes > 0 && next === '"') {
      arg += "\\".repeat(slashes >> 1)
      at += slashes
      started = true
      if (slashes % 2 === 1) {
        arg += '"'
        continue
      }
    } else if (slashes > 0) {
      arg += "\\".repeat(slashes)
      at += slashes - 1
      started = true
      continue
    }
    const char = line[at]!
    if (char === '"') {
      if (quoted && line[at + 1] === '"') {
        arg += '"'
        at++
      } else quoted = !quoted
      started = true
    } else if (/[ \t]/.test(char) && !quoted) {
      if (started) args.push(arg)
      ;[arg, started] = ["", false]
    } else {
      arg += char
      started = true
    }
  }
  return started ? [...args, arg] : args
}

const NPX = "C:\\Program Files\\nodejs\\npx.cmd"
const FILES = new Set([
  NPX,
  "C:\\Program Files\\nodejs\\npx",
  "C:\\Program Files\\nodejs\\node.exe",
  "C:\\tools\\server.exe",
  "C:\\tools\\100%PATH%\\odd.bat",
  "C:\\work\\local.cmd",
  "C:\\tools\\script",
  "C:\\tools\\shell-script",
  "C:\\tools\\data.txt"
])
const FIRST_LINES: Record<string, string> = {
  "C:\\tools\\script": "#!/usr/bin/env node",
  "C:\\tools\\shell-script": "#!/bin/sh"
}
const disk: WindowsFiles = {
  isFile: (path) => FILES.has(path),
  firstLine: (path) => FIRST_LINES[path] ?? ""
}

const ENV = { Path: '"C:\\Program Files\\nodejs";C:\\tools;.;relative', PATHEXT: ".COM;.EXE;.BAT;.CMD;.VBS;.JS" }

const start = (command: string, args: ReadonlyArray<string> = [], env: Record<string, string> = ENV) =>
  windowsSpawn({ command, args, env, cwd: "C:\\work" }, disk, "C:\\Windows")

/** What the program behind a batch file gets that hands on its arguments: the line is read twice. */
const throughBatch = (command: string, args: ReadonlyArray<string>) => {
  const spawn = start(command, args)
  if (typeof spawn === "string") return spawn
  assert.strictEqual(spawn.command, "C:\\Windows\\System32\\cmd.exe")
  assert.deepStrictEqual(spawn.args.slice(0, -1), ["/d", "/e:on", "/v:off", "/s", "/c"])
  assert.isTrue(spawn.verbatim)
  const whole = spawn.args.at(-1)!
  assert.isTrue(whole.startsWith('"') && whole.endsWith('"'))
  const line = expand(whole.slice(1, -1))
  assert.deepStrictEqual(specials(line), [])
  const handedOn = line.slice(line.indexOf('"', 1) + 1)
  assert.deepStrictEqual(specials(handedOn), [], "read again in the batch file")
  return toArguments(line)
}

const ATTACKS = [
  "&calc",
  '"&calc&"',
  '\\"&calc&\\"',
  '"" & calc',
  "a|b",
  "a>b<c",
  "^",
  "^^&",
  "(x)",
  "100%",
  "%PATH%",
  "%%PATH%%",
  "%cd:~0,3%",
  "%A%%A%",
  "!PATH!",
  'say "hi"',
  "",
  " ",
  "\t",
  "a\\",
  'a\\"',
  "a\\\\",
  "\\",
  '"',
  '""',
  '"""',
  "a=b;c,d",
  "C:\\with space\\",
  "--x=%PATH%",
  "ünïcödé 🧵",
  "*?",
  "@echo",
  "~",
  "`'",
  "$(x)",
  "\u{1a}",
  "＂&calc"
]

describe("arguments of a batch file on Windows", () => {
  for (const attack of ATTACKS) {
    it(`${JSON.stringify(attack)} reaches the program behind it unchanged`, () => {
      assert.deepStrictEqual(throughBatch("npx", [attack, "next", attack]), [NPX, attack, "next", attack])
    })
  }

  it.prop(
    "any combination of special characters reaches the program unchanged",
    [Schema.Array(Schema.Array(Schema.Literals(["a", '"', "\\", "%", "&", " ", "^", "PATH", "!", "cd:~,", ":"])))],
    ([texts]) => {
      const args = texts.map((parts) => parts.join(""))
      assert.deepStrictEqual(throughBatch("npx", args), [NPX, ...args])
    }
  )

  it("a percent sign in the path of the batch file is not expanded", () => {
    assert.deepStrictEqual(throughBatch("C:\\tools\\100%PATH%\\odd.bat", ["x"]), ["C:\\tools\\100%PATH%\\odd.bat", "x"])
  })

  it("a line break or NUL is refused, and the error does not show the argument", () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      const problem = throughBatch("npx", [`secret${end}calc`])
      assert.isString(problem)
      assert.notInclude(String(problem), "secret")
      assert.include(String(problem), "line break")
    }
    assert.include(String(throughBatch("npx", ["a\0b"])), "NUL")
  })

  it("a line that is longer than cmd.exe reads is refused", () => {
    assert.include(String(throughBatch("npx", ["x".repeat(BATCH_LINE_MAX_CHARS)])), String(BATCH_LINE_MAX_CHARS))
    assert.include(String(throughBatch("npx", ["%".repeat(BATCH_LINE_MAX_CHARS / 8)])), String(BATCH_LINE_MAX_CHARS))
  })

  it("an argument of two million quotes or backslashes is refused", () => {
    for (const text of ["\\".repeat(2e6), '"'.repeat(2e6), `${"\\".repeat(2e6)}x`])
      assert.isString(start("npx", [text]))
  })

  it("an argument that needs no quotes gets none", () => {
    assert.strictEqual(quoteForBatch("--yes"), "--yes")
    assert.strictEqual(quoteForBatch("@scope/pkg@1.2.3"), "@scope/pkg@1.2.3")
  })
})

describe("the command that Windows starts", () => {
  const commandOf = (command: string, env?: Record<string, string>) => {
    const spawn = start(command, ["a b", '"'], env)
    return typeof spawn === "string" ? spawn : spawn.command
  }

  it("is the program itself without cmd.exe, with its arguments left to Node", () => {
    assert.deepStrictEqual(start("server", ["a b", '"']), {
      command: "C:\\tools\\server.exe",
      args: ["a b", '"'],
      verbatim: false
    })
    assert.strictEqual(commandOf("C:\\tools\\server.exe"), "C:\\tools\\server.exe")
    assert.strictEqual(commandOf("C:\\tools\\server"), "C:\\tools\\server.exe")
    assert.strictEqual(commandOf("node", { PATH: "C:\\Program Files\\nodejs" }), "C:\\Program Files\\nodejs\\node.exe")
  })

  it("is the batch file, not the shell script beside it", () => {
    const spawn = start("npx")
    assert.include(typeof spawn === "string" ? "" : spawn.args.at(-1)!, "npx.cmd")
  })

  it("is not looked for by name in the working directory, but by a relative path", () => {
    assert.include(commandOf("local"), "not found")
    const named = start(".\\local")
    assert.include(typeof named === "string" ? named : named.args.at(-1)!, "C:\\work\\local.cmd")
  })

  it("is the interpreter that a script names", () => {
    assert.deepStrictEqual(start("script", ["x"]), {
      command: "C:\\Program Files\\nodejs\\node.exe",
      args: ["C:\\tools\\script", "x"],
      verbatim: false
    })
    assert.include(commandOf("shell-script"), "interpreter sh was not found")
  })

  it("is refused where it is no program, script or batch file that is found", () => {
    assert.include(commandOf("C:\\tools\\data.txt"), "Windows cannot start")
    for (const command of ["", "echo", "dir & calc", "no-such-command"]) assert.include(commandOf(command), "not found")
    assert.include(commandOf("no\0de"), "NUL")
  })
})

describe("ending a process tree on Windows", () => {
  const ran: Array<readonly [string, ReadonlyArray<string>]> = []
  let gone = false
  const runner = {
    run: (file: string, args: ReadonlyArray<string>) =>
      Effect.sync(() => {
        ran.push([file, args])
        gone = true
      }),
    runNow: (file: string, args: ReadonlyArray<string>) => void ran.push([file, args])
  }
  const tree = windowsTree({ pid: 4711, gone: () => gone }, runner, "C:\\Windows")
  const taskkill = ["C:\\Windows\\System32\\taskkill.exe", ["/T", "/F", "/PID", "4711"]] as const

  it.effect("runs taskkill by its own path, and waits for the end", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(tree.left(), [4711])
      yield* tree.end("SIGTERM")
      assert.deepStrictEqual(ran.splice(0), [taskkill])
      assert.deepStrictEqual(tree.left(), [])
    })
  )

  it.effect("does nothing when the leader has ended, since its process ID may be reused", () =>
    Effect.gen(function* () {
      yield* tree.end("SIGKILL")
      tree.killNow(() => ({ entries: new Map(), tags: new Map() }))
      assert.deepStrictEqual(ran, [])
    })
  )

  it("runs taskkill at once when this process exits", () => {
    gone = false
    tree.killNow(() => ({ entries: new Map(), tags: new Map() }))
    assert.deepStrictEqual(ran, [taskkill])
  })
})
