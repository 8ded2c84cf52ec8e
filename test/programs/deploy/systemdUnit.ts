/** Reads a unit of systemd strictly: only keys that its manual pages have, with values of their kind. */

const text = /^\S.*$/
const span = /^(?:\d+(?:ms|s|min|h)?|infinity)$/
const yesNo = /^(?:yes|no|true|false)$/

/** Those of systemd.unit(5), systemd.service(5), systemd.exec(5) and systemd.kill(5) that the unit has, or may well have. */
const KEYS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  Unit: {
    Description: text,
    Documentation: /^(?:https?|man|file|info):\S+(?: (?:https?|man|file|info):\S+)*$/,
    Wants: /^(?:[\w@.-]+\.(?:target|service|socket|mount) ?)+$/,
    Requires: /^(?:[\w@.-]+\.(?:target|service|socket|mount) ?)+$/,
    After: /^(?:[\w@.-]+\.(?:target|service|socket|mount) ?)+$/,
    StartLimitIntervalSec: span,
    StartLimitBurst: /^\d+$/
  },
  Service: {
    Type: /^(?:simple|exec|forking|oneshot|dbus|notify|notify-reload|idle)$/,
    User: /^[a-z_][a-z0-9_-]*$/,
    Group: /^[a-z_][a-z0-9_-]*$/,
    EnvironmentFile: /^-?\/\S+$/,
    Environment: /^[A-Z_][A-Z0-9_]*=\S*$/,
    ExecStart: /^[@+!:-]*\/\S+(?: .+)?$/,
    Restart: /^(?:no|on-success|on-failure|on-abnormal|on-watchdog|on-abort|always)$/,
    RestartSec: span,
    TimeoutStartSec: span,
    TimeoutStopSec: span,
    KillMode: /^(?:control-group|mixed|process|none)$/,
    KillSignal: /^SIG[A-Z]+$/,
    StateDirectory: /^[\w.-]+$/,
    StateDirectoryMode: /^0[0-7]{3}$/,
    LimitNOFILE: /^(?:\d+(?::\d+)?|infinity)$/,
    OOMPolicy: /^(?:continue|stop|kill)$/,
    NoNewPrivileges: yesNo,
    ProtectSystem: /^(?:yes|no|true|false|full|strict)$/,
    ProtectHome: /^(?:yes|no|true|false|read-only|tmpfs)$/,
    PrivateTmp: yesNo,
    PrivateDevices: yesNo,
    ProtectKernelTunables: yesNo,
    ProtectControlGroups: yesNo
  },
  Install: { WantedBy: /^(?:[\w@.-]+\.target ?)+$/ }
}

/** Values by `Section.Key`; each problem names its line. */
export const sectionsOf = (unit: string) => {
  const problems: Array<string> = []
  const values = new Map<string, string>()
  let section = ""
  for (const [index, line] of unit.split("\n").entries()) {
    if (line === "" || /^[#;]/.test(line)) continue
    const wrong = (what: string) => void problems.push(`line ${index + 1}: ${what}: ${line}`)
    const header = /^\[(\w+)\]$/.exec(line)?.[1]
    if (header !== undefined) {
      section = header
      if (KEYS[section] === undefined) wrong("no section of a service")
      continue
    }
    const [, key = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? []
    const known = KEYS[section]?.[key]
    if (known === undefined) {
      if (KEYS[section] !== undefined) wrong("no key of this section")
    } else if (!known.test(value)) wrong("no value of this key")
    values.set(`${section}.${key}`, value)
  }
  return { problems, values }
}
