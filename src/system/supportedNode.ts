/**
 * Says in one sentence that Node is too old, where a program would otherwise end with an error from the midst of a dependency.
 * Whoever imports the package imports this first: modules are evaluated in the order in which they are imported.
 */

/** As `engines` in `package.json` has it. */
export const OLDEST_NODE = [22, 19] as const

/** What is wrong with this version of Node; `undefined` where nothing is. */
export const nodeProblem = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldest, oldestMinor] = OLDEST_NODE
  return major > oldest || (major === oldest && minor >= oldestMinor)
    ? undefined
    : `mcp-live needs Node ${OLDEST_NODE.join(".")} or newer; this is Node ${version}.`
}

const problem = nodeProblem(process.versions.node)
if (problem !== undefined) throw new Error(problem)
